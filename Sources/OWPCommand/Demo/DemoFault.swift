// OpenWatchParty for Swift. See LICENSE.

import OWPPlayerMPV
import OWPRelay
import OpenWatchParty

/// Ways to break a phase on purpose, so that everyone can see that the demo notices.
@MainActor
enum DemoFault {
    /// The phases that must come before one, and the phase itself.
    static func phases(upTo name: String) -> [DemoPhase]? {
        guard let broken = DemoStory.phases.first(where: { $0.name == name }) else { return nil }
        let way = [DemoStory.create, DemoStory.join, DemoStory.match, DemoStory.start]
        let before = way.prefix { $0.name != name } + (name == DemoStory.resume.name ? [DemoStory.pause] : [])
        return before + [broken]
    }

    /// The props with the one fault that breaks a phase.
    static func props(breaking name: String, of props: DemoProps) -> DemoProps {
        var props = props
        switch name {
        case "create":
            props.before = { phase, stage in if phase == name { stage.relay.stop() } }
        case "join":
            props.before = { phase, stage in
                guard phase == name, let host = stage.seats.first?.party, (try? host.lock(true)) != nil else { return }
                await stage.until { host.state.room?.locked == true }
            }
        case "match":
            props.find = { seat, person in seat == 2 ? person.others : [person.copy] }
        case "start":
            props.open = opening(seat: 1, with: props.open) { $0.ignoresPlayAfter = 0 }
        case "pause":
            props.open = opening(seat: 2, with: props.open) { $0.ignoresPause = true }
        case "play":
            props.open = opening(seat: 0, with: props.open) { $0.ignoresPlayAfter = 1 }
        case "seek":
            props.open = opening(seat: 2, with: props.open) { $0.ignoresSeek = true }
        case "rate", "drift":
            props.open = opening(seat: 2, with: props.open) { $0.ignoresRate = true }
        case "stall":
            props.open = opening(seat: 2, with: props.open) { $0.hidesBuffering = true }
        case "cut":
            props.connect = connecting(seat: 1, with: props.connect) { $0.refusesAgain = true }
        case "leave":
            props.connect = connecting(seat: 0, with: props.connect) { $0.losesSent = "\"leave\"" }
        case "end":
            props.connect = connecting(seat: 2, with: props.connect) { $0.losesReceived = "\"closed\"" }
        default:
            break
        }
        return props
    }

    private typealias Open = @MainActor (Int, DemoCopy, DemoProps) async throws -> any DemoPlayer

    private static func opening(
        seat faulty: Int,
        with open: @escaping Open,
        _ break: @escaping @MainActor (FaultyPlayer) -> Void
    ) -> Open {
        { seat, copy, props in
            let player = try await open(seat, copy, props)
            guard seat == faulty else { return player }
            let broken = FaultyPlayer(player)
            `break`(broken)
            return broken
        }
    }

    private static func connecting(
        seat faulty: Int,
        with connect: @escaping @MainActor (Int) -> WebSocketConnect,
        _ break: @escaping @MainActor (FaultyNetwork) -> Void
    ) -> @MainActor (Int) -> WebSocketConnect {
        { seat in
            guard seat == faulty else { return connect(seat) }
            let network = FaultyNetwork(connect(seat))
            `break`(network)
            return { try await network.connect(to: $0) }
        }
    }
}

/// A player that does not do everything it is told.
@MainActor
final class FaultyPlayer: DemoPlayer {
    /// How many times it starts playing at most.
    var ignoresPlayAfter = Int.max
    var ignoresPause = false
    var ignoresSeek = false
    var ignoresRate = false
    /// Whether it says nothing of a dry input.
    var hidesBuffering = false

    private let player: any DemoPlayer

    init(_ player: any DemoPlayer) { self.player = player }

    var onChange: (@MainActor () -> Void)? {
        get { player.onChange }
        set { player.onChange = newValue }
    }
    var positionMs: Int64 { player.positionMs }
    var durationMs: Int64? { player.durationMs }
    var paused: Bool { player.paused }
    var buffering: Bool { hidesBuffering ? false : player.buffering }
    var firstFrameShown: Bool { player.firstFrameShown }
    var canSetRate: Bool { player.canSetRate }
    var seekAccuracyMs: Int64 { player.seekAccuracyMs }

    func play() async throws {
        guard ignoresPlayAfter > 0 else { return }
        ignoresPlayAfter -= 1
        try await player.play()
    }
    func pause() async throws { if !ignoresPause { try await player.pause() } }
    func seek(to positionMs: Int64) async throws { if !ignoresSeek { try await player.seek(to: positionMs) } }
    func setRate(_ rate: Double) async throws { if !ignoresRate { try await player.setRate(rate) } }
    func displace(byMs distanceMs: Int64) async throws { try await player.displace(byMs: distanceMs) }
    func stall(forMs durationMs: Int64) async throws { try await player.stall(forMs: durationMs) }
    func close() async { await player.close() }
}

/// A network that connects only once, or that loses messages.
@MainActor
private final class FaultyNetwork {
    var refusesAgain = false
    /// What a message has in it that is lost on its way to the relay, together with everything after it.
    var losesSent: String?
    /// What a message has in it that is lost on its way from the relay.
    var losesReceived: String?

    private let connect: WebSocketConnect
    private var hasConnected = false

    init(_ connect: @escaping WebSocketConnect) { self.connect = connect }

    func connect(to url: String) async throws -> any WebSocketConnection {
        guard !refusesAgain || !hasConnected else { throw PartyError(.unreachable, "refused on purpose") }
        hasConnected = true
        return FaultyConnection(try await connect(url), losesSent: losesSent, losesReceived: losesReceived)
    }
}

@MainActor
private final class FaultyConnection: WebSocketConnection {
    private let connection: any WebSocketConnection
    private let losesSent: String?
    private let losesReceived: String?
    private var isSilent = false

    init(_ connection: any WebSocketConnection, losesSent: String?, losesReceived: String?) {
        self.connection = connection
        self.losesSent = losesSent
        self.losesReceived = losesReceived
    }

    var closeCode: Int? { connection.closeCode }

    func receive() async throws -> String {
        while true {
            let text = try await connection.receive()
            guard let losesReceived, text.contains(losesReceived) else { return text }
        }
    }

    func send(_ text: String) async throws {
        if let losesSent, text.contains(losesSent) { isSilent = true }
        if !isSilent { try await connection.send(text) }
    }

    func close(code: Int) { if !isSilent { connection.close(code: code) } }
}
