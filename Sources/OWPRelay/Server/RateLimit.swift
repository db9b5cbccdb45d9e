// OpenWatchParty for Swift. See LICENSE.

/// A bucket of permits that fills again at a steady rate.
struct RateLimit: Hashable, Sendable {
    private let capacity: Double
    private let perMs: Double
    private var permits: Double
    private var filledAtMs: Int64

    /// A full bucket.
    ///
    /// - Parameters:
    ///   - capacity: How many permits it holds.
    ///   - perMs: How many come back in a ms.
    ///   - nowMs: The time.
    init(capacity: Double, perMs: Double, at nowMs: Int64) {
        self.capacity = capacity
        self.perMs = perMs
        permits = capacity
        filledAtMs = nowMs
    }

    private func permits(at nowMs: Int64) -> Double {
        min(capacity, permits + Double(max(0, nowMs - filledAtMs)) * perMs)
    }

    /// Whether a permit is left.
    func hasPermit(at nowMs: Int64) -> Bool { permits(at: nowMs) >= 1 }

    /// Whether nothing is missing, so that a new bucket would be the same.
    func isFull(at nowMs: Int64) -> Bool { permits(at: nowMs) >= capacity }

    /// Takes a permit.
    ///
    /// - Returns: Whether there was one.
    mutating func take(at nowMs: Int64) -> Bool {
        permits = permits(at: nowMs)
        filledAtMs = nowMs
        guard permits >= 1 else { return false }
        permits -= 1
        return true
    }
}
