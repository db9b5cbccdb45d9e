// OpenWatchParty for Swift. See LICENSE.

import OWPCore

/// A player as a value: commands and times in, its state out; the same seed gives the same player.
///
/// It reads no clock. Every call takes the local time in ms; a time before an earlier call's counts as that one.
public struct SimulatedPlayerModel: Hashable, Sendable {
    /// What it is.
    public let traits: SimulatedPlayerTraits
    /// The speed it was last set to; 1 is normal.
    public private(set) var rate = 1.0
    /// Whether it is paused.
    public private(set) var paused = true

    private var random: SplitMix
    private var landing = SeekLanding()
    /// The position at `movesFromMs` and before it; while paused, the position.
    private var basePositionMs = 0.0
    /// When the picture moves, or moved, from the base position, unless it is paused.
    private var movesFromMs: Int64
    private let opensAtMs: Int64
    private var landsAtMs: Int64
    private var dryUntilMs: Int64
    /// How long it still plays until its input runs dry by itself; nil means never.
    private var playsUntilDryMs: Int64?
    private var nowMs: Int64

    /// Opens a file, paused at 0.
    ///
    /// - Parameters:
    ///   - traits: What kind of player and file it is.
    ///   - seed: What its latencies, costs and stalls are drawn from.
    ///   - openedAtMs: The local time of opening.
    public init(_ traits: SimulatedPlayerTraits, seed: UInt64, openedAtMs: Int64) {
        self.traits = traits
        random = SplitMix(seed: seed)
        let opens = openedAtMs + Int64.random(in: traits.openMs, using: &random)
        opensAtMs = opens
        movesFromMs = opens
        landsAtMs = openedAtMs
        dryUntilMs = openedAtMs
        nowMs = openedAtMs
        playsUntilDryMs = drawPlaying()
    }

    /// Starts playing.
    ///
    /// - Parameter time: The local time in ms.
    /// - Returns: When the command is done.
    public mutating func play(atMs time: Int64) -> Int64 {
        advance(toMs: time)
        guard paused else { return nowMs }
        let started = nowMs + Int64.random(in: traits.startLatencyMs, using: &random)
        paused = false
        movesFromMs = max(started, opensAtMs, landsAtMs, dryUntilMs)
        return started
    }

    /// Pauses at once.
    public mutating func pause(atMs time: Int64) {
        advance(toMs: time)
        paused = true
    }

    /// Seeks; the position reads the target at once, and the picture stands until the seek has landed.
    ///
    /// - Parameters:
    ///   - positionMs: The target, held within the file.
    ///   - time: The local time in ms.
    /// - Returns: When the seek has landed.
    public mutating func seek(to positionMs: Int64, atMs time: Int64) -> Int64 {
        advance(toMs: time)
        let asked = nowMs
        let target = min(max(0, positionMs), traits.durationMs)
        basePositionMs = Double(traits.keyframeMs > 0 ? target - target % traits.keyframeMs : target)
        // Without input nothing lands: the cost begins when it is back.
        let ready = max(asked, dryUntilMs, opensAtMs) + Int64.random(in: traits.seekCostMs, using: &random)
        if asked >= dryUntilMs, asked >= opensAtMs { landing.landed(tookMs: ready - asked, rate: rate) }
        landsAtMs = traits.landsAtSeekLead ? ready + SeekLanding.waitMs(tookMs: ready - asked) : ready
        movesFromMs = landsAtMs
        return landsAtMs
    }

    /// Changes the speed at once; does nothing without rate control, and for a number that is no speed.
    public mutating func setRate(_ rate: Double, atMs time: Int64) {
        advance(toMs: time)
        guard traits.canSetRate, rate > 0, rate <= 100 else { return }
        self.rate = rate
    }

    /// Holds its input back for a while: it stands still and buffers, and seeks land only afterwards.
    public mutating func stall(forMs durationMs: Int64, atMs time: Int64) {
        advance(toMs: time)
        dryUntilMs = max(dryUntilMs, nowMs + max(0, durationMs))
        movesFromMs = max(movesFromMs, dryUntilMs)
    }

    /// Puts the picture elsewhere behind everyone's back, as no command would: at once, without a seek.
    public mutating func displace(byMs distanceMs: Int64, atMs time: Int64) {
        advance(toMs: time)
        basePositionMs = min(max(0, basePositionMs + Double(distanceMs)), Double(traits.durationMs))
    }

    /// What the player shows.
    ///
    /// - Parameter time: The local time in ms.
    /// - Returns: The state at that time; nothing of it changes the player's later behaviour.
    public mutating func state(atMs time: Int64) -> SimulatedPlayerState {
        advance(toMs: time)
        return SimulatedPlayerState(
            positionMs: Int64(basePositionMs),
            paused: paused,
            buffering: nowMs < dryUntilMs,
            firstFrameShown: nowMs >= opensAtMs,
            seeking: nowMs < landsAtMs,
            seekAccuracyMs: landing.accuracyMs(canSetRate: traits.canSetRate, keyframeMs: traits.keyframeMs)
        )
    }

    /// When it next changes by itself: its first frame shows, its input runs dry or comes back; nil for never.
    public mutating func nextChangeMs(atMs time: Int64) -> Int64? {
        advance(toMs: time)
        var times = [opensAtMs, dryUntilMs]
        if !paused, let left = playsUntilDryMs { times.append(max(nowMs, movesFromMs) + left) }
        return times.filter { $0 > nowMs }.min()
    }

    /// Moves the base to a time, through every stall of its own on the way.
    private mutating func advance(toMs time: Int64) {
        let time = max(time, nowMs)
        defer { nowMs = time }
        while !paused, time > movesFromMs {
            guard let left = playsUntilDryMs, movesFromMs + left <= time else {
                playsUntilDryMs = playsUntilDryMs.map { $0 - (time - movesFromMs) }
                return move(toMs: time)
            }
            move(toMs: movesFromMs + left)
            playsUntilDryMs = drawPlaying()
            dryUntilMs = movesFromMs + Int64.random(in: traits.stallMs, using: &random)
            movesFromMs = dryUntilMs
        }
    }

    private mutating func move(toMs time: Int64) {
        let speed = rate * (1 + traits.driftPpm / 1_000_000)
        basePositionMs = min(basePositionMs + Double(time - movesFromMs) * speed, Double(traits.durationMs))
        movesFromMs = time
    }

    /// The playing time until the next stall: anything up to twice the mean.
    private mutating func drawPlaying() -> Int64? {
        guard traits.stallsPerHour > 0 else { return nil }
        let longest = 2 * 3_600_000 / min(max(traits.stallsPerHour, 0.001), 3_600_000)
        return 1 + Int64(Double.random(in: 0..<longest, using: &random))
    }
}

/// What a simulated player shows at one time.
public struct SimulatedPlayerState: Hashable, Sendable {
    /// The position in ms of its own copy.
    public var positionMs: Int64
    /// Whether it is paused.
    public var paused: Bool
    /// Whether its input is dry.
    public var buffering: Bool
    /// Whether its first frame shows.
    public var firstFrameShown: Bool
    /// Whether a seek is on its way.
    public var seeking: Bool
    /// What it declares as seek accuracy in ms (section 16.4).
    public var seekAccuracyMs: Int64
}
