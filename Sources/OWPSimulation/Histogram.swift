// OpenWatchParty for Swift. See LICENSE.

/// How often which number of ms was measured.
///
/// Two of them add up to the same whatever the order, so a simulation on two cores reports what it does on one.
package struct Histogram: Hashable, Sendable {
    /// What is more than this counts as this, except for ``max``.
    private static let largest: Int64 = 600_000

    private var counts: [Int] = []
    /// How many were measured.
    package private(set) var count = 0
    /// The largest one; 0 without any.
    package private(set) var max: Int64 = 0

    /// Counts a number of ms; below 0 counts as 0.
    mutating func add(_ ms: Int64) {
        let place = Int(Swift.min(Swift.max(0, ms), Self.largest))
        if place >= counts.count { counts += [Int](repeating: 0, count: place + 1 - counts.count) }
        counts[place] += 1
        count += 1
        max = Swift.max(max, ms)
    }

    /// Counts what another one counted.
    mutating func add(_ other: Histogram) {
        if other.counts.count > counts.count {
            counts += [Int](repeating: 0, count: other.counts.count - counts.count)
        }
        for (place, times) in other.counts.enumerated() { counts[place] += times }
        count += other.count
        max = Swift.max(max, other.max)
    }

    /// The smallest number that a share of all, from 0 to 1, does not exceed; nil without any.
    package func percentile(_ share: Double) -> Int64? {
        guard count > 0 else { return nil }
        let wanted = Swift.max(1, Int((Double(count) * share).rounded(.up)))
        var seen = 0
        for (place, times) in counts.enumerated() {
            seen += times
            if seen >= wanted { return Int64(place) }
        }
        return max
    }
}
