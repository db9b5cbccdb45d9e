// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPParty
import OWPTestSupport
import OWPWire
import Testing

@testable import OpenWatchParty

extension SessionTests {
    @Suite("How a party ends (section 7.4)")
    @MainActor
    struct Ending {
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
            weak var weakDriver: PartyDriver<String>?
            weak var weakPlayer: FakePlayer?
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
                let player = FakePlayer(clock: clock)
                party.attachPlayer(player, ref: "x")
                _ = party.startCreate()
                await clock.advance(by: 10_000)
                #expect(party.state.connection == .connected)
                party.close()
                await clock.settle()
                (weakParty, weakDriver, weakPlayer) = (party, party.driver, player)
                weakConnection = room.connection
            }
            #expect(weakParty == nil)
            #expect(weakDriver == nil)
            #expect(weakPlayer == nil)
            room.relay.forget()
            #expect(weakConnection == nil)
            #expect(clock.timerCount == 0)
        }

        @Test("A party that nobody holds is released when it is in no room, and stays when it is in one")
        func heldByItsRoom() async throws {
            let clock = VirtualClock()
            let room = FakeRoom(clock: clock)
            weak var idle: PartyDriver<String>?
            weak var inRoom: PartyDriver<String>?
            do {
                func makeParty() throws -> WatchParty<String> {
                    let relays = try Relays.at("http://relay.test")
                    let connect = room.relay.connect
                    return try WatchParty(
                        relays: relays,
                        client: "Test/1",
                        name: "Anna",
                        connect: connect,
                        clock: clock
                    )
                }
                idle = try makeParty().driver
                let party = try makeParty()
                inRoom = party.driver
                _ = party.startCreate()
                await clock.advance(by: 1000)
            }
            #expect(idle == nil)
            await clock.advance(by: 60_000)
            #expect(inRoom?.state.connection == .connected)
            room.connection?.drop()
            await clock.settle()
            #expect(inRoom?.state.connection == .reconnecting)
            _ = inRoom?.call({ .close($0) }) { ended -> Void? in ended == .released ? () : nil }
            await clock.settle()
            #expect(inRoom == nil)
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
    struct Resuming {
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

        @Test(
            "A refused resume ends the party as lost with that error",
            arguments: ["resume_failed", "client_blocked"]
        )
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
}
