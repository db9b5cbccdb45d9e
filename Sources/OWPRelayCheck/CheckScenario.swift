// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPWire

/// One rule of `Docs/Protocol.md`, and what to do to a relay to see whether it holds.
package struct CheckScenario: Sendable {
    /// The section of the document.
    package let section: String
    /// The rule, in a line.
    package let rule: String
    /// Tries it; throws when it does not hold.
    package let run: @Sendable (RelayUnderCheck) throws -> Void

    init(_ section: String, _ rule: String, _ run: @escaping @Sendable (RelayUnderCheck) throws -> Void) {
        self.section = section
        self.rule = rule
        self.run = run
    }

    /// Every scenario, by section.
    package static let all: [CheckScenario] =
        conventions + connections + messages + refusals + rooms + playback + waiting + broadcasts
}

/// The relay that is tried.
package struct RelayUnderCheck: Hashable, Sendable {
    /// Its host.
    package var host: String
    /// Its port.
    package var port: Int
    /// What stands before `/v1/ws`.
    package var base: String
    /// The factor that its waiting times were started with.
    package var timerScale: Double

    /// Names a relay.
    ///
    /// - Parameters:
    ///   - host: Its host.
    ///   - port: Its port.
    ///   - base: What stands before `/v1/ws`.
    ///   - timerScale: The factor that its waiting times were started with.
    package init(host: String, port: Int, base: String = "", timerScale: Double = 1) {
        self.host = host
        self.port = port
        self.base = base
        self.timerScale = timerScale
    }

    /// Checks that a connection can be opened at all, before every rule is tried.
    ///
    /// - Throws: What stands in the way.
    package func reach() throws { _ = try open() }

    /// A new connection.
    func open() throws -> BlockingClient {
        let client = try BlockingClient(webSocketAt: port, host: host, path: base + "/v1/ws")
        client.patienceMs = max(20_000, scaled(150_000))
        return client
    }

    /// A waiting time of the relay, in ms.
    func scaled(_ timeMs: Int64) -> Int64 { Int64(Double(timeMs) * timerScale) }

    /// The answer to an HTTP request, from its status on.
    func answer(to request: String) throws -> String {
        let client = try BlockingClient(host: host, port: port)
        try client.send(Array(request.utf8))
        return String(try client.readToEnd().dropFirst("HTTP/1.1 ".count))
    }
}

/// Throws unless something is so.
func expect(_ isSo: Bool, _ what: @autoclosure () -> String) throws {
    if !isSo { throw CheckFailure(what()) }
}

/// Some participants of one room, the host first.
final class CheckParty {
    /// Their connections; a dropped one stays in its place.
    var clients: [BlockingClient] = []
    /// What each was told when it came.
    var sessions: [JoinedMessage] = []
    private let relay: RelayUnderCheck
    private(set) var epoch: Int64 = 0

    /// The room's code.
    var code: String { sessions[0].code }
    var host: BlockingClient { clients[0] }

    static let media = Media(kind: .video, title: "Check", durationMs: 600_000)

    /// A room of some participants.
    init(_ relay: RelayUnderCheck, _ size: Int) throws {
        self.relay = relay
        clients.append(try relay.open())
        sessions.append(try host.create())
        for _ in 1..<max(1, size) { try join() }
    }

    /// A room of some participants whose media waits for them.
    static func waiting(_ relay: RelayUnderCheck, _ size: Int, at positionMs: Int64 = 0) throws -> CheckParty {
        let party = try CheckParty(relay, size)
        try party.setMedia(at: positionMs)
        return party
    }

    /// A room of some participants that runs.
    static func running(_ relay: RelayUnderCheck, _ size: Int, at positionMs: Int64 = 0) throws -> CheckParty {
        let party = try CheckParty.waiting(relay, size, at: positionMs)
        try party.everyone(.ready)
        let room = try party.room("playing") { $0.phase == .playing }
        try party.waitUntil(room.atMs)
        return party
    }

    /// A room of some participants that stands.
    static func paused(_ relay: RelayUnderCheck, _ size: Int, at positionMs: Int64 = 60_000) throws -> CheckParty {
        let party = try CheckParty.waiting(relay, size, at: positionMs)
        try party.everyone(.ready)
        _ = try party.room("playing") { $0.phase == .playing }
        try party.host.send(.pause(positionMs: positionMs))
        _ = try party.room("paused") { $0.phase == .paused }
        return party
    }

    func join() throws {
        let client = try relay.open()
        clients.append(client)
        sessions.append(try client.join(code))
        _ = try host.nextRoom("the arrival") { $0.room.participants.count >= self.clients.count }
    }

    func setMedia(_ media: Media = CheckParty.media, at positionMs: Int64 = 0) throws {
        try host.send(.setMedia(media: media, positionMs: positionMs))
        let room = try host.nextRoom("new media") { $0.room.epoch != self.epoch }.room
        epoch = room.epoch
    }

    func status(_ place: Int, _ player: PlayerState, rttMs: Int64? = 20) throws {
        let status = StatusMessage(epoch: epoch, player: player, match: nil, offsetMs: 0, rttMs: rttMs)
        try clients[place].send(.status(status))
    }

    func everyone(_ player: PlayerState) throws {
        for place in clients.indices { try status(place, player) }
    }

    /// The next room that the host sees and that is as asked.
    func room(_ what: String, where isMeant: (Room) -> Bool) throws -> Room {
        try host.nextRoom(what) { isMeant($0.room) }.room
    }

    /// The next action of a kind that the host sees.
    func action(_ kind: String) throws -> RoomMessage {
        try host.nextRoom("action \(kind)") { $0.action?.kind == kind }
    }

    /// The relay's time, asked by one participant.
    func relayMs(_ place: Int = 0) throws -> Int64 {
        try clients[place].send(.ping(id: 99))
        return try clients[place].nextPong().serverTimeMs
    }

    /// Asks the relay's time until it has come.
    func waitUntil(_ relayMs: Int64) throws {
        let client = try relay.open()
        while true {
            try client.send(.ping(id: 1))
            let now = try client.nextPong().serverTimeMs
            if now >= relayMs { return }
            _ = try client.event(withinMs: relayMs - now)
        }
    }

    /// Fails when the host is told of a change within a time.
    func expectQuiet(forMs timeMs: Int64, _ what: String) throws {
        if let event = try host.event(withinMs: timeMs) { throw CheckFailure("\(what), but this came: \(event)") }
    }
}
