// OpenWatchParty for Swift. See LICENSE.

package import OWPCore
package import OWPRelay
import OWPWire

/// A room at a time, and what may happen to it next.
package struct RoomModel: Sendable {
    /// Something that can happen to a room.
    package enum Event: Hashable, Sendable {
        /// Time passes, so many ms.
        case pass(Int64)
        /// The participant at a place reports its player.
        case status(Int, PlayerState)
        /// The participant at a place sends a command.
        case play(Int), pause(Int, plus: Int64?), seek(Int, Int64), rate(Double)
        /// The host changes what is watched.
        case setMedia, clearMedia
        /// The host changes who is there, or hands its role on.
        case transferHost(Int), kick(Int)
        /// Somebody comes, goes, or loses its connection and finds it again.
        case join, leave(Int), drop(Int), resume(Int)
    }

    /// The length of what is watched: short, so that its end is never far.
    package static let durationMs: Int64 = 3000

    /// The room.
    package var room: RelayRoom
    /// The relay time.
    package var nowMs: Int64
    /// How many participants there are at most.
    package let size: Int

    /// A new room with its host.
    package init(size: Int, times: RoomTimes) {
        var times = times
        // Age ends every room alike, and tells states apart that are otherwise the same.
        times.greatestAgeMs = 1 << 50
        let newcomer = RoomModel.newcomer(1)
        nowMs = 1_000_000
        room = RelayRoom.make(code: "222222", for: newcomer, times: times, at: nowMs).room
        self.size = size
        _ = receive(.setControl(.everyone), from: 0)
    }

    private static func newcomer(_ number: Int64) -> Newcomer {
        Newcomer(
            connection: ConnectionID(UInt64(number)),
            name: "N",
            client: "a/1",
            token: ResumeToken("t\(number)")
        )
    }

    /// Everything that may happen now; ends of waiting times are met exactly, a ms early and a ms late.
    package var events: [Event] {
        var events = passes.map { Event.pass($0) }
        for (place, member) in room.members.enumerated() {
            if member.isConnected {
                for player in PlayerState.allCases { events.append(.status(place, player)) }
                events += [.drop(place), .leave(place)]
                if member.number != room.hostNumber { events += [.transferHost(place), .kick(place)] }
            } else {
                events.append(.resume(place))
            }
        }
        if room.members.count < size { events.append(.join) }
        guard let host = room.members.firstIndex(where: { $0.number == room.hostNumber && $0.isConnected }) else {
            return events
        }
        events.append(.setMedia)
        guard room.media != nil else { return events }
        events += [.clearMedia, .rate(room.rate == 1 ? 1.5 : 1)]
        let last = room.members.lastIndex { $0.isConnected } ?? host
        for place in Set([host, last]).sorted() {
            events += [
                .play(place), .pause(place, plus: nil), .seek(place, 0), .seek(place, RoomModel.durationMs - 100),
            ]
        }
        events.append(.pause(host, plus: 600))
        return events
    }

    /// The times to the model's boundaries: each timer's, and those from which a `ready` knows of a move.
    private var passes: [Int64] {
        var boundaries = room.timerDuesMs.filter { $0 < nowMs + (1 << 40) }
        for member in room.members {
            if let unsettled = member.unsettled { boundaries.append(unsettled.sinceMs + (member.rttMs ?? 250)) }
        }
        if room.phase == .playing { boundaries.append(room.atMs) }
        return Set(boundaries.flatMap { [$0 - 1, $0, $0 + 1] }).filter { $0 > nowMs }.sorted().map { $0 - nowMs }
    }

    /// Lets something happen.
    ///
    /// - Returns: What the room asked for.
    package mutating func happen(_ event: Event) -> [RoomEffect] {
        switch event {
        case .pass(let delayMs):
            nowMs += delayMs
            return room.timersDue(at: nowMs)
        case .status(let place, let player):
            // Round trips of both kinds: given and not.
            let rttMs: Int64? = room.members[place].number.isMultiple(of: 2) ? nil : 40
            let status = StatusMessage(epoch: room.epoch, player: player, match: nil, offsetMs: 0, rttMs: rttMs)
            return receive(.status(status), from: place)
        case .play(let place): return receive(.play, from: place)
        case .pause(let place, let plus):
            return receive(.pause(positionMs: plus.map { room.position(at: nowMs) + $0 }), from: place)
        case .seek(let place, let positionMs): return receive(.seek(positionMs: positionMs), from: place)
        case .rate(let rate): return fromHost(.rate(rate))
        case .setMedia:
            let media = Media(kind: .video, title: "T", durationMs: RoomModel.durationMs)
            return fromHost(.setMedia(media: media, positionMs: 0))
        case .clearMedia: return fromHost(.clearMedia)
        case .transferHost(let place): return fromHost(.transferHost(peerId: room.members[place].peerId))
        case .kick(let place): return fromHost(.kick(peerId: room.members[place].peerId))
        case .join: return room.joinAsked(by: RoomModel.newcomer(room.nextNumber), at: nowMs)
        case .leave(let place): return receive(.leave, from: place)
        case .drop(let place):
            guard let connection = room.members[place].connection else { return [] }
            return room.connectionDropped(connection, at: nowMs)
        case .resume(let place):
            let member = room.members[place]
            return room.resumeAsked(
                peerId: member.peerId,
                token: ResumeToken("t\(member.number)"),
                on: ConnectionID(UInt64(member.number)),
                at: nowMs
            )
        }
    }

    private mutating func receive(_ message: ClientMessage, from place: Int) -> [RoomEffect] {
        guard let connection = room.members[place].connection else { return [] }
        return room.received(message, from: connection, at: nowMs)
    }

    private mutating func fromHost(_ message: ClientMessage) -> [RoomEffect] {
        room.members.firstIndex { $0.number == room.hostNumber }.map { receive(message, from: $0) } ?? []
    }
}
