// OpenWatchParty for Swift. See LICENSE.

import OWPCore

/// When a seek of our adapters lands, and what lateness they declare (sections 11.2 and 16.4).
///
/// A step aims a seek 250 ms ahead of a playing room, the seek lead. A player that is ready sooner and runs on at once
/// would be ahead for good, inside the deadband where nothing corrects it. So our adapters land a seek exactly the
/// lead after it was asked: until then the player stands still at the target. One that takes longer lands behind the
/// room, and when that comes near the seek threshold it would be sought again at every landing; so its lateness is
/// measured and declared as seek accuracy, once it has come twice: a single slow seek, whose disk slept perhaps, would
/// leave the player as far off until it is forgotten. A smaller lateness is not declared: it would only keep a held
/// player from being put right, and nudging takes care of it.
package struct SeekLanding: Hashable, Sendable {
    /// How many seeks are remembered.
    private static let remembered = 4

    private var latenessMs: [Int64] = []

    /// Makes a memory without seeks.
    package init() {}

    /// How long a player that took `tookMs` to be ready stays still, in ms.
    package static func waitMs(tookMs: Int64) -> Int64 {
        tookMs <= 0 ? Constants.seekLeadMs : max(0, Constants.seekLeadMs - tookMs)
    }

    /// Remembers a seek that was ready `tookMs` after it was asked, in a room that ran at `rate` meanwhile.
    ///
    /// Not for a seek that is asked while the input is dry: how long that lasts tells nothing of other seeks.
    package mutating func landed(tookMs: Int64, rate: Double) {
        let late = min(max(0, tookMs - Constants.seekLeadMs), Constants.largestDurationMs)
        let scaled = Double(late) * min(max(rate, 0.5), 2.0)
        latenessMs.append(Int64(scaled.rounded(.up)))
        if latenessMs.count > Self.remembered { latenessMs.removeFirst() }
    }

    /// What to declare as `seekAccuracyMs`, for a player whose seeks stop at keyframes `keyframeMs` apart (0: exact).
    ///
    /// The lateness is the second largest of those remembered, and a quarter, since the next seek may take a little
    /// longer than those before it.
    package func accuracyMs(canSetRate: Bool, keyframeMs: Int64 = 0) -> Int64 {
        let threshold = canSetRate ? Constants.seekThresholdMs : Constants.seekThresholdNoRateMs
        let late = latenessMs.sorted(by: >).dropFirst().first ?? 0
        let miss = keyframeMs + late + late / 4
        return late > 0 && miss >= threshold ? miss : keyframeMs
    }
}
