// OpenWatchParty for Swift. See LICENSE.

import OWPPlayerMPV
import Testing

@Suite("When a seek lands, and what is declared (sections 11.2 and 16.4)")
struct SeekLandingTests {
    @Test(
        "A seek that is ready before the lead waits for it",
        arguments: [(0, 250), (-5, 250), (249, 1), (250, 0), (900, 0)]
    )
    func waits(tookMs: Int64, waitMs: Int64) {
        #expect(SeekLanding.waitMs(tookMs: tookMs) == waitMs)
    }

    @Test(
        "Lateness is declared from the seek threshold on",
        arguments: [
            (1849, true, 0), (1850, true, 2000), (2250, true, 2500),
            (1049, false, 0), (1050, false, 1000), (1250, false, 1250),
        ]
    )
    func declares(tookMs: Int64, canSetRate: Bool, accuracyMs: Int64) {
        var landing = SeekLanding()
        landing.landed(tookMs: tookMs, rate: 1)
        #expect(landing.accuracyMs(canSetRate: canSetRate) == accuracyMs)
    }

    @Test("A faster room leaves a slow seek further behind")
    func rate() {
        var landing = SeekLanding()
        landing.landed(tookMs: 2250, rate: 2)
        #expect(landing.accuracyMs(canSetRate: true) == 5000)
    }

    @Test("The keyframe distance is always declared")
    func keyframes() {
        var landing = SeekLanding()
        #expect(landing.accuracyMs(canSetRate: true, keyframeMs: 700) == 700)
        landing.landed(tookMs: 1350, rate: 1)
        #expect(landing.accuracyMs(canSetRate: true, keyframeMs: 700) == 2075)
    }

    @Test("A single slow seek is forgotten after eight others, and no number traps")
    func forgets() {
        var landing = SeekLanding()
        landing.landed(tookMs: .max, rate: .infinity)
        #expect(landing.accuracyMs(canSetRate: true) > 2000)
        for _ in 0..<8 { landing.landed(tookMs: 100, rate: 1) }
        #expect(landing.accuracyMs(canSetRate: true) == 0)
    }
}
