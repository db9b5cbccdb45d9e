// OpenWatchParty for Swift. See LICENSE.

import FuzzSupport
import OWPSync

/// A step with any numbers never traps, and commands only what it may (section 11.2).
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzReconcile(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var bytes = FuzzBytes(start, count)
    let timeline = Timeline(
        phase: Phase.allCases[bytes.below(4)],
        positionMs: bytes.int(),
        atMs: bytes.int(),
        rate: bytes.double(),
        durationMs: bytes.optionalInt()
    )
    let player = PlayerReading(
        positionMs: bytes.int(),
        paused: bytes.bool(),
        buffering: bytes.bool(),
        firstFrameShown: bytes.bool(),
        durationMs: bytes.optionalInt(),
        seekAccuracyMs: bytes.int(),
        canSetRate: bytes.bool()
    )
    let input = StepInput(
        timeline: timeline,
        relayMs: bytes.int(),
        offsetMs: bytes.int(),
        player: player,
        appliedRate: bytes.double(),
        nudging: bytes.bool(),
        sinceSeekMs: bytes.optionalInt()
    )
    let result = reconcile(input)
    require(result.actions.count <= 3, "at most three commands")
    require(!result.pauses || !player.paused, "only a playing player is paused")
    require(
        !result.plays || player.paused && timeline.phase == .playing,
        "only a paused player of a playing room plays"
    )
    require(result.rate == nil || player.canSetRate, "a rate only with rate control")
    require(!result.nudging || player.canSetRate && timeline.phase == .playing, "nudges only with rate control")
    require(result.playInMs == nil || timeline.phase == .playing, "the play timer only while the room plays")
    require(result.playInMs.map { $0 > 0 } ?? true, "the play timer waits")
    if let seekMs = result.seekMs {
        require(seekMs >= 0, "no seek below 0")
        require(input.sinceSeekMs.map { $0 >= 2000 } ?? true, "no seek before the cooldown")
        if let durationMs = player.durationMs, durationMs > 0 {
            require(seekMs <= max(0, durationMs - 1000), "no seek past the end margin")
        }
    }
    _ = timeline.positionMs(atRelayMs: input.relayMs)
    _ = playerStatus(
        PlayerFacts(
            hasMedia: true,
            match: .matched,
            away: false,
            bound: true,
            seekInFlight: bytes.bool(),
            blocked: bytes.bool(),
            timeline: timeline,
            relayMs: bytes.optionalInt(),
            offsetMs: input.offsetMs,
            player: player
        )
    )
    return 0
}
