// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPTestSupport
import OWPWire
import Testing

@testable import OpenWatchParty

@Suite("Getting into a room (section 7)")
@MainActor
struct EntryTests {
    @Test("create opens the relay's URL, sends its message and returns the code, with the party as host")
    func create() async throws {
        let harness = try Harness(others: [])
        let call = harness.party.startCreate()
        #expect(harness.states.map(\.connection) == [.connecting])
        await harness.clock.settle()
        #expect(try call.result?.get() == "K7MQ2X")
        #expect(harness.room.relay.attempts.map(\.url) == ["ws://relay.test/v1/ws"])
        #expect(harness.room.sent.first == .create(name: "Anna", client: "Test/1.0"))
        #expect(harness.party.state.connection == .connected)
        #expect(harness.party.state.peerId == "a1")
        #expect(harness.party.state.isHost)
        #expect(harness.party.state.canControl)
        #expect(harness.party.state.room == harness.room.room)
        #expect(harness.log == ["connecting", "connected"])
    }

    @Test("join sends the normalized code, and `create` only when asked for", arguments: [false, true])
    func join(create: Bool) async throws {
        let harness = try Harness(host: false)
        let call = harness.party.startJoin(" k7m-q2x\r\n", create: create)
        await harness.clock.settle()
        #expect(throws: Never.self) { try call.result?.get() }
        let expected = ClientMessage.join(code: "K7MQ2X", name: "Anna", client: "Test/1.0", create: create)
        #expect(harness.room.sent.first == expected)
        let texts = try harness.connection.sent
        #expect(texts.contains { $0.contains("\"create\"") } == create)
        #expect(!harness.party.state.isHost)
    }

    @Test("An invalid code fails before any change and before any network use, also in a room")
    func invalidCode() async throws {
        let harness = try Harness()
        #expect(harness.party.startJoin("K7MO2X").failure == .invalidCode)
        #expect(harness.log.isEmpty)
        try await harness.join()
        #expect(harness.party.startJoin("K7M").failure == .invalidCode)
        #expect(harness.party.startJoin("K7MQ2X").failure == .alreadyInRoom)
        #expect(harness.party.startCreate().failure == .alreadyInRoom)
        #expect(harness.room.relay.attempts.count == 1)
    }

    @Test("Both calls fail with already_in_room while an attempt runs")
    func whileConnecting() async throws {
        let harness = try Harness()
        harness.room.relay.opening = { _ in .hangs }
        let first = harness.party.startCreate()
        #expect(harness.party.startCreate().failure == .alreadyInRoom)
        #expect(harness.party.startJoin("K7MQ2X").failure == .alreadyInRoom)
        await harness.clock.settle()
        #expect(first.result == nil)
    }

    @Test("A refused connection is unreachable, with the transport's error underneath, and the party is idle again")
    func refused() async throws {
        let harness = try Harness()
        harness.room.relay.opening = { _ in .fails(afterMs: 30) }
        let call = harness.party.startCreate()
        await harness.clock.advance(by: 30)
        let error = #expect(throws: PartyError.self) { try call.result?.get() }
        #expect(error?.code == .unreachable)
        #expect(error?.underlying is FakeRelay.Refused)
        #expect(harness.log == ["connecting", "idle"])
        harness.room.relay.opening = { _ in .opens(afterMs: 0) }
        try await harness.join()
    }

    @Test("A connection that does not open within 10000 ms is unreachable, and its opening is cancelled")
    func openTimeout() async throws {
        let harness = try Harness()
        harness.room.relay.opening = { _ in .hangs }
        let call = harness.party.startCreate()
        await harness.clock.advance(by: 9999)
        #expect(call.result == nil)
        await harness.clock.advance(by: 1)
        #expect(call.failure == .unreachable)
        #expect(harness.party.state.connection == .idle)
        #expect(harness.clock.timerCount == 0)
    }

    @Test("The answer has 10000 ms from the request, not from the call")
    func answerTimeout() async throws {
        let harness = try Harness()
        harness.room.letsIn = false
        harness.room.relay.opening = { _ in .opens(afterMs: 9000) }
        let call = harness.party.startCreate()
        await harness.clock.advance(by: 18_999)
        #expect(call.result == nil)
        await harness.clock.advance(by: 1)
        #expect(call.failure == .unreachable)
        #expect(try harness.connection.closedWith == 1000)
        #expect(harness.events.isEmpty)
    }

