// OpenWatchParty for Swift. See LICENSE.

import Testing

@testable import OWPPlayerMPV

@Suite("A simulated player (sections 11.2 and 16.4)")
struct SimulatedPlayerModelTests {
    /// A player that does everything at once, opened at time 0.
    private func exact(_ change: (inout SimulatedPlayerTraits) -> Void = { _ in }) -> SimulatedPlayerModel {
        var traits = SimulatedPlayerTraits(durationMs: 600_000)
        traits.openMs = 0...0
        traits.startLatencyMs = 0...0
        traits.seekCostMs = 0...0
        change(&traits)
        return SimulatedPlayerModel(traits, seed: 1, openedAtMs: 0)
    }

    @Test("Opens paused at 0, without a frame until it is open")
    func opens() {
        var model = exact { $0.openMs = 300...300 }
        #expect(model.nextChangeMs(atMs: 0) == 300)
        #expect(!model.state(atMs: 299).firstFrameShown)
        let open = model.state(atMs: 300)
        #expect(open.firstFrameShown && open.paused && open.positionMs == 0 && !open.buffering)
        #expect(model.nextChangeMs(atMs: 300) == nil)
    }

    @Test("Moves after its start latency, and stands still while paused")
    func plays() {
        var model = exact { $0.startLatencyMs = 40...40 }
        #expect(model.play(atMs: 1000) == 1040)
        #expect(model.state(atMs: 1040).positionMs == 0)
        #expect(model.state(atMs: 2040).positionMs == 1000)
        model.pause(atMs: 2140)
        #expect(model.state(atMs: 9000).positionMs == 1100)
        #expect(model.state(atMs: 9000).paused)
    }

    @Test("A second play changes nothing")
    func playsAgain() {
        var model = exact { $0.startLatencyMs = 40...40 }
        _ = model.play(atMs: 0)
        #expect(model.play(atMs: 500) == 500)
        #expect(model.state(atMs: 1040).positionMs == 1000)
    }

    @Test("Drifts by its parts per million, and follows its rate")
    func drifts() {
        var model = exact { $0.driftPpm = 500 }
        _ = model.play(atMs: 0)
        #expect(model.state(atMs: 100_000).positionMs == 100_050)
        model.setRate(1.25, atMs: 100_000)
        #expect(model.state(atMs: 180_000).positionMs == 100_050 + 100_050)
    }

    @Test("Ignores rates without rate control, and numbers that are none")
    func rates() {
        var fixed = exact { $0.canSetRate = false }
        fixed.setRate(2, atMs: 0)
        #expect(fixed.rate == 1)
        var model = exact()
        for rate in [0, -1, Double.nan, .infinity] { model.setRate(rate, atMs: 0) }
        #expect(model.rate == 1)
    }

    @Test("Stops at the end of its copy")
    func ends() {
        var model = exact()
        _ = model.seek(to: 599_000, atMs: 0)
        _ = model.play(atMs: 250)
        #expect(model.state(atMs: 5000).positionMs == 600_000)
        #expect(!model.state(atMs: 5000).paused)
    }

    @Test(
        "A seek lands the seek lead after it was asked, and stands at its target until then",
        arguments: [0, 40, 250]
    )
    func seekLands(costMs: Int64) {
        var model = exact { $0.seekCostMs = costMs...costMs }
        _ = model.play(atMs: 0)
        #expect(model.seek(to: 60_250, atMs: 10_000) == 10_250)
        #expect(model.state(atMs: 10_000).positionMs == 60_250)
        #expect(model.state(atMs: 10_249).seeking)
        let landed = model.state(atMs: 10_250)
        #expect(!landed.seeking && landed.positionMs == 60_250 && landed.seekAccuracyMs == 0)
        #expect(model.state(atMs: 11_250).positionMs == 61_250)
    }

    @Test("Without waiting for the lead, a quick seek is ahead of the room for good")
    func seekWithoutLead() {
        var model = exact {
            $0.seekCostMs = 50...50
            $0.landsAtSeekLead = false
        }
        _ = model.play(atMs: 0)
        #expect(model.seek(to: 60_250, atMs: 10_000) == 10_050)
        #expect(model.state(atMs: 10_250).positionMs == 60_450)
    }

    @Test("A paused player starts only once its seek has landed")
    func seekPaused() {
        var model = exact()
        _ = model.seek(to: 30_000, atMs: 0)
        _ = model.play(atMs: 100)
        #expect(model.state(atMs: 250).positionMs == 30_000)
        #expect(model.state(atMs: 1250).positionMs == 31_000)
    }

