// OpenWatchParty for Swift. See LICENSE.

/// A participant's local clock: it began at another number, and runs a little too fast or too slow.
struct SkewedClock {
    private let originMs: Int64
    /// What it counts in a second, in µs.
    private let rate: Int64

    /// A clock that is ahead by so many parts in a million of the time passed.
    init(originMs: Int64, skewPpm: Int64) {
        self.originMs = originMs
        rate = 1_000_000 + skewPpm
    }

    /// What it shows, in ms.
    func localMs(atUs timeUs: Int64) -> Int64 { originMs + timeUs * rate / 1_000_000_000 }

    /// The first time at which it shows `localMs`, in µs.
    func timeUs(atLocalMs localMs: Int64) -> Int64 { ((localMs - originMs) * 1_000_000_000 + rate - 1) / rate }
}
