// OpenWatchParty for Swift. See LICENSE.

/// What the app's player says of itself at one moment (section 16.4).
public struct PlayerReading: Hashable, Sendable {
    /// The position in ms of the app's own file.
    public var positionMs: Int64
    /// Whether it is paused.
    public var paused: Bool
    /// Whether it stalled while trying to play.
    public var buffering: Bool
    /// Whether it shows a frame.
    public var firstFrameShown: Bool
    /// Its file's duration in ms; nil when unknown, and one of 0 or less is none.
    public var durationMs: Int64?
    /// How far from its target a seek may land, in ms; below 0 counts as 0.
    public var seekAccuracyMs: Int64
    /// Whether it can change its rate.
    public var canSetRate: Bool

    /// Makes a reading.
    public init(
        positionMs: Int64,
        paused: Bool,
        buffering: Bool = false,
        firstFrameShown: Bool = true,
        durationMs: Int64? = nil,
        seekAccuracyMs: Int64 = 0,
        canSetRate: Bool = false
    ) {
        self.positionMs = positionMs
        self.paused = paused
        self.buffering = buffering
        self.firstFrameShown = firstFrameShown
        self.durationMs = durationMs
        self.seekAccuracyMs = seekAccuracyMs
        self.canSetRate = canSetRate
    }

    /// The last position that the party seeks to: 1000 ms before the file's end; nil when that is unknown.
    var endMs: Int64? {
        guard let durationMs, durationMs > 0 else { return nil }
        return max(0, durationMs - Constants.endMarginMs)
    }

    /// A position within what the party seeks to.
    func clamp(_ positionMs: Int64) -> Int64 {
        let atLeastZero = max(0, positionMs)
        guard let endMs else { return atLeastZero }
        return min(atLeastZero, endMs)
    }

    /// Whether the player is further from a position than its seeks and a threshold in ms allow.
    func isFarther(than thresholdMs: Int64, from targetMs: Int64) -> Bool {
        positionMs.saturatingSubtract(targetMs).magnitude > UInt64(max(thresholdMs, seekAccuracyMs))
    }
}
