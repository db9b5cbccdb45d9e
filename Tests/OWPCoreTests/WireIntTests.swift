// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import Testing

@Suite("Integers of the wire (sections 2 and 8)")
struct WireIntTests {
    @Test("Integral and within 2^53 - 1")
    func ints() {
        #expect(wireInt(42) == 42)
        #expect(wireInt(-0.0) == 0)
        #expect(wireInt(9_007_199_254_740_991) == 9_007_199_254_740_991)
        #expect(wireInt(-9_007_199_254_740_991) == -9_007_199_254_740_991)
        for value in [9_007_199_254_740_992, -9_007_199_254_740_992, 0.5, -1.5, 1e300, .infinity, -.infinity, .nan] {
            #expect(wireInt(value) == nil)
        }
        #expect(isWireInt(largestWireInt) && isWireInt(-largestWireInt))
        #expect(
            !isWireInt(largestWireInt + 1) && !isWireInt(-largestWireInt - 1) && !isWireInt(.min) && !isWireInt(.max)
        )
    }

    @Test("A duration counts from 1 to 604800000 (section 9.2)")
    func durations() {
        #expect(countingDuration(1) == 1)
        #expect(countingDuration(604_800_000) == 604_800_000)
        for value in [nil, 0, -1, 604_800_001, Int64.min, .max] { #expect(countingDuration(value) == nil) }
    }
}