    @Test("Seeks stay within the copy")
    func seekBounds() {
        var model = exact()
        _ = model.seek(to: .max, atMs: 0)
        #expect(model.state(atMs: 300).positionMs == 600_000)
        _ = model.seek(to: .min, atMs: 300)
        #expect(model.state(atMs: 600).positionMs == 0)
    }

    @Test("Keyframe seeks stop before the target, and the distance is declared")
    func keyframes() {
        var model = exact { $0.keyframeMs = 2000 }
        _ = model.seek(to: 31_999, atMs: 0)
        #expect(model.state(atMs: 250).positionMs == 30_000)
        #expect(model.state(atMs: 250).seekAccuracyMs == 2000)
    }

    @Test("Seeks slower than the threshold declare their lateness, moderate ones do not")
    func slowSeeks() {
        var moderate = exact { $0.seekCostMs = 900...900 }
        #expect(moderate.seek(to: 10_000, atMs: 0) == 900)
        #expect(moderate.seek(to: 10_000, atMs: 1000) == 1900)
        #expect(moderate.state(atMs: 1900).seekAccuracyMs == 0)
        var slow = exact { $0.seekCostMs = 3250...3250 }
        #expect(slow.seek(to: 10_000, atMs: 0) == 3250)
        #expect(slow.seek(to: 10_000, atMs: 4000) == 7250)
        #expect(slow.state(atMs: 7250).seekAccuracyMs == 3750)
    }

    @Test("A seek that waits for input says nothing of how long seeks take")
    func seeksWhileDry() {
        var model = exact()
        for round in 0..<3 {
            let now = Int64(round) * 60_000
            model.stall(forMs: 30_000, atMs: now)
            #expect(model.seek(to: 10_000, atMs: now) >= now + 30_000)
            #expect(model.state(atMs: now + 31_000).seekAccuracyMs == 0)
        }
    }

    @Test("A held-back input stands still and buffers, and goes on by itself")
    func stalls() {
        var model = exact()
        _ = model.play(atMs: 0)
        model.stall(forMs: 3000, atMs: 1000)
        let dry = model.state(atMs: 3999)
        #expect(dry.buffering && !dry.paused && dry.positionMs == 1000)
        #expect(model.nextChangeMs(atMs: 3999) == 4000)
        let back = model.state(atMs: 4500)
        #expect(!back.buffering && back.positionMs == 1500)
    }

    @Test("A seek without input lands after the input is back")
    func seekWhileDry() {
        var model = exact { $0.seekCostMs = 100...100 }
        model.stall(forMs: 3000, atMs: 0)
        #expect(model.seek(to: 5000, atMs: 500) == 3100)
    }

    @Test("Displacing is no seek: the picture is elsewhere at once and runs on")
    func displaces() {
        var model = exact()
        _ = model.play(atMs: 0)
        model.displace(byMs: -800, atMs: 5000)
        #expect(model.state(atMs: 5000).positionMs == 4200)
        #expect(!model.state(atMs: 5000).seeking)
        #expect(model.state(atMs: 6000).positionMs == 5200)
    }

    @Test("A time before an earlier one counts as that one")
    func timeNeverRunsBack() {
        var model = exact()
        _ = model.play(atMs: 0)
        #expect(model.state(atMs: 5000).positionMs == 5000)
        #expect(model.state(atMs: 4000).positionMs == 5000)
    }

    @Test("Reading it often changes nothing, and the same seed behaves the same")
    func repeats() {
        var traits = SimulatedPlayerTraits(durationMs: 3_600_000)
        traits.stallsPerHour = 120
        var often = SimulatedPlayerModel(traits, seed: 7, openedAtMs: 0)
        var seldom = often
        _ = often.play(atMs: 1000)
        _ = seldom.play(atMs: 1000)
        var changes: [Int64] = []
        var time: Int64 = 1000
        while time < 600_000 {
            if often.nextChangeMs(atMs: time) == time + 1 { changes.append(time + 1) }
            time += 1
            _ = often.state(atMs: time)
        }
        #expect(changes.count > 10)
        let (one, other) = (often.state(atMs: 600_000), seldom.state(atMs: 600_000))
        // A thousandth is lost at most by adding up in small steps.
        #expect(abs(one.positionMs - other.positionMs) <= 1)
        #expect(one.buffering == other.buffering)
        #expect(one.positionMs < 599_000 - 20_000)
        var otherSeed = SimulatedPlayerModel(traits, seed: 8, openedAtMs: 0)
        _ = otherSeed.play(atMs: 1000)
        #expect(otherSeed.state(atMs: 600_000).positionMs != other.positionMs)
    }
}
