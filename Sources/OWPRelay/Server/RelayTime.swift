// OpenWatchParty for Swift. See LICENSE.

import Foundation

/// Relay time: the wall clock at the start, and monotonic time since.
struct RelayTime: Sendable {
    private let startWallMs: Int64
    private let start = ContinuousClock.now

    /// Starts at the wall clock, but never before a time that was told already.
    init(notBeforeMs: Int64 = 0) {
        startWallMs = max(notBeforeMs, Int64(Date().timeIntervalSince1970 * 1000))
    }

    /// The relay time in ms.
    var nowMs: Int64 {
        let passed = (ContinuousClock.now - start).components
        return startWallMs + passed.seconds * 1000 + passed.attoseconds / 1_000_000_000_000_000
    }
}