    @Test("A connection that closes before its answer is unreachable", arguments: [1000, 1008, 4000, nil])
    func closesEarly(code: Int?) async throws {
        let harness = try Harness()
        harness.room.letsIn = false
        let call = harness.party.startJoin("K7MQ2X")
        await harness.clock.settle()
        try harness.connection.drop(code: code)
        await harness.clock.settle()
        #expect(call.failure == .unreachable)
        #expect(harness.party.state.connection == .idle)
        #expect(harness.party.state.endReason == nil)
    }

    @Test("A refusal with the request's `re` fails the call with the relay's code, message and re; others are ignored")
    func refusal() async throws {
        let harness = try Harness()
        harness.room.letsIn = false
        let call = harness.party.startJoin("K7MQ2X")
        await harness.clock.settle()
        harness.room.refuse("rate_limited", re: "ping")
        harness.room.refuse("unsupported", re: nil)
        harness.room.refuse("forbidden", re: "create")
        harness.room.say(.room(RoomMessage(room: harness.room.room)))
        await harness.clock.settle()
        #expect(call.result == nil)
        harness.room.refuse("too_full_of_joy", re: "join", message: "so happy")
        await harness.clock.settle()
        let error = #expect(throws: PartyError.self) { try call.result?.get() }
        #expect(error?.code == "too_full_of_joy")
        #expect(error?.message == "so happy")
        #expect(error?.re == "join")
        #expect(try harness.connection.closedWith == 1000)
        #expect(harness.log == ["connecting", "idle"])
    }

    @Test("FR-17: joined means `joined`: no room, and a malformed answer")
    func joinedMeansJoined() async throws {
        let harness = try Harness()
        harness.room.letsIn = false
        let missing = harness.party.startJoin("K7MQ2X")
        await harness.clock.settle()
        harness.room.refuse("room_not_found", re: "join")
        await harness.clock.settle()
        #expect(missing.failure == .roomNotFound)
        #expect(!harness.states.contains { $0.connection == .connected })
        #expect(harness.party.state.peerId == nil)

        harness.room.letsIn = true
        harness.room.token.removeLast()
        let malformed = harness.party.startJoin("K7MQ2X")
        await harness.clock.settle()
        #expect(malformed.failure == .invalidMessage)
        #expect(harness.room.relay.connections.count == 2)
        #expect(harness.room.relay.connections[1].messages.last == .leave)
        #expect(harness.room.relay.connections[1].closedWith == 1000)
        #expect(!harness.states.contains { $0.connection == .connected })
        #expect(harness.events.isEmpty)
    }

    @Test(
        "leave and close cancel an attempt that has sent nothing: closed, idle, no EndedEvent",
        arguments: [false, true]
    )
    func cancelWhileOpening(closes: Bool) async throws {
        let harness = try Harness()
        harness.room.relay.opening = { _ in .hangs }
        let call = harness.party.startCreate()
        await harness.clock.settle()
        if closes { harness.party.close() } else { harness.party.leave() }
        #expect(call.failure == .cancelled)
        await harness.clock.settle()
        #expect(harness.log == ["connecting", "idle"])
        #expect(harness.clock.timerCount == 0)
        #expect(harness.room.relay.connections.isEmpty)
    }

    @Test("A cancelled attempt that has sent its request keeps the connection for the answer: `joined` gets a leave")
    func cancelAfterRequest() async throws {
        let harness = try Harness()
        harness.room.letsIn = false
        let call = harness.party.startJoin("K7MQ2X")
        await harness.clock.settle()
        harness.party.leave()
        #expect(call.failure == .cancelled)
        await harness.clock.advance(by: 9000)
        #expect(try harness.connection.isOpen)
        harness.room.say(harness.room.joined)
        await harness.clock.settle()
        #expect(harness.room.sent.last == .leave)
        #expect(try harness.connection.closedWith == 1000)
        #expect(harness.log == ["connecting", "idle"])
        #expect(harness.party.state.room == nil)
    }

