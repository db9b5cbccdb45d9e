// OpenWatchParty for Swift. See LICENSE.

import OWPSync

// Measures relay time once, and brings a player in step.
var clock = RelayClock(openedAtMs: 0)
let pings = clock.pingsDue(atLocalMs: 0)
let result = clock.pong(id: 1, serverTimeMs: 1_733_000_000_020, atLocalMs: 40)
let timeline = Timeline(phase: .playing, positionMs: 0, atMs: 1_733_000_000_000, rate: 1, durationMs: 7_200_000)
let input = StepInput(
    timeline: timeline,
    relayMs: clock.relayMs(atLocalMs: 5000) ?? 0,
    offsetMs: 0,
    player: PlayerReading(positionMs: 0, paused: true, canSetRate: true),
    appliedRate: 1,
    nudging: false,
    sinceSeekMs: nil
)
print(pings, result, reconcile(input).actions, backoffDelayMs(attempt: 1, u: 0.5))
