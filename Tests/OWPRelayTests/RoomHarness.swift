// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPWire
import Testing

@testable import OWPRelay

/// A room, its clock, and what it asked the server to do.
struct RoomHarness {
    /// One broadcast that a test looks at.
    struct Broadcast: Equatable {
        var atMs: Int64
        var message: RoomMessage
        var receivers: [UInt64]
    }

    var room: RelayRoom
    var nowMs: Int64 = 1_000_000
    /// Every effect so far, with its time.
    var log: [(atMs: Int64, effect: RoomEffect)] = []
    /// The connections of the participants, by peer ID.
    var connections: [String: ConnectionID] = [:]
    private var nextConnection: UInt64 = 1

    /// A film of two hours.
    static let film = Media(kind: .movie, title: "Film", durationMs: 7_200_000)

    /// A room with its host `p1` and `guests` more participants.
    init(guests: Int = 0, largestMembers: Int = 50) {
        let newcomer = Newcomer(
            connection: ConnectionID(1),
            name: "N1",
            client: "test/1",
            token: RoomHarness.token("p1")
        )
        let made = RelayRoom.make(code: "K7MQ2X", for: newcomer, largestMembers: largestMembers, at: nowMs)
        room = made.room
        nextConnection = 2
        connections["p1"] = ConnectionID(1)
        log = made.effects.map { (1_000_000, $0) }
        for _ in 0..<guests { join() }
    }

    /// A room whose host and guests are ready, paused at a position.
    static func paused(guests: Int, at positionMs: Int64 = 600_000) -> RoomHarness {
        var harness = RoomHarness.waiting(guests: guests, at: positionMs)
        harness.everyone(.ready)
        harness.send(.pause(positionMs: nil))
        harness.advance(by: 2000)
        harness.clear()
        return harness
    }

    /// A room with new media that everybody is loading.
    static func waiting(guests: Int, at positionMs: Int64 = 0) -> RoomHarness {
        var harness = RoomHarness(guests: guests)
        harness.send(.setMedia(media: film, positionMs: positionMs))
        return harness
    }

    /// A room that runs since a second, with everybody ready.
    static func running(guests: Int, at positionMs: Int64 = 0) -> RoomHarness {
        var harness = RoomHarness.waiting(guests: guests, at: positionMs)
        harness.everyone(.ready)
        harness.advance(to: harness.room.atMs + 1000)
        harness.clear()
        return harness
    }

    static func token(_ peerId: String) -> ResumeToken { ResumeToken("token of \(peerId)") }

    // MARK: Events

    @discardableResult
    mutating func join() -> String {
        let connection = ConnectionID(nextConnection)
        nextConnection += 1
        let peerId = "p\(room.nextNumber)"
        let newcomer = Newcomer(
            connection: connection,
            name: "N",
            client: "test/1",
            token: RoomHarness.token(peerId)
        )
        note(room.joinAsked(by: newcomer, at: nowMs))
        if room.hasMember(on: connection) { connections[peerId] = connection }
        return peerId
    }

    @discardableResult
    mutating func resume(_ peerId: String, token: String? = nil) -> ConnectionID {
        let connection = ConnectionID(nextConnection)
        nextConnection += 1
        let token = token.map { ResumeToken($0) } ?? RoomHarness.token(peerId)
        note(room.resumeAsked(peerId: peerId, token: token, on: connection, at: nowMs))
        if room.hasMember(on: connection) { connections[peerId] = connection }
        return connection
    }

    mutating func send(_ message: ClientMessage, from peerId: String = "p1") {
        note(room.received(message, from: connections[peerId] ?? ConnectionID(0), at: nowMs))
    }

    mutating func status(_ peerId: String, _ player: PlayerState, rttMs: Int64? = 40, offsetMs: Int64 = 0) {
        let match = Match(state: .matched, deltaMs: 0)
        let status = StatusMessage(epoch: room.epoch, player: player, match: match, offsetMs: offsetMs, rttMs: rttMs)
        send(.status(status), from: peerId)
    }

    mutating func everyone(_ player: PlayerState) {
        for member in room.members where member.isConnected { status(member.peerId, player) }
    }

    mutating func drop(_ peerId: String) {
        note(room.connectionDropped(connections[peerId] ?? ConnectionID(0), at: nowMs))
    }

    /// Lets time pass, and fires each timer when it is due.
    mutating func advance(by delayMs: Int64) { advance(to: nowMs + delayMs) }

    mutating func advance(to targetMs: Int64) {
        while let next = room.nextTimerMs, next <= targetMs {
            nowMs = max(nowMs, next)
            note(room.timersDue(at: nowMs))
        }
        nowMs = targetMs
    }

    mutating func note(_ effects: [RoomEffect]) { log += effects.map { (nowMs, $0) } }

    mutating func clear() { log = [] }

    // MARK: What came of it

    var broadcasts: [Broadcast] {
        log.compactMap { entry in
            guard case .send(.room(let message), let receivers) = entry.effect else { return nil }
            return Broadcast(atMs: entry.atMs, message: message, receivers: receivers.map(\.value))
        }
    }

    /// The actions broadcast so far, as `kind by`.
    var actions: [String] {
        broadcasts.compactMap { $0.message.action }.map { $0.kind + " " + ($0.by ?? "-") }
    }

    /// The error codes sent so far.
    var errors: [String] {
        log.compactMap { entry in
            guard case .send(.error(let error), _) = entry.effect else { return nil }
            return error.code
        }
    }

    var joined: [JoinedMessage] {
        log.compactMap { entry in
            guard case .send(.joined(let joined), _) = entry.effect else { return nil }
            return joined
        }
    }

    var effects: [RoomEffect] { log.map(\.effect) }

    /// The room's position now.
    var positionMs: Int64 { room.position(at: nowMs) }

    func member(_ peerId: String) -> RelayMember? { room.members.first { $0.peerId == peerId } }
}