    @Test(
        "A cancelled attempt's connection is closed on a refusal, or when its time has passed",
        arguments: [false, true]
    )
    func cancelThenNothing(refused: Bool) async throws {
        let harness = try Harness()
        harness.room.letsIn = false
        _ = harness.party.startCreate()
        await harness.clock.settle()
        harness.party.leave()
        if refused { harness.room.refuse("relay_full", re: "create") }
        await harness.clock.advance(by: refused ? 0 : 9999)
        #expect(try harness.connection.isOpen == !refused)
        await harness.clock.advance(by: 1)
        #expect(try harness.connection.closedWith == 1000)
        #expect(harness.room.sent.count == 1)
    }

    @Test("After a cancelled attempt another one works at once")
    func cancelThenAgain() async throws {
        let harness = try Harness()
        harness.room.letsIn = false
        _ = harness.party.startCreate()
        await harness.clock.settle()
        harness.party.leave()
        harness.room.letsIn = true
        try await harness.join()
        #expect(harness.room.relay.connections.count == 2)
    }

    @Test("Cancelling the calling task cancels the attempt and throws CancellationError", arguments: [false, true])
    func cancelledTask(creates: Bool) async throws {
        let harness = try Harness()
        harness.room.letsIn = false
        let task = Task { @MainActor in
            if creates { _ = try await harness.party.create() } else { try await harness.party.join("K7MQ2X") }
        }
        await harness.output()
        await harness.clock.settle()
        task.cancel()
        let result = await task.result
        #expect(throws: CancellationError.self) { try result.get() }
        #expect(harness.party.state.connection == .idle)
        harness.room.say(harness.room.joined)
        await harness.clock.settle()
        #expect(harness.room.sent.last == .leave)
        #expect(try harness.connection.closedWith == 1000)
        #expect(harness.events.isEmpty)
    }

    @Test("A task that was cancelled before does not start an attempt")
    func cancelledBefore() async throws {
        let harness = try Harness()
        let task = Task { @MainActor in
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try await harness.party.create()
        }
        let result = await task.result
        #expect(throws: CancellationError.self) { try result.get() }
        #expect(harness.log.isEmpty)
    }

    @Test(
        "The constructor refuses a bad name or client",
        arguments: [("", "a/1"), ("x\u{202E}", "a/1"), ("n", "a1"), ("n", "/1"), ("n", "a/")]
    )
    func badNames(name: String, client: String) throws {
        let relays = try Relays.at("http://relay.test")
        let clock = VirtualClock()
        let error = #expect(throws: PartyError.self) {
            try WatchParty<String>(
                relays: relays,
                client: client,
                name: name,
                connect: FakeRelay(clock: clock).connect,
                clock: clock
            )
        }
        #expect(error?.code == .invalidMessage)
    }
}

@Suite("How a party ends (section 7.4)")
@MainActor
struct EndTests {
    @Test("leave sends leave, closes with 1000, publishes the end with the room's fields reset, then emits it")
    func leaves() async throws {
        let harness = try Harness()
        try await harness.join()
        harness.forget()
        harness.party.leave()
        #expect(harness.log == ["ended", "EndedEvent"])
        await harness.clock.settle()
        #expect(harness.room.sent.last == .leave)
        #expect(try harness.connection.closedWith == 1000)
        #expect(harness.party.state == PartyState(connection: .ended, endReason: .left))
        let event = try #require(harness.events(EndedEvent.self).first)
        #expect(event.reason == .left)
        #expect(event.error == nil)
        #expect(harness.clock.timerCount == 0)
        harness.party.leave()
        #expect(harness.log.count == 2)
    }

    @Test(
        "A `closed` ends the party by its reason, an unknown one as ended, and the SDK closes the connection",
        arguments: [
            ("ended", EndReason.ended), ("kicked", .kicked), ("expired", .expired), ("moved_to_the_moon", .ended),
        ]
    )
    func closed(reason: String, expected: EndReason) async throws {
        let harness = try Harness()
        try await harness.join()
        harness.forget()
        harness.room.say(.closed(reason: reason))
        await harness.clock.settle()
        #expect(harness.party.state.endReason == expected)
        #expect(harness.log == ["ended", "EndedEvent"])
        #expect(try harness.connection.closedWith == 1000)
        #expect(!harness.room.sent.contains(.leave))
        #expect(harness.clock.timerCount == 0)
    }

