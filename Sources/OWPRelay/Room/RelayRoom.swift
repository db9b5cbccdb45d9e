// OpenWatchParty for Swift. See LICENSE.

package import OWPCore
package import OWPSync
import OWPWire

/// One room of the relay: an event and the relay time in, effects out.
///
/// It reads no clock and draws nothing at random. Every event first fires the timers that are due, so a room that is
/// asked late decides as one that was asked in time, and fires at its end those that it made due. Times are ms of relay
/// time.
package struct RelayRoom: Hashable, Sendable {
    /// The room's code: 6 symbols.
    package let code: String
    /// When it was made.
    package let createdAtMs: Int64
    /// How long it waits for what.
    package let times: RoomTimes
    /// How many participants it takes.
    package let largestMembers: Int

    /// The revision of the last snapshot.
    package internal(set) var rev: Int64 = 1
    /// The epoch: one more with each new media.
    package internal(set) var epoch: Int64 = 0
    /// What the room is doing.
    package internal(set) var phase = Phase.idle
    /// The position at ``atMs``.
    package internal(set) var positionMs: Int64 = 0
    /// When playback starts; outside `playing`, the last change of phase or position.
    package internal(set) var atMs: Int64
    /// The playback rate.
    package internal(set) var rate = 1.0
    /// Who may control playback.
    package internal(set) var control = Control.host
    /// Whether new joins are refused.
    package internal(set) var isLocked = false
    /// What is watched.
    package internal(set) var media: Media?
    /// The participants in join order; empty only once the room is gone.
    package internal(set) var members: [RelayMember]
    /// The number of the host.
    package internal(set) var hostNumber: Int64 = 1
    /// When the host became it.
    package internal(set) var hostSinceMs: Int64
    /// The number of the next participant.
    package internal(set) var nextNumber: Int64 = 2

    /// Whether this epoch has started once.
    package internal(set) var hasStarted = false
    /// When playback last started; unlike ``atMs`` a change of the rate leaves it alone.
    package internal(set) var startedAtMs: Int64 = 0
    /// When the room began to wait, or was last sought while it waited.
    package internal(set) var waitingSinceMs: Int64 = 0
    /// Since when nobody is connected; nil while somebody is.
    package internal(set) var desertedSinceMs: Int64?
    /// Whom the room waits for, as last shown.
    package internal(set) var waitingOn: [String] = []
    /// When the changes gathered so far go out; nil without any.
    package internal(set) var gatheredUntilMs: Int64?
    /// What the event at hand has changed.
    var change = Change()

    /// What an event changed, until it is sent.
    struct Change: Hashable, Sendable {
        /// Something that a snapshot shows.
        var isShown = false
        /// Something that goes out at once.
        var isUrgent = false
        /// Whether the epoch is new, so that the media goes along.
        var hasNewEpoch = false
        /// What happened, in one word.
        var action: RoomAction?
    }

    /// Makes a room whose first participant is its host.
    ///
    /// - Parameters:
    ///   - code: A free code.
    ///   - newcomer: The participant that asked for the room.
    ///   - times: How long the room waits for what.
    ///   - largestMembers: How many participants it takes.
    ///   - nowMs: The relay time.
    /// - Returns: The room, and its maker's `joined`.
    package static func make(
        code: String,
        for newcomer: Newcomer,
        times: RoomTimes = RoomTimes(),
        largestMembers: Int = 50,
        at nowMs: Int64
    ) -> (room: RelayRoom, effects: [RoomEffect]) {
        let member = RelayMember(newcomer, number: 1, hasMedia: false)
        let room = RelayRoom(
            code: code,
            createdAtMs: nowMs,
            times: times,
            largestMembers: largestMembers,
            atMs: nowMs,
            members: [member],
            hostSinceMs: nowMs
        )
        return (room, [room.joined(member, token: newcomer.token, at: nowMs)])
    }

    init(
        code: String,
        createdAtMs: Int64,
        times: RoomTimes,
        largestMembers: Int,
        atMs: Int64,
        members: [RelayMember],
        hostSinceMs: Int64
    ) {
        self.code = code
        self.createdAtMs = createdAtMs
        self.times = times
        self.largestMembers = largestMembers
        self.atMs = atMs
        self.members = members
        self.hostSinceMs = hostSinceMs
    }
}

