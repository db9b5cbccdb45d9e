// OpenWatchParty for Swift. See LICENSE.

import OWPSync
import Testing

@Suite("Reported player state (section 10.2)")
struct PlayerStatusTests {
    /// Facts for which the tenth rule applies: a room that runs since 1000 at 60000, and a player at 61000.
    private static let playing = PlayerFacts(
        hasMedia: true,
        match: .matched,
        away: false,
        bound: true,
        seekInFlight: false,
        blocked: false,
        timeline: Timeline(phase: .playing, positionMs: 60_000, atMs: 1000, rate: 1, durationMs: 7_200_000),
        relayMs: 2000,
        offsetMs: 0,
        player: PlayerReading(positionMs: 61_000, paused: false, durationMs: 7_200_000, canSetRate: true)
    )

    private func status(
        relayMs: Int64? = 2000,
        offsetMs: Int64 = 0,
        at positionMs: Int64 = 61_000,
        buffering: Bool = false,
        _ change: (inout PlayerFacts) -> Void = { _ in }
    ) -> PlayerState {
        var facts = Self.playing
        facts.relayMs = relayMs
        facts.offsetMs = offsetMs
        facts.player?.positionMs = positionMs
        facts.player?.buffering = buffering
        change(&facts)
        return playerStatus(facts)
    }

    /// Facts of a room that stands at 60000, with the player at a position.
    private func held(_ phase: Phase, at positionMs: Int64, _ change: (inout PlayerFacts) -> Void = { _ in })
        -> PlayerState
    {
        status {
            $0.timeline?.phase = phase
            $0.player?.positionMs = positionMs
            $0.player?.paused = true
            change(&$0)
        }
    }

    @Test("Rule 10: ready, wherever a running player is")
    func ready() {
        #expect(playerStatus(Self.playing) == .ready)
        #expect(status(at: 0) == .ready)
        #expect(status { $0.player?.paused = true } == .ready)
    }

    @Test("Rules 1 to 3: idle without media, when unavailable and while away, whatever else holds")
    func idle() {
        #expect(status { $0.hasMedia = false } == .idle)
        #expect(status { $0.match = .unavailable } == .idle)
        #expect(status { $0.away = true } == .idle)
        #expect(status { ($0.away, $0.bound, $0.player) = (true, false, nil) } == .idle)
        #expect(status { ($0.hasMedia, $0.match, $0.bound) = (false, nil, false) } == .idle)
        #expect(status(buffering: true) { $0.match = .unavailable } == .idle)
    }

    @Test("Rule 4: loading while not bound", arguments: [MatchState.searching, .matched, .mismatched])
    func unbound(_ match: MatchState) {
        #expect(status { ($0.match, $0.bound) = (match, false) } == .loading)
        #expect(status { ($0.match, $0.bound, $0.player) = (match, false, nil) } == .loading)
    }

    @Test("Rule 5: loading until the first frame, and during a seek of the party's own")
    func firstFrame() {
        #expect(status { $0.player?.firstFrameShown = false } == .loading)
        #expect(status { $0.seekInFlight = true } == .loading)
        #expect(status(buffering: true) { $0.seekInFlight = true } == .loading)
        #expect(held(.paused, at: 60_000) { $0.player?.firstFrameShown = false } == .loading)
    }

    @Test("Rule 6: loading while the room plays at an unknown time; a room that stands needs none")
    func unknownTime() {
        #expect(status(relayMs: nil) == .loading)
        #expect(held(.paused, at: 60_000) { $0.relayMs = nil } == .ready)
        #expect(held(.waiting, at: 60_000) { $0.relayMs = nil } == .ready)
        #expect(held(.paused, at: 60_501) { $0.relayMs = nil } == .loading)
    }

    @Test(
        "Rule 7: loading when a held player is more than 500 ms off, or more than its seek accuracy",
        arguments: [Phase.paused, .waiting]
    )
    func offHold(_ phase: Phase) {
        #expect(held(phase, at: 60_500) == .ready)
        #expect(held(phase, at: 60_501) == .loading)
        #expect(held(phase, at: 59_500) == .ready)
        #expect(held(phase, at: 59_499) == .loading)
        #expect(held(phase, at: 55_000) { $0.player?.seekAccuracyMs = 5000 } == .ready)
        #expect(held(phase, at: 54_999) { $0.player?.seekAccuracyMs = 5000 } == .loading)
        #expect(held(phase, at: 60_500) { $0.player?.seekAccuracyMs = 499 } == .ready)
        #expect(held(phase, at: 60_501) { $0.player?.seekAccuracyMs = -1 } == .loading)
        #expect(held(phase, at: 0) { $0.player?.seekAccuracyMs = .max } == .ready)
    }

    @Test("Rule 7 measures from the local position, clamped to 0 and to the end margin of the own file")
    func clampedHold() {
        #expect(held(.paused, at: 65_000) { $0.offsetMs = 5000 } == .ready)
        #expect(held(.paused, at: 60_000) { $0.offsetMs = 5000 } == .loading)
        #expect(held(.paused, at: 0) { $0.offsetMs = -70_000 } == .ready)
        #expect(held(.paused, at: 29_000) { $0.player?.durationMs = 30_000 } == .ready)
        #expect(held(.paused, at: 29_501) { $0.player?.durationMs = 30_000 } == .loading)
        #expect(held(.paused, at: 0) { $0.player?.durationMs = 900 } == .ready)
        #expect(held(.paused, at: 60_000) { $0.player?.durationMs = 0 } == .ready)
    }

    @Test("Rule 7 also holds before a playing room starts, and before an own file that starts later")
    func heldWhilePlaying() {
        #expect(status(relayMs: 999, at: 60_000) == .ready)
        #expect(status(relayMs: 999, at: 61_000) == .loading)
        #expect(status(relayMs: 1000, at: 0) == .ready)
        #expect(status(relayMs: 2999, offsetMs: -62_000, at: 0) == .ready)
        #expect(status(relayMs: 2999, offsetMs: -62_000, at: 501) == .loading)
        #expect(status(relayMs: 3000, offsetMs: -62_000, at: 501) == .ready)
    }

    @Test("Rule 8: loading while blocked")
    func blocked() {
        #expect(status { $0.blocked = true } == .loading)
        #expect(status(buffering: true) { $0.blocked = true } == .loading)
    }

    @Test("Rule 9: buffering only while the room runs and the player is not held, else loading")
    func buffering() {
        #expect(status(buffering: true) == .buffering)
        #expect(status(relayMs: 1000, buffering: true) == .buffering)
        #expect(status(relayMs: 999, at: 60_000, buffering: true) == .loading)
        #expect(held(.paused, at: 60_000) { $0.player?.buffering = true } == .loading)
        #expect(held(.waiting, at: 60_000) { $0.player?.buffering = true } == .loading)
        #expect(status(relayMs: 2999, offsetMs: -62_000, at: 0, buffering: true) == .loading)
        #expect(status(relayMs: 3000, offsetMs: -62_000, at: 0, buffering: true) == .buffering)
    }

    @Test("FR-22: a keyframe player that lands within its declared accuracy is ready")
    func keyframes() {
        #expect(held(.waiting, at: 56_000) { $0.player?.seekAccuracyMs = 5000 } == .ready)
        #expect(held(.waiting, at: 56_000) == .loading)
    }

    @Test("An idle room holds nobody")
    func idleRoom() {
        #expect(held(.idle, at: 500) { $0.timeline?.positionMs = 0 } == .ready)
        #expect(held(.idle, at: 501) { $0.timeline?.positionMs = 0 } == .ready)
    }
}
