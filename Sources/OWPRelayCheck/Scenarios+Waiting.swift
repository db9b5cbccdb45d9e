// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPWire

extension CheckScenario {
    static let waiting: [CheckScenario] = [
        CheckScenario("6.2", "who is idle is not waited for") { relay in
            let party = try CheckParty.waiting(relay, 2)
            try party.status(1, .idle)
            try party.status(0, .ready)
            _ = try party.room("playing") { $0.phase == .playing }
        },
        CheckScenario("6.2", "who drops is not waited for") { relay in
            let party = try CheckParty.waiting(relay, 2)
            try party.status(0, .ready)
            party.clients[1].cut()
            _ = try party.room("playing") { $0.phase == .playing }
        },
        CheckScenario("6.5", "when everyone is idle, a waiting room pauses") { relay in
            let party = try CheckParty.waiting(relay, 2)
            try party.everyone(.idle)
            _ = try party.room("paused") { $0.phase == .paused }
        },
        CheckScenario("6.3", "after a seek, silence of those who are ready settles") { relay in
            let party = try CheckParty.running(relay, 2)
            let start = ContinuousClock.now
            try party.host.send(.seek(positionMs: 90_000))
            _ = try party.room("playing again") { $0.phase == .playing && $0.positionMs == 90_000 }
            let tookMs = (ContinuousClock.now - start).wholeMs
            try expect(tookMs >= relay.scaled(700), "it came after \(tookMs) ms")
        },
        CheckScenario("6.3", "after a seek, a ready that can know of it settles") { relay in
            let party = try CheckParty.running(relay, 2)
            try party.status(1, .ready, rttMs: 0)
            try party.host.send(.seek(positionMs: 90_000))
            _ = try party.action("seek")
            try party.status(0, .ready)
            try party.status(1, .ready, rttMs: 0)
            _ = try party.room("playing again") { $0.phase == .playing }
        },
        CheckScenario("6.3", "after a seek, who loads holds the room") { relay in
            let party = try CheckParty.running(relay, 2)
            try party.host.send(.seek(positionMs: 90_000))
            try party.status(1, .loading)
            _ = try party.room("waiting for p2 alone") { $0.phase == .waiting && $0.waitingOn == ["p2"] }
            try party.status(1, .ready)
            _ = try party.room("playing again") { $0.phase == .playing }
        },
        CheckScenario("6.4", "who joins a playing room never stops it") { relay in
            let party = try CheckParty.running(relay, 2)
            try party.join()
            try party.status(2, .buffering)
            _ = try party.room("the buffering") { $0.participants.last?.player == .buffering }
            try party.expectQuiet(forMs: relay.scaled(3000) + 200, "nothing should come")
        },
        CheckScenario("6.4", "who stalled is late: its next stall stops nobody") { relay in
            let party = try CheckParty.running(relay, 2)
            try party.status(1, .buffering)
            _ = try party.action("stall")
            try party.status(1, .ready)
            let room = try party.room("playing again") { $0.phase == .playing }
            try party.waitUntil(room.atMs)
            try party.status(1, .buffering)
            _ = try party.room("the buffering") { $0.participants[1].player == .buffering }
            try party.expectQuiet(forMs: relay.scaled(3000) + 200, "nothing should come")
        },
        CheckScenario("6.4", "a play from paused makes everyone count again") { relay in
            let party = try CheckParty.running(relay, 1)
            try party.join()
            try party.host.send(.pause(positionMs: nil))
            try party.host.send(.play)
            let room = try party.action("play").room
            try expect((room.phase, room.waitingOn) == (.waiting, ["p2"]), "it is \(room)")
        },
        CheckScenario("6.5", "after a start, a room waits at most 30 s, and goes on without who holds it") { relay in
            let party = try CheckParty.running(relay, 2)
            try party.status(1, .buffering)
            let waiting = try party.action("stall").room
            let keeper = KeepAlive(party.host, and: [party.clients[1]], relay)
            let room = try keeper.nextRoom("playing again") { $0.room.phase == .playing }
            // By the relay's own clock: a start is announced 300 ms ahead.
            let tookMs = room.room.atMs - 300 - waiting.atMs
            try expect(tookMs >= relay.scaled(30_000), "it came after \(tookMs) ms")
            try expect(room.room.participants[1].player == .buffering, "p2 had come")
        },
        CheckScenario("6.6", "a room that nobody is connected to for 15 s pauses") { relay in
            let party = try CheckParty.running(relay, 1)
            party.host.cut()
            _ = try relay.open().event(withinMs: relay.scaled(16_000) + 200)
            let again = try relay.open()
            try again.send(.resume(code: party.code, peerId: "p1", token: party.sessions[0].token))
            let room = try again.nextJoined().room
            try expect(room.phase == .paused, "it is \(room.phase)")
            try expect(room.positionMs >= relay.scaled(15_000) - 100, "it stands at \(room.positionMs)")
        },
    ]

    static let broadcasts: [CheckScenario] = [
        CheckScenario("7", "rev grows with every broadcast") { relay in
            let party = try CheckParty(relay, 1)
            var last = party.sessions[0].room.rev
            for locked in [true, false, true] {
                try party.host.send(.lock(locked))
                let rev = try party.host.nextRoom().room.rev
                try expect(rev > last, "it went from \(last) to \(rev)")
                last = rev
            }
        },
        CheckScenario("7", "a heartbeat sends nothing") { relay in
            let party = try CheckParty.paused(relay, 2)
            try party.status(1, .ready)
            try party.status(1, .ready, rttMs: 90)
            try party.expectQuiet(forMs: 500, "nothing should come")
        },
        CheckScenario("7", "changes by status come together, without an action") { relay in
            let party = try CheckParty.paused(relay, 3)
            try party.status(1, .loading)
            try party.status(2, .loading)
            let message = try party.host.nextRoom("both") {
                $0.room.participants.dropFirst().allSatisfy { $0.player == .loading }
            }
            try expect(message.action == nil, "it has an action")
        },
        CheckScenario("7", "a status of another epoch is ignored") { relay in
            let party = try CheckParty.waiting(relay, 2)
            let old = StatusMessage(epoch: 0, player: .ready, match: nil, offsetMs: 5)
            try party.clients[1].send(.status(old))
            try party.expectQuiet(forMs: 500, "nothing should come")
        },
        CheckScenario("7", "match and offset are shown to the others") { relay in
            let party = try CheckParty.waiting(relay, 2)
            let match = Match(state: .mismatched, deltaMs: -900)
            let status = StatusMessage(epoch: 1, player: .loading, match: match, offsetMs: -900)
            try party.clients[1].send(.status(status))
            let room = try party.room("the match") { $0.participants[1].match != nil }
            try expect(room.participants[1].match == match, "it is another")
            try expect(room.participants[1].offsetMs == -900, "the offset is another")
        },
    ]
}
