// OpenWatchParty for Swift. See LICENSE.

import OWPSync
import Testing

@Suite("Backoff (section 14)")
struct BackoffTests {
    @Test(
        "Half at u = 0, doubling up to 4000",
        arguments: [(1, 250), (2, 500), (3, 1000), (4, 2000), (5, 4000), (6, 4000), (53, 4000), (.max, 4000)]
            as [(Int, Int64)]
    )
    func lowest(_ attempt: Int, _ delayMs: Int64) {
        #expect(backoffDelayMs(attempt: attempt, u: 0) == delayMs)
    }

    @Test("Rounded down, up to the longest delay")
    func highest() {
        #expect(backoffDelayMs(attempt: 1, u: 0.995) == 498)
        #expect(backoffDelayMs(attempt: 1, u: 0.996) == 499)
        #expect(backoffDelayMs(attempt: 5, u: 0.9999) == 7999)
        // The largest draw below 1: its half and 0.5 add up to 1 as doubles.
        #expect(backoffDelayMs(attempt: 5, u: 1.0.nextDown) == 8000)
    }

    @Test("FR-15: at u = 0.5 attempts start at 375, 1125, 2625, 5625, 11625 and then every 6000 ms, the 53rd at 299625")
    func window() {
        var startMs: Int64 = 0
        let starts = (1...54).map { attempt in
            startMs += backoffDelayMs(attempt: attempt, u: 0.5)
            return startMs
        }
        #expect(starts.prefix(6) == [375, 1125, 2625, 5625, 11_625, 17_625])
        #expect(starts[52] == 299_625)
        #expect(starts[53] > 300_000)
    }

    @Test("Draws and attempts that no caller has never trap")
    func extremes() {
        for attempt in [Int.min, -1, 0, 1, .max] {
            for u in [Double.nan, .infinity, -.infinity, -1, 1, 1e300] { _ = backoffDelayMs(attempt: attempt, u: u) }
        }
    }
}
