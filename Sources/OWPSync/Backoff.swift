// OpenWatchParty for Swift. See LICENSE.

/// The time to wait before an attempt to reconnect, in ms (section 14).
///
/// - Parameters:
///   - attempt: The attempt, from 1.
///   - u: The random draw, in [0, 1).
/// - Returns: From 250 to 8000 ms: 500 doubling to 8000, × 0.5 + 0.5u, rounded down.
public func backoffDelayMs(attempt: Int, u: Double) -> Int64 {
    var longest = Constants.backoffFirstMs
    for _ in 1..<min(max(attempt, 1), 64) { longest = min(longest * 2, Constants.backoffLargestMs) }
    let half = 0.5 * u
    let factor = 0.5 + half
    let delay = Double(longest) * factor
    return Int64(saturating: delay.rounded(.down))
}
