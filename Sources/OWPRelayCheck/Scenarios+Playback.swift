// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPWire

extension CheckScenario {
    static let playback: [CheckScenario] = [
        CheckScenario("6.6", "new media waits for everyone, at its position") { relay in
            let party = try CheckParty(relay, 2)
            try party.host.send(.setMedia(media: CheckParty.media, positionMs: 5000))
            let room = try party.action("media").room
            try expect((room.epoch, room.phase, room.positionMs) == (1, .waiting, 5000), "it is \(room)")
            try expect(room.participants.map(\.player) == [.loading, .loading], "players are \(room.participants)")
            try expect(room.waitingOn == ["p1", "p2"], "it waits for \(room.waitingOn)")
        },
        CheckScenario("6.5", "it plays by itself once everyone is ready, 300 ms later") { relay in
            let party = try CheckParty.waiting(relay, 2)
            let beforeMs = try party.relayMs()
            try party.everyone(.ready)
            let room = try party.room("playing") { $0.phase == .playing }
            let afterMs = try party.relayMs()
            try expect((beforeMs + 300...afterMs + 300).contains(room.atMs), "the lead is another")
        },
        CheckScenario("6.5", "the lead grows with the largest round trip") { relay in
            let party = try CheckParty.waiting(relay, 2)
            let beforeMs = try party.relayMs()
            try party.status(0, .ready, rttMs: 400)
            try party.status(1, .ready, rttMs: 10)
            let room = try party.room("playing") { $0.phase == .playing }
            let afterMs = try party.relayMs()
            try expect((beforeMs + 750...afterMs + 750).contains(room.atMs), "the lead is another")
        },
        CheckScenario("6.5", "a round trip counts as 1000 at most") { relay in
            let party = try CheckParty.waiting(relay, 2)
            let beforeMs = try party.relayMs()
            try party.status(0, .ready, rttMs: 90_000)
            try party.status(1, .ready)
            let room = try party.room("playing") { $0.phase == .playing }
            let afterMs = try party.relayMs()
            try expect((beforeMs + 1650...afterMs + 1650).contains(room.atMs), "the lead is another")
        },
        CheckScenario("6.5", "alone, the lead is half the round trip") { relay in
            let party = try CheckParty.waiting(relay, 1)
            let beforeMs = try party.relayMs()
            try party.status(0, .ready, rttMs: 200)
            let room = try party.room("playing") { $0.phase == .playing }
            let afterMs = try party.relayMs()
            try expect((beforeMs + 100...afterMs + 100).contains(room.atMs), "the lead is another")
        },
        CheckScenario("6.6", "play starts a paused room where it stands") { relay in
            let party = try CheckParty.paused(relay, 2)
            try party.host.send(.play)
            let message = try party.action("play")
            try expect((message.room.phase, message.room.positionMs) == (.playing, 60_000), "it is \(message.room)")
        },
        CheckScenario("6.6", "play in a room that wants to play already is nothing but its action") { relay in
            let party = try CheckParty.waiting(relay, 2)
            try party.host.send(.play)
            let room = try party.action("play").room
            try expect((room.phase, room.positionMs) == (.waiting, 0), "it is \(room)")
        },
        CheckScenario("6.6", "play at the end begins at 0") { relay in
            let party = try CheckParty.paused(relay, 1, at: 600_000)
            try party.host.send(.play)
            try expect(try party.action("play").room.positionMs == 0, "it begins elsewhere")
        },
        pause("without a position, where the room is", nil) { $0 },
        pause("within 2000 ms, at the position given", 1500) { $0 + 1500 },
        pause("farther away, where the room is", 5000) { $0 },
        CheckScenario("6.6", "a seek of a paused room stays paused") { relay in
            let party = try CheckParty.paused(relay, 2)
            try party.host.send(.seek(positionMs: 7000))
            let room = try party.action("seek").room
            try expect((room.phase, room.positionMs) == (.paused, 7000), "it is \(room)")
        },
        CheckScenario("6.6", "a seek of a playing room waits for everyone") { relay in
            let party = try CheckParty.running(relay, 2)
            try party.host.send(.seek(positionMs: 7000))
            let room = try party.action("seek").room
            try expect((room.phase, room.positionMs) == (.waiting, 7000), "it is \(room)")
            try expect(room.waitingOn == ["p1", "p2"], "it waits for \(room.waitingOn)")
        },
        CheckScenario("3", "positions are moved into the media") { relay in
            let party = try CheckParty.paused(relay, 1)
            try party.host.send(.seek(positionMs: 9_000_000))
            try expect(try party.action("seek").room.positionMs == 600_000, "it went beyond the end")
            try party.host.send(.seek(positionMs: -5))
            try expect(try party.action("seek").room.positionMs == 0, "it went before the beginning")
        },
        CheckScenario("6.6", "a rate takes the position along") { relay in
            let party = try CheckParty.running(relay, 2, at: 10_000)
            try party.host.send(.rate(1.5))
            let room = try party.action("rate").room
            try expect((room.phase, room.rate) == (.playing, 1.5), "it is \(room)")
            try expect((10_000...30_000).contains(room.positionMs), "the position is \(room.positionMs)")
        },
        CheckScenario("6.6", "the rate stays with new media") { relay in
            let party = try CheckParty.waiting(relay, 1)
            try party.host.send(.rate(2))
            try party.setMedia()
            try party.host.send(.play)
            try expect(try party.action("play").room.rate == 2, "it went")
        },
        CheckScenario("6.6", "the end of the media pauses the room there") { relay in
            let party = try CheckParty.waiting(relay, 2, at: 599_500)
            try party.everyone(.ready)
            let message = try party.action("ended")
            try expect((message.room.phase, message.room.positionMs) == (.paused, 600_000), "it is \(message.room)")
            try expect(message.action?.by == nil, "somebody did it")
        },
        CheckScenario("6.6", "clearing the media is a new epoch, idle at 0") { relay in
            let party = try CheckParty.running(relay, 2)
            try party.host.send(.clearMedia)
            let room = try party.action("media").room
            try expect((room.epoch, room.phase, room.positionMs) == (2, .idle, 0), "it is \(room)")
            try expect(room.participants.map(\.player) == [.idle, .idle], "players are \(room.participants)")
        },
        CheckScenario("6.6", "one who buffers for 800 ms stops the room") { relay in
            let party = try CheckParty.running(relay, 2)
            let start = ContinuousClock.now
            try party.status(1, .buffering)
            let message = try party.action("stall")
            let tookMs = (ContinuousClock.now - start).wholeMs
            try expect(tookMs >= relay.scaled(800) - 50, "it came after \(tookMs) ms")
            try expect((message.action?.by, message.room.waitingOn) == ("p2", ["p2"]), "it is \(message)")
        },
        CheckScenario("6.6", "loading never stops a room that runs") { relay in
            let party = try CheckParty.running(relay, 2)
            try party.status(1, .loading)
            let room = try party.room("the loading") { $0.participants[1].player == .loading }
            try expect(room.phase == .playing, "it is \(room.phase)")
            try party.expectQuiet(forMs: relay.scaled(3000), "nothing should come")
        },
    ]

    private static func pause(
        _ rule: String,
        _ offsetMs: Int64?,
        _ expected: @escaping @Sendable (Int64) -> Int64
    ) -> CheckScenario {
        CheckScenario("6.6", "pause: \(rule)") { relay in
            let party = try CheckParty.waiting(relay, 2, at: 50_000)
            try party.host.send(.pause(positionMs: offsetMs.map { 50_000 + $0 }))
            let room = try party.action("pause").room
            try expect((room.phase, room.positionMs) == (.paused, expected(50_000)), "it is \(room)")
        }
    }
}