/// Who asks for a place in a room.
package struct Newcomer: Hashable, Sendable {
    /// The connection it stands on.
    package var connection: ConnectionID
    /// The display name, checked.
    package var name: String
    /// The app and its version, checked.
    package var client: String
    /// The token it will resume with.
    package var token: ResumeToken

    /// Takes what the message said, and a fresh token.
    package init(connection: ConnectionID, name: String, client: String, token: ResumeToken) {
        self.connection = connection
        self.name = name
        self.client = client
        self.token = token
    }
}

// MARK: What is shown

extension RelayRoom {
    /// The room as its participants are shown it.
    package var snapshot: Room {
        Room(
            rev: rev,
            code: code,
            epoch: epoch,
            phase: phase,
            positionMs: positionMs,
            atMs: atMs,
            rate: rate,
            control: control,
            locked: isLocked,
            waitingOn: waitingOn,
            participants: members.map { $0.participant(hostNumber: hostNumber) }
        )
    }

    /// Where the room is, as a line over relay time.
    package var timeline: Timeline {
        Timeline(phase: phase, positionMs: positionMs, atMs: atMs, rate: rate, durationMs: media?.durationMs)
    }

    /// The position at a relay time.
    package func position(at relayMs: Int64) -> Int64 { timeline.positionMs(atRelayMs: relayMs) }

    /// Whether the room is playing and its start has come.
    package func isRunning(at relayMs: Int64) -> Bool { timeline.isRunning(atRelayMs: relayMs) }

    /// Whether a connection is a participant's.
    package func hasMember(on connection: ConnectionID) -> Bool {
        members.contains { $0.connection == connection }
    }

    /// The app of a participant that proves itself by its token; nil otherwise.
    package func client(of peerId: String, token: ResumeToken) -> String? {
        guard let place = place(of: peerId), ResumeToken.matches(members[place].tokenDigest, token.digest) else {
            return nil
        }
        return members[place].client
    }

    /// The answer to a participant's `create`, `join` or `resume`.
    func joined(_ member: RelayMember, token: ResumeToken, at nowMs: Int64) -> RoomEffect {
        let message = JoinedMessage(
            code: code,
            peerId: member.peerId,
            token: token.text,
            serverTimeMs: nowMs,
            room: snapshot,
            media: media
        )
        return .send(.joined(message), to: member.connection.map { [$0] } ?? [])
    }

    /// A refusal, to one connection.
    func refusal(_ code: String, _ message: String, re: String, to connection: ConnectionID) -> RoomEffect {
        .send(.error(ErrorMessage(code: code, message: message, re: re)), to: [connection])
    }

    /// Ends an event: settles who waits for whom, and tells what is to be told.
    ///
    /// - Parameters:
    ///   - nowMs: The relay time.
    ///   - excluded: A connection whose `joined` shows the change already.
    /// - Returns: The broadcast, unless nothing changed or the change is gathered.
    mutating func finish(at nowMs: Int64, except excluded: ConnectionID? = nil) -> [RoomEffect] {
        let holders = holdersToShow
        if holders != waitingOn {
            waitingOn = holders
            change.isShown = true
        }
        defer { change = Change() }
        guard change.isShown || change.isUrgent else { return [] }
        rev += 1
        if change.isUrgent { return broadcast(except: excluded) }
        if gatheredUntilMs == nil {
            gatheredUntilMs = nowMs + times.gatherMs + times.gatherParticipantMs * Int64(members.count)
        }
        return []
    }

    /// One message for everybody, with whatever was gathered.
    mutating func broadcast(except excluded: ConnectionID? = nil) -> [RoomEffect] {
        gatheredUntilMs = nil
        let receivers = members.compactMap(\.connection).filter { $0 != excluded }
        guard !receivers.isEmpty else { return [] }
        let news: ReceivedMedia = change.hasNewEpoch ? media.map { .valid($0) } ?? .none : .absent
        return [.send(.room(RoomMessage(room: snapshot, action: change.action, media: news)), to: receivers)]
    }
}
