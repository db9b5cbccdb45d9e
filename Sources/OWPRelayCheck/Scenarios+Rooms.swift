// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPWebSocket
import OWPWire

extension CheckScenario {
    static let rooms: [CheckScenario] = [
        CheckScenario("5", "a new room is idle, unlocked, controlled by its host, and its maker is host") { relay in
            let room = try CheckParty(relay, 1).sessions[0].room
            try expect((room.epoch, room.phase, room.positionMs, room.rate) == (0, .idle, 0, 1), "it is \(room)")
            try expect((room.control, room.locked, room.waitingOn) == (.host, false, []), "it is \(room)")
            try expect(room.participants.map(\.host) == [true], "there is no host")
        },
        CheckScenario("5", "a code that no room has is room_not_found") { relay in
            let client = try relay.open()
            let party = try CheckParty(relay, 1)
            let code = party.code
            try party.host.send(.end)
            _ = try party.host.next("closed") { if case .closed = $0 { true } else { nil } }
            try client.send(.join(code: code, name: "B", client: "a/1", create: false))
            try expect(try client.nextError().code == "room_not_found", "it was another code")
        },
        CheckScenario("5", "join with create makes the room again, and then enters it") { relay in
            let party = try CheckParty(relay, 1)
            let code = party.code
            try party.host.send(.leave)
            let (one, two) = (try relay.open(), try relay.open())
            try one.send(.join(code: code, name: "B", client: "a/1", create: true))
            try expect(try one.nextJoined().room.participants.map(\.host) == [true], "the first is not host")
            try two.send(.join(code: code, name: "C", client: "a/1", create: true))
            try expect(try two.nextJoined().room.participants.map(\.host) == [true, false], "the second is host")
        },
        CheckScenario("5", "numbers are not used again") { relay in
            let party = try CheckParty(relay, 2)
            try party.clients[1].send(.leave)
            _ = try party.room("the leaving") { $0.participants.count == 1 }
            let guest = try relay.open()
            try expect(try guest.join(party.code).peerId != party.sessions[1].peerId, "the peer ID came again")
        },
        CheckScenario("5", "a dropped participant is shown as such, and resumes with the same token") { relay in
            let party = try CheckParty(relay, 2)
            party.clients[1].cut()
            _ = try party.room("the drop") { $0.participants.map(\.connected) == [true, false] }
            let again = try relay.open()
            let session = party.sessions[1]
            try again.send(.resume(code: party.code, peerId: session.peerId, token: session.token))
            let joined = try again.nextJoined()
            try expect((joined.peerId, joined.token) == (session.peerId, session.token), "it is another session")
            _ = try party.room("the return") { $0.participants.map(\.connected) == [true, true] }
        },
        CheckScenario("5", "a resume with another token is resume_failed") { relay in
            let party = try CheckParty(relay, 2)
            let client = try relay.open()
            let token = String(repeating: "x", count: 43)
            try client.send(.resume(code: party.code, peerId: "p2", token: token))
            try expect(try client.nextError().code == "resume_failed", "it was another code")
            try client.send(.resume(code: party.code, peerId: "p9", token: party.sessions[1].token))
            try expect(try client.nextError().code == "resume_failed", "it was another code")
        },
        CheckScenario("5", "who left cannot resume") { relay in
            let party = try CheckParty(relay, 2)
            try party.clients[1].send(.leave)
            _ = try party.room("the leaving") { $0.participants.count == 1 }
            let session = party.sessions[1]
            try party.clients[1].send(.resume(code: party.code, peerId: session.peerId, token: session.token))
            try expect(try party.clients[1].nextError().code == "resume_failed", "it could")
        },
        CheckScenario("5", "a lock refuses joins, and not resumes") { relay in
            let party = try CheckParty(relay, 2)
            try party.host.send(.lock(true))
            _ = try party.room("the lock") { $0.locked }
            let client = try relay.open()
            try client.send(.join(code: party.code, name: "C", client: "a/1", create: false))
            try expect(try client.nextError().code == "room_locked", "it was another code")
            party.clients[1].cut()
            let again = try relay.open()
            try again.send(.resume(code: party.code, peerId: "p2", token: party.sessions[1].token))
            _ = try again.nextJoined()
        },
        CheckScenario("5", "kicked: closed, and no resume") { relay in
            let party = try CheckParty(relay, 2)
            try party.host.send(.kick(peerId: "p2"))
            let reason = try party.clients[1].next("closed") { if case .closed(let it) = $0 { it } else { nil } }
            try expect(reason == "kicked", "the reason was \(reason)")
            try party.clients[1].send(.resume(code: party.code, peerId: "p2", token: party.sessions[1].token))
            try expect(try party.clients[1].nextError().code == "resume_failed", "it could")
        },
        CheckScenario("5", "ended: closed for everyone") { relay in
            let party = try CheckParty(relay, 2)
            try party.host.send(.end)
            for client in party.clients {
                let reason = try client.next("closed") { if case .closed(let it) = $0 { it } else { nil } }
                try expect(reason == "ended", "the reason was \(reason)")
            }
        },
        CheckScenario("5", "a host that leaves is followed by who joined first, by nobody's hand") { relay in
            let party = try CheckParty(relay, 3)
            try party.host.send(.leave)
            let message = try party.clients[1].nextRoom("a new host") { $0.action?.kind == "host" }
            try expect(message.action?.by == nil, "somebody did it")
            try expect(message.room.participants.map(\.host) == [true, false], "it is another")
        },
        CheckScenario("5", "the host hands its role on") { relay in
            let party = try CheckParty(relay, 3)
            try party.host.send(.transferHost(peerId: "p3"))
            let message = try party.action("host")
            try expect(message.action?.by == "p1", "it was another's hand")
            try expect(message.room.participants.map(\.host) == [false, false, true], "it is another")
        },
        CheckScenario("5", "a host that stays disconnected for 30 s is followed") { relay in
            let party = try CheckParty(relay, 2)
            let guest = party.clients[1]
            let start = ContinuousClock.now
            party.host.cut()
            let keeper = KeepAlive(guest, relay)
            let message = try keeper.nextRoom("a new host") { $0.action?.kind == "host" }
            let tookMs = (ContinuousClock.now - start).wholeMs
            try expect(tookMs >= relay.scaled(30_000) - 100, "it came after \(tookMs) ms")
            try expect(message.room.participants.map(\.host) == [false, true], "it is another")
        },
        CheckScenario("5", "control for everyone lets guests control") { relay in
            let party = try CheckParty.waiting(relay, 2)
            try party.host.send(.setControl(.everyone))
            try party.clients[1].send(.pause(positionMs: nil))
            try expect(try party.action("pause").action?.by == "p2", "it was another's hand")
        },
    ]
}

/// Waits for a message without falling silent.
struct KeepAlive {
    private let client: BlockingClient
    private let others: [BlockingClient]
    private let relay: RelayUnderCheck

    init(_ client: BlockingClient, and others: [BlockingClient] = [], _ relay: RelayUnderCheck) {
        (self.client, self.others, self.relay) = (client, others, relay)
    }

    /// The next `room` that is as asked, with a ping now and then.
    func nextRoom(_ what: String, where isMeant: (RoomMessage) -> Bool) throws -> RoomMessage {
        let start = ContinuousClock.now
        while (ContinuousClock.now - start).wholeMs < relay.scaled(150_000) + 20_000 {
            for one in [client] + others { try one.send(.ping(id: 1)) }
            while let event = try client.event(withinMs: max(20, relay.scaled(5000))) {
                guard case .text(let text) = event, case .message(.room(let room)) = RelayMessage.read(text) else {
                    continue
                }
                if isMeant(room) { return room }
            }
        }
        throw CheckFailure("\(what) never came")
    }
}
