// OpenWatchParty for Swift. See LICENSE.

import OWPCore

/// What kind of player and file a simulated player is.
///
/// Times are in ms of local time. Ranges are drawn from evenly, with the player's own seed.
public struct SimulatedPlayerTraits: Hashable, Sendable {
    /// The length of its copy in ms, from 1 to 604800000.
    public var durationMs: Int64
    /// From opening the file until the first frame shows.
    public var openMs: ClosedRange<Int64> = 200...500
    /// From the command `play` until the picture moves.
    public var startLatencyMs: ClosedRange<Int64> = 10...50
    /// How much faster its clock runs than ours, in parts per million; negative is slower.
    public var driftPpm: Double = 0
    /// From the command `seek` until the picture could move again.
    public var seekCostMs: ClosedRange<Int64> = 40...160
    /// The distance of the keyframes at which its seeks stop, before the target; 0 means exact seeks.
    public var keyframeMs: Int64 = 0
    /// How often its input runs dry in an hour of playing; 0 means never.
    public var stallsPerHour: Double = 0
    /// How long its input stays dry.
    public var stallMs: ClosedRange<Int64> = 500...4000
    /// Whether its speed can be changed.
    public var canSetRate = true
    /// Whether a seek that is ready before the seek lead of 250 ms waits for it (section 11.2).
    ///
    /// True as in our other adapters; false shows what happens otherwise.
    public var landsAtSeekLead = true

    /// Describes a player with a copy of `durationMs`, everything else at its default.
    public init(durationMs: Int64) {
        self.durationMs = min(max(1, durationMs), Constants.largestDurationMs)
    }
}
