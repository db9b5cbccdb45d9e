// OpenWatchParty for Swift. See LICENSE.

import Testing

@testable import OWPTransportFoundation

@MainActor
@Suite("The system's clock (sections 2 and 16.8)", .timeLimit(.minutes(2)))
struct SystemClockTests {
    @Test("It never goes back")
    func monotonic() {
        let clock = SystemClock()
        var last = clock.nowMs()
        #expect(last >= 0)
        for _ in 0..<1000 {
            let now = clock.nowMs()
            #expect(now >= last)
            last = now
        }
    }

    @Test("No timer fires early; how late they are is printed", arguments: [0, 1, 5, 20, 100] as [Int64])
    func never(delayMs: Int64) async {
        let clock = SystemClock()
        let start = ContinuousClock.now
        let early = clock.nowMs()
        await withCheckedContinuation { continuation in
            _ = clock.schedule(afterMs: delayMs) { continuation.resume() }
        }
        #expect(clock.nowMs() - early >= delayMs)
        print("a timer of \(delayMs) ms fired after \(ContinuousClock.now - start)")
    }

    @Test("Delays that are negative or beyond every clock", arguments: [-1, Int64.min])
    func negative(delayMs: Int64) async {
        let clock = SystemClock()
        await withCheckedContinuation { continuation in
            _ = clock.schedule(afterMs: delayMs) { continuation.resume() }
        }
    }

    @Test("A timer past 2147483647 ms does not fire, nor spin", arguments: [2_147_483_648, Int64.max])
    func veryLong(delayMs: Int64) async {
        let clock = SystemClock()
        var hasFired = false
        let cancel = clock.schedule(afterMs: delayMs) { hasFired = true }
        await withCheckedContinuation { continuation in
            _ = clock.schedule(afterMs: 50) { continuation.resume() }
        }
        cancel()
        #expect(!hasFired)
    }

    @Test("A cancelled timer does not fire, and may be cancelled again")
    func cancelled() async {
        let clock = SystemClock()
        var hasFired = false
        let cancel = clock.schedule(afterMs: 20) { hasFired = true }
        cancel()
        cancel()
        await withCheckedContinuation { continuation in
            _ = clock.schedule(afterMs: 60) { continuation.resume() }
        }
        #expect(!hasFired)
    }
}
