// OpenWatchParty for Swift. See LICENSE.

import OWPSync
import Testing

@Suite("The step, beyond its table (section 11.2)")
struct ReconcilerTests {
    private static let numbers: [Int64] = [
        .min, .min + 1, -9_007_199_254_740_993, -1, 0, 1, 1500, 604_800_000, .max - 1, .max,
    ]
    private static let rates: [Double] = [.nan, -.infinity, -1, 0, .leastNonzeroMagnitude, 0.5, 1, 2, 1e308, .infinity]

    private func player(at positionMs: Int64, paused: Bool = false) -> PlayerReading {
        PlayerReading(positionMs: positionMs, paused: paused, durationMs: 7_200_000, canSetRate: true)
    }

    private func step(_ timeline: Timeline, relayMs: Int64, _ player: PlayerReading, sinceSeekMs: Int64? = nil)
        -> StepResult
    {
        reconcile(
            StepInput(
                timeline: timeline,
                relayMs: relayMs,
                offsetMs: 0,
                player: player,
                appliedRate: 1,
                nudging: false,
                sinceSeekMs: sinceSeekMs
            )
        )
    }

    private func playing(at positionMs: Int64, since atMs: Int64) -> Timeline {
        Timeline(phase: .playing, positionMs: positionMs, atMs: atMs, rate: 1, durationMs: 7_200_000)
    }

    @Test("FR-06: a late joiner is sought ahead by the lead, then started")
    func lateJoin() {
        let result = step(playing(at: 600_000, since: 0), relayMs: 30_000, player(at: 0, paused: true))
        #expect(result.actions == [.seek(630_250), .play])
    }

    @Test("FR-13: a refused seek is undone by the first step past the cooldown")
    func refusedSeek() {
        let room = playing(at: 100_000, since: 0)
        #expect(step(room, relayMs: 1999, player(at: 501_999), sinceSeekMs: 1999).actions == [])
        #expect(step(room, relayMs: 2000, player(at: 502_000), sinceSeekMs: 2000).actions == [.seek(102_250)])
    }

    @Test("FR-24: a seek made in the player itself is undone")
    func foreignSeek() {
        #expect(step(playing(at: 60_000, since: 0), relayMs: 500, player(at: 145_500)).actions == [.seek(60_750)])
    }

    @Test("FR-26: a player that missed its pause is paused at every step, and sought once per cooldown")
    func lostPause() {
        let room = Timeline(phase: .paused, positionMs: 300_000, atMs: 0, rate: 1, durationMs: 7_200_000)
        #expect(step(room, relayMs: 0, player(at: 302_000)).actions == [.pause, .seek(300_000)])
        #expect(step(room, relayMs: 500, player(at: 300_500), sinceSeekMs: 500).actions == [.pause])
    }

    @Test("FR-29: a player without cache is left alone, and sought ahead after a long stall")
    func stall() {
        var stalled = player(at: 100_000)
        stalled.buffering = true
        #expect(step(playing(at: 100_000, since: 0), relayMs: 3000, stalled).actions == [])
        #expect(step(playing(at: 100_000, since: 0), relayMs: 3000, player(at: 100_000)).actions == [.seek(103_250)])
        #expect(step(playing(at: 100_000, since: 0), relayMs: 300, player(at: 100_000)).actions == [])
    }

    @Test("Actions come in the order pause, rate, seek, play")
    func order() {
        var result = step(playing(at: 0, since: 0), relayMs: 0, player(at: 0))
        (result.plays, result.seekMs, result.rate, result.pauses) = (true, 7, 1.5, true)
        #expect(result.actions == [.pause, .setRate(1.5), .seek(7), .play])
    }

    @Test("Numbers that no room or player has never trap", arguments: [Phase.paused, .waiting, .playing, .idle])
    func extremes(_ phase: Phase) {
        var steps = 0
        for a in Self.numbers {
            for b in Self.numbers {
                for rate in Self.rates {
                    let timeline = Timeline(
                        phase: phase,
                        positionMs: a,
                        atMs: b,
                        rate: rate,
                        durationMs: steps % 3 == 0 ? b : nil
                    )
                    for c in Self.numbers {
                        let reading = PlayerReading(
                            positionMs: c,
                            paused: steps % 2 == 0,
                            durationMs: steps % 5 == 0 ? a : nil,
                            seekAccuracyMs: b,
                            canSetRate: steps % 7 != 0
                        )
                        let result = reconcile(
                            StepInput(
                                timeline: timeline,
                                relayMs: c,
                                offsetMs: b,
                                player: reading,
                                appliedRate: rate,
                                nudging: steps % 11 == 0,
                                sinceSeekMs: steps % 13 == 0 ? a : nil
                            )
                        )
                        steps += result.actions.count <= 3 ? 1 : 0
                    }
                }
            }
        }
        #expect(steps == Self.numbers.count * Self.numbers.count * Self.numbers.count * Self.rates.count)
    }
}

@Suite("The timeline, beyond its table (section 8)")
struct TimelineTests {
    @Test("A snapshot's timeline has its parts and the duration of its media")
    func snapshot() {
        let room = Room(
            rev: 1,
            code: "K7MQ2X",
            epoch: 0,
            phase: .playing,
            positionMs: 5,
            atMs: 6,
            rate: 1.5,
            control: .host,
            locked: false,
            waitingOn: [],
            participants: []
        )
        #expect(
            Timeline(room: room, durationMs: 7)
                == Timeline(phase: .playing, positionMs: 5, atMs: 6, rate: 1.5, durationMs: 7)
        )
    }

    @Test("Without a duration a playing room has no end")
    func endless() {
        let timeline = Timeline(phase: .playing, positionMs: 5, atMs: 0, rate: 2, durationMs: nil)
        #expect(timeline.positionMs(atRelayMs: 1_000_000_000) == 2_000_000_005)
    }

    @Test("A position beyond every integer stops at the ends of the range")
    func extremes() {
        let far = Timeline(phase: .playing, positionMs: .max, atMs: .min, rate: 2, durationMs: nil)
        #expect(far.positionMs(atRelayMs: .max) == .max)
        let back = Timeline(phase: .playing, positionMs: .min, atMs: .min, rate: -2, durationMs: 5)
        #expect(back.positionMs(atRelayMs: .max) == .min)
        let none = Timeline(phase: .playing, positionMs: 5, atMs: 0, rate: .nan, durationMs: 7)
        #expect(none.positionMs(atRelayMs: 1) == 0)
    }
}