    @Test("Status 4000 ends the party as replaced, and it is never resumed")
    func replaced() async throws {
        let harness = try Harness()
        try await harness.join()
        try harness.connection.drop(code: 4000)
        await harness.clock.advance(by: 400_000)
        #expect(harness.party.state.endReason == .replaced)
        #expect(harness.room.relay.attempts.count == 1)
        #expect(harness.events(EndedEvent.self).map(\.reason) == [.replaced])
    }

    @Test("A new epoch without valid media ends the party as lost: leave, close, invalid_message (section 8)")
    func epochWithoutMedia() async throws {
        let harness = try Harness()
        try await harness.join()
        harness.room.change { $0.epoch = 7 }
        await harness.clock.settle()
        #expect(harness.room.sent.last == .leave)
        #expect(try harness.connection.closedWith == 1000)
        let event = try #require(harness.events(EndedEvent.self).first)
        #expect(event.reason == .lost)
        #expect(event.error?.code == .invalidMessage)
    }

    @Test("An ended party may start over, and the attempt clears the reason")
    func again() async throws {
        let harness = try Harness()
        try await harness.join()
        harness.party.leave()
        harness.forget()
        try await harness.join()
        #expect(harness.states.first == PartyState(connection: .connecting))
        #expect(harness.states.map(\.connection) == [.connecting, .connected])
    }

    @Test("close ends the party, finishes its streams after EndedEvent, and is idempotent")
    func closes() async throws {
        let harness = try Harness()
        let events = harness.party.events()
        let states = harness.party.states()
        try await harness.join()
        await harness.party.close().value
        await harness.party.close().value
        harness.party.leave()
        var seen: [String] = []
        for await event in events { seen.append("\(type(of: event))") }
        #expect(seen == ["EndedEvent"])
        var last: PartyState<String>?
        for await state in states { last = state }
        #expect(last == PartyState(connection: .ended, endReason: .left))
        for await _ in harness.party.events() { Issue.record("a stream after close has an event") }
        for await _ in harness.party.states() { Issue.record("a stream after close has a state") }
        await #expect(throws: PartyClosedError.self) { _ = try await harness.party.create() }
        await #expect(throws: PartyClosedError.self) { try await harness.party.join("K7MQ2X") }
    }

    @Test("A closed party, and a player it had, are released once nothing is under way")
    func released() async throws {
        let clock = VirtualClock()
        let room = FakeRoom(clock: clock)
        weak var weakParty: WatchParty<String>?
        weak var weakConnection: FakeConnection?
        do {
            let relays = try Relays.at("http://relay.test")
            let connect = room.relay.connect
            let party = try WatchParty<String>(
                relays: relays,
                client: "Test/1",
                name: "Anna",
                connect: connect,
                clock: clock
            )
            party.attachPlayer(FakePlayer(clock: clock), ref: "x")
            _ = party.startCreate()
            await clock.advance(by: 10_000)
            #expect(party.state.connection == .connected)
            party.close()
            await clock.settle()
            weakParty = party
            weakConnection = room.connection
        }
        #expect(weakParty == nil)
        room.relay.forget()
        #expect(weakConnection == nil)
        #expect(clock.timerCount == 0)
    }

    @Test("A party that was never in a room closes without an event, and its commands go on throwing not_in_room")
    func closesIdle() async throws {
        let harness = try Harness()
        let call = harness.party.startClose()
        #expect(call.result != nil)
        #expect(harness.log.isEmpty)
        #expect(partyError { try harness.party.play() } == .notInRoom)
    }
}

@Suite("Drops and resumes (section 14)")
@MainActor
struct ResumeTests {
    @Test("FR-15: reconnecting keeps trying for the whole window, with one draw an attempt")
    func wholeWindow() async throws {
        let harness = try Harness()
        try await harness.join()
        harness.room.relay.opening = { _ in .fails(afterMs: 0) }
        let droppedAt = harness.clock.nowMs()
        try harness.connection.drop(code: 1006)
        await harness.clock.settle()
        #expect(harness.party.state.connection == .reconnecting)
        await harness.clock.advance(by: 299_999)
        let times = harness.room.relay.attempts.dropFirst().map { $0.atMs - droppedAt }
        #expect(times.count == 53)
        #expect(times.prefix(6) == [375, 1125, 2625, 5625, 11_625, 17_625])
        #expect(times.last == 299_625)
        #expect(harness.random.draws == 54)
        #expect(harness.party.state.connection == .reconnecting)
        await harness.clock.advance(by: 1)
        #expect(harness.party.state.endReason == .lost)
        #expect(harness.events(EndedEvent.self).first?.error?.code == .unreachable)
        #expect(harness.clock.timerCount == 0)
    }

