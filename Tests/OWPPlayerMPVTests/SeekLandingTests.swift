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

    /// What remembers seeks that took so long.
    private func landing(_ tookMs: Int64..., rate: Double = 1) -> SeekLanding {
        var landing = SeekLanding()
        for tookMs in tookMs { landing.landed(tookMs: tookMs, rate: rate) }
        return landing
    }

    @Test(
        "Lateness is declared from the seek threshold on",
        arguments: [
            (1849, true, 0), (1850, true, 2000), (2250, true, 2500),
            (1049, false, 0), (1050, false, 1000), (1250, false, 1250),
        ]
    )
    func declares(tookMs: Int64, canSetRate: Bool, accuracyMs: Int64) {
        #expect(landing(tookMs, tookMs).accuracyMs(canSetRate: canSetRate) == accuracyMs)
    }

    @Test("FR-21: a slow seek is declared once another one was slow, so that two seeks are the most")
    func twice() {
        #expect(landing(3000).accuracyMs(canSetRate: true) == 0)
        #expect(landing(3000, 3400).accuracyMs(canSetRate: true) == 3437)
        #expect(landing(100, 3000, 90, 3400).accuracyMs(canSetRate: true) == 3437)
    }

    @Test("A single slow seek, among quick ones or before any, leaves the player as it was")
    func single() {
        #expect(landing(30_000, 100, 100, 100).accuracyMs(canSetRate: true) == 0)
        #expect(landing(100, 100, 30_000).accuracyMs(canSetRate: true) == 0)
    }

    @Test("A faster room leaves a slow seek further behind")
    func rate() {
        #expect(landing(2250, 2250, rate: 2).accuracyMs(canSetRate: true) == 5000)
    }

    @Test("The keyframe distance is always declared")
    func keyframes() {
        #expect(landing().accuracyMs(canSetRate: true, keyframeMs: 700) == 700)
        #expect(landing(1350, 1350).accuracyMs(canSetRate: true, keyframeMs: 700) == 2075)
    }

    @Test("Slow seeks are forgotten after three others, and no number traps")
    func forgets() {
        var landing = landing(.max, .max, rate: .infinity)
        #expect(landing.accuracyMs(canSetRate: true) > 2000)
        for _ in 0..<3 { landing.landed(tookMs: 100, rate: 1) }
        #expect(landing.accuracyMs(canSetRate: true) == 0)
    }
}
