// OpenWatchParty for Swift. See LICENSE.

import OWPSync
import Testing

/// A player whose seeks take their time, followed by steps for 90 s (sections 11.1 and 11.2).
private struct SlowPlayer {
    let seekTakesMs: Int64
    let seekAccuracyMs: Int64
    let canSetRate: Bool
    var seeks: [Int64] = []
    var rates: [Double] = []
    var endedNudgingAtMs: Int64?
    private var position = 90_000.0
    private var rate = 1.0
    private var nudging = false
    private var seekingUntilMs: Int64?

    init(seekTakesMs: Int64, seekAccuracyMs: Int64, canSetRate: Bool = true) {
        self.seekTakesMs = seekTakesMs
        self.seekAccuracyMs = seekAccuracyMs
        self.canSetRate = canSetRate
    }

    /// Follows a room that was at 100000 ms when this began, in ticks of 500 ms and a step at each landing.
    mutating func follow() {
        let room = Timeline(phase: .playing, positionMs: 100_000, atMs: 0, rate: 1, durationMs: 7_200_000)
        for nowMs in stride(from: Int64(0), through: 90_000, by: 1) {
            if nowMs > 0, seekingUntilMs == nil { position += rate }
            let hasLanded = seekingUntilMs == nowMs
            if hasLanded { seekingUntilMs = nil }
            guard seekingUntilMs == nil, hasLanded || nowMs % 500 == 0 else { continue }
            step(room, atMs: nowMs)
        }
    }

    private mutating func step(_ room: Timeline, atMs nowMs: Int64) {
        let result = reconcile(
            StepInput(
                timeline: room,
                relayMs: nowMs,
                offsetMs: 0,
                player: PlayerReading(
                    positionMs: Int64(position),
                    paused: false,
                    durationMs: 7_200_000,
                    seekAccuracyMs: seekAccuracyMs,
                    canSetRate: canSetRate
                ),
                appliedRate: rate,
                nudging: nudging,
                sinceSeekMs: seeks.last.map { nowMs - $0 }
            )
        )
        if nudging, !result.nudging { endedNudgingAtMs = nowMs }
        nudging = result.nudging
        if let rate = result.rate {
            self.rate = rate
            rates.append(rate)
        }
        if let seekMs = result.seekMs {
            seeks.append(nowMs)
            position = Double(seekMs)
            seekingUntilMs = nowMs + seekTakesMs
        }
    }
}

@Suite("Slow seeks (section 11.2)")
struct SlowSeekTests {
    @Test("FR-21: a player that declares its slow seeks is sought once, then nudged until it is in step")
    func declared() throws {
        var player = SlowPlayer(seekTakesMs: 3000, seekAccuracyMs: 3000)
        player.follow()
        #expect(player.seeks == [0])
        #expect(player.rates == [1.04, 1])
        let endedMs = try #require(player.endedNudgingAtMs)
        #expect((67_000...69_000).contains(endedMs))
    }

    @Test("FR-21: one that does not is sought at every landing, as the step is written")
    func undeclared() {
        var player = SlowPlayer(seekTakesMs: 3000, seekAccuracyMs: 0)
        player.follow()
        #expect(player.seeks == (0...30).map { $0 * 3000 })
        #expect(player.rates == [])
    }

    @Test("FR-21: without rate control one seek is enough when it is declared, else one comes every 2000 ms")
    func withoutRate() {
        var player = SlowPlayer(seekTakesMs: 1500, seekAccuracyMs: 1500, canSetRate: false)
        player.follow()
        #expect(player.seeks == [0])
        player = SlowPlayer(seekTakesMs: 1500, seekAccuracyMs: 0, canSetRate: false)
        player.follow()
        #expect(player.seeks == (0...45).map { $0 * 2000 })
    }
}