    @Test("FR-15: the last attempt of the window may still succeed")
    func lastAttempt() async throws {
        let harness = try Harness()
        try await harness.join()
        harness.room.relay.opening = { _ in .fails(afterMs: 0) }
        try harness.connection.drop()
        await harness.clock.advance(by: 299_000)
        harness.room.relay.opening = { _ in .opens(afterMs: 0) }
        await harness.clock.advance(by: 1000)
        #expect(harness.party.state.connection == .connected)
        #expect(harness.room.sent.contains(.resume(code: "K7MQ2X", peerId: "a1", token: harness.room.token)))
        await harness.clock.advance(by: 600_000)
        #expect(harness.party.state.connection == .connected)
    }

    @Test("Commands throw not_in_room while reconnecting, and leave ends the party without sending")
    func whileReconnecting() async throws {
        let harness = try Harness()
        try await harness.join()
        harness.room.relay.opening = { _ in .hangs }
        try harness.connection.drop()
        await harness.clock.settle()
        let sent = harness.room.sent
        #expect(partyError { try harness.party.lock(true) } == .notInRoom)
        #expect(partyError { try harness.party.play() } == .notInRoom)
        #expect(harness.party.startCreate().failure == .alreadyInRoom)
        harness.party.leave()
        await harness.clock.advance(by: 20_000)
        #expect(harness.party.state.endReason == .left)
        #expect(harness.room.sent == sent)
        #expect(harness.clock.timerCount == 0)
    }

    @Test("A refused resume ends the party as lost with that error", arguments: ["resume_failed", "client_blocked"])
    func refusedForGood(code: String) async throws {
        let harness = try Harness()
        try await harness.join()
        harness.room.letsIn = false
        try harness.connection.drop()
        await harness.clock.advance(by: 400)
        harness.room.refuse(code, re: "resume")
        await harness.clock.settle()
        let event = try #require(harness.events(EndedEvent.self).first)
        #expect(event.reason == .lost)
        #expect(event.error?.code.rawValue == code)
        #expect(harness.events(ErrorEvent.self).isEmpty)
    }

    @Test("15000 ms without a message are a drop: the connection is closed with 1000 and resumed")
    func silence() async throws {
        let harness = try Harness()
        try await harness.join()
        await harness.clock.advance(by: 60_000)
        #expect(harness.room.relay.connections.count == 1)
        harness.room.answersPings = false
        let last = try harness.connection
        await harness.clock.advance(by: 14_999)
        #expect(last.isOpen)
        harness.room.answersPings = true
        await harness.clock.advance(by: 1000)
        #expect(last.closedWith == 1000)
        #expect(harness.party.state.connection == .connected)
        #expect(harness.room.relay.connections.count == 2)
    }

    @Test("FR-12: a resumed drop is no departure, and the events of what changed meanwhile come in order")
    func noDeparture() async throws {
        let harness = try Harness(others: ["b1", "c1"])
        try await harness.join()
        harness.room.change { $0.participants[1].connected = false }
        harness.room.change { $0.participants[1].connected = true }
        await harness.clock.settle()
        #expect(harness.events.isEmpty)

        try harness.connection.drop()
        await harness.clock.settle()
        let gone = harness.room.room.participants[2]
        harness.room.room.rev += 1
        harness.room.room.participants[2] = FakeRoom.participant("d1")
        harness.forget()
        await harness.clock.advance(by: 1000)
        #expect(harness.log == ["connected", "ParticipantJoinedEvent", "ParticipantLeftEvent"])
        #expect(harness.events(ParticipantJoinedEvent.self).map(\.participant.peerId) == ["d1"])
        #expect(harness.events(ParticipantLeftEvent.self).map(\.participant) == [gone])
    }
}
