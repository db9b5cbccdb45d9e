// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPSync
import OWPTestSupport

/// A player of a trace, which plays with the clock and does commands at once, or when the trace says.
@MainActor
final class TracePlayer: PlayerAdapter {
    let name: String
    /// Whether the trace ends its commands.
    let isManual: Bool
    /// Told each command as it starts.
    var commanded: (JSONValue) -> Void = { _ in }
    private let clock: VirtualClock
    private var baseMs: Int64
    private var basePositionMs: Double
    private var rate = 1.0
    private var running: Gate<Void>?

    private(set) var paused: Bool
    private(set) var buffering: Bool
    private(set) var durationMs: Int64?
    private(set) var firstFrameShown: Bool
    private(set) var canSetRate: Bool
    private(set) var seekAccuracyMs: Int64

    init(_ name: String, _ given: CaseInput, clock: VirtualClock) throws {
        try given.checkMembers([
            "manual", "positionMs", "paused", "buffering", "durationMs", "firstFrameShown", "canSetRate",
            "seekAccuracyMs",
        ])
        self.name = name
        self.clock = clock
        isManual = try given.isTrue("manual")
        baseMs = clock.nowMs()
        basePositionMs = Double(try given.optionalInt("positionMs") ?? 0)
        paused = try given.value("paused") == nil ? true : given.bool("paused")
        buffering = try given.isTrue("buffering")
        durationMs = try given.optionalInt("durationMs")
        firstFrameShown = try given.value("firstFrameShown") == nil ? true : given.bool("firstFrameShown")
        canSetRate = try given.isTrue("canSetRate")
        seekAccuracyMs = try given.optionalInt("seekAccuracyMs") ?? 0
    }

    var positionMs: Int64 { Int64(saturating: exactPositionMs.rounded()) }

    private var exactPositionMs: Double {
        paused || buffering ? basePositionMs : basePositionMs + Double(clock.nowMs() - baseMs) * rate
    }

    private func rebase() {
        basePositionMs = exactPositionMs
        baseMs = clock.nowMs()
    }

    /// Takes what happened to the player itself.
    func change(_ step: CaseInput) throws {
        rebase()
        if let positionMs = try step.optionalInt("positionMs") { basePositionMs = Double(positionMs) }
        if step.has("paused") { paused = try step.bool("paused") }
        if step.has("buffering") { buffering = try step.bool("buffering") }
        if step.has("durationMs") { durationMs = try step.optionalInt("durationMs") }
        if step.has("firstFrameShown") { firstFrameShown = try step.bool("firstFrameShown") }
        if step.has("canSetRate") { canSetRate = try step.bool("canSetRate") }
        if let accuracyMs = try step.optionalInt("seekAccuracyMs") { seekAccuracyMs = accuracyMs }
    }

    /// Does a command.
    func apply(_ action: PlayerAction) {
        rebase()
        switch action {
        case .pause: paused = true
        case .play: paused = false
        case .seek(let positionMs): basePositionMs = Double(positionMs)
        case .setRate(let rate): self.rate = rate
        }
    }

    // MARK: As the party's adapter

    func play() async throws { try await perform(.play) }
    func pause() async throws { try await perform(.pause) }
    func seek(to positionMs: Int64) async throws { try await perform(.seek(positionMs)) }
    func setRate(_ rate: Double) async throws { try await perform(.setRate(rate)) }

    private func perform(_ action: PlayerAction) async throws {
        commanded(action.json)
        if isManual {
            let gate = Gate<Void>(on: clock, heedsCancellation: false)
            running = gate
            try await gate.wait()
        }
        apply(action)
    }

    /// Ends the running command; nil when it does what it should.
    ///
    /// - Returns: Whether one ran.
    func endCommand(_ failure: (any Error)?) -> Bool {
        guard let gate = running else { return false }
        running = nil
        if let failure { gate.fail(failure) } else { gate.open() }
        return true
    }
}

extension PlayerReading {
    /// What a trace's player says of itself.
    @MainActor
    init(of player: TracePlayer) {
        self.init(
            positionMs: player.positionMs,
            paused: player.paused,
            buffering: player.buffering,
            firstFrameShown: player.firstFrameShown,
            durationMs: player.durationMs,
            seekAccuracyMs: player.seekAccuracyMs,
            canSetRate: player.canSetRate
        )
    }
}
