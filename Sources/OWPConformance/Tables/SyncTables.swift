// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPSync

/// Runs a case of `timeline` (section 8).
func timeline(_ given: CaseInput) throws -> JSONValue {
    let timeline = try readTimeline(given)
    let nowMs = try given.int("now")
    return [
        "positionMs": number(timeline.positionMs(atRelayMs: nowMs)),
        "running": .bool(timeline.isRunning(atRelayMs: nowMs)),
    ]
}

/// Runs a case of `clock-sync` (section 5).
func clockSync(_ given: CaseInput) throws -> JSONValue {
    var clock = RelayClock(openedAtMs: 0)
    var pongs: [JSONValue] = []
    for event in try given.objects("events") {
        let localMs = try event.int("at")
        if event.has("ping") {
            clock.pingSent(id: try event.int("ping"), atLocalMs: localMs)
            continue
        }
        let serverTimeMs = try event.int("serverTime")
        let result = clock.pong(id: try event.int("pong"), serverTimeMs: serverTimeMs, atLocalMs: localMs)
        let best = clock.best.map { best -> JSONValue in
            ["offsetMs": number(best.offsetMs), "rttMs": number(best.rttMs)]
        }
        pongs.append(["result": .string(result.rawValue), "best": best ?? .null])
    }
    return ["pongs": .array(pongs)]
}

/// Runs a case of `reconcile` (sections 11 and 13).
func reconciliation(_ given: CaseInput) throws -> JSONValue {
    let player = try given.object("player")
    let reading = PlayerReading(
        positionMs: try player.int("positionMs"),
        paused: try player.bool("paused"),
        buffering: try player.bool("buffering"),
        durationMs: try player.optionalInt("durationMs"),
        // An adapter's accuracy that is no int counts as 0; Swift's type leaves no other place to say so.
        seekAccuracyMs: try player.anyNumberAsInt("seekAccuracyMs") ?? 0,
        canSetRate: try player.bool("canSetRate")
    )
    let result = reconcile(
        StepInput(
            timeline: try readTimeline(given),
            relayMs: try given.int("now"),
            offsetMs: try given.int("offsetMs"),
            player: reading,
            appliedRate: try given.double("appliedRate"),
            nudging: try given.bool("nudging"),
            sinceSeekMs: try given.optionalInt("sinceSeekMs")
        )
    )
    let actions = result.actions.map { action -> JSONValue in
        switch action {
        case .pause: "pause"
        case .setRate(let rate): ["setRate": .number(rate)]
        case .seek(let positionMs): ["seek": number(positionMs)]
        case .play: "play"
        }
    }
    return [
        "actions": .array(actions),
        "nudging": .bool(result.nudging),
        "playInMs": result.playInMs.map(number) ?? .null,
    ]
}

/// The room's timeline with the media's duration.
private func readTimeline(_ given: CaseInput) throws -> Timeline {
    let room = try given.object("room")
    return Timeline(
        phase: try room.word("phase"),
        positionMs: try room.int("positionMs"),
        atMs: try room.int("atMs"),
        rate: try room.double("rate"),
        durationMs: try given.optionalInt("durationMs")
    )
}

/// A whole number as JSON.
func number(_ value: Int64) -> JSONValue { .number(Double(value)) }
