// OpenWatchParty for Swift. See LICENSE.

public import OWPCore

/// A player that plays in virtual time and records the commands it gets.
@MainActor
public final class FakePlayer: PlayerAdapter {
    /// A command, as the party gave it.
    public enum Command: Hashable, Sendable {
        /// Start playing.
        case play
        /// Pause.
        case pause
        /// Seek to a position in ms.
        case seek(Int64)
        /// Play at a rate.
        case setRate(Double)
    }

    /// A command with the local time at which it was given.
    public struct Record: Hashable, Sendable {
        /// The local time in ms.
        public let atMs: Int64
        /// The command.
        public let command: Command

        /// Makes a record.
        public init(atMs: Int64, command: Command) {
            self.atMs = atMs
            self.command = command
        }
    }

    private let clock: VirtualClock
    private var basePositionMs: Double
    private var baseMs: Int64

    /// The commands so far, in the order given.
    public private(set) var records: [Record] = []
    /// The commands that the party waits for.
    public private(set) var unfinished = 0
    /// How long a command takes, in ms; it has its effect at its end.
    public var takesMs: (Command) -> Int64 = { _ in 0 }
    /// The error a command ends with, without any effect.
    public var fails: (Command) -> (any Error)? = { _ in nil }
    /// How far after its target a seek lands, in ms.
    public var landsOffMs: Int64 = 0

    /// Whether the player is paused.
    public var paused = true { willSet { rebase() } }
    /// Whether the player stalled; it stands still meanwhile.
    public var buffering = false { willSet { rebase() } }
    /// The rate it plays at.
    public var rate = 1.0 { willSet { rebase() } }
    /// The file's duration in ms.
    public var durationMs: Int64? = 7_200_000
    /// Whether a frame is shown.
    public var firstFrameShown = true
    /// Whether it takes rates.
    public var canSetRate = true
    /// How far from its target a seek may land, in ms.
    public var seekAccuracyMs: Int64 = 0

    /// Makes a paused player.
    public init(clock: VirtualClock, positionMs: Int64 = 0) {
        self.clock = clock
        basePositionMs = Double(positionMs)
        baseMs = clock.nowMs()
    }

    /// The position in ms, which moves with the clock while it plays; setting it is a jump made in the player itself.
    public var positionMs: Int64 {
        get { Int64(saturating: exactPositionMs.rounded()) }
        set {
            baseMs = clock.nowMs()
            basePositionMs = Double(newValue)
        }
    }

    private var exactPositionMs: Double {
        paused || buffering ? basePositionMs : basePositionMs + Double(clock.nowMs() - baseMs) * rate
    }

    private func rebase() {
        basePositionMs = exactPositionMs
        baseMs = clock.nowMs()
    }

    /// The commands so far, without their times.
    public var commands: [Command] { records.map(\.command) }

    /// The commands since the last call of this, without their times.
    public func takeCommands() -> [Command] {
        defer { records.removeAll() }
        return commands
    }

    /// Starts playing.
    public func play() async throws {
        try await perform(.play) { $0.paused = false }
    }

    /// Pauses.
    public func pause() async throws {
        try await perform(.pause) { $0.paused = true }
    }

    /// Seeks.
    public func seek(to positionMs: Int64) async throws {
        try await perform(.seek(positionMs)) { $0.positionMs = positionMs.saturatingAdd($0.landsOffMs) }
    }

    /// Changes the rate.
    public func setRate(_ rate: Double) async throws {
        try await perform(.setRate(rate)) { $0.rate = rate }
    }

    private func perform(_ command: Command, _ effect: (FakePlayer) -> Void) async throws {
        records.append(Record(atMs: clock.nowMs(), command: command))
        let failure = fails(command)
        unfinished += 1
        defer { unfinished -= 1 }
        try await clock.sleep(forMs: takesMs(command))
        if let failure { throw failure }
        effect(self)
    }
}
