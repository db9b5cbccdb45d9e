// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPTestSupport
import OWPWire
import Testing

@testable import OpenWatchParty

/// The party's session, in virtual time.
///
/// One test at a time: all of them run on the main actor, where the scenarios of `IntegrationTests` run in real time.
@Suite("SessionTests", .serialized)
@MainActor
struct SessionTests {}

extension SessionTests {
    @Suite("Getting into a room (section 7)")
    @MainActor
    struct Entering {
        @Test("create opens the relay's URL, sends its message and returns the code, with the party as host")
        func create() async throws {
            let harness = try Harness(others: [])
            let call = harness.party.startCreate()
            #expect(harness.states.map(\.connection) == [.connecting])
            await harness.clock.settle()
            #expect(try call.result?.get() == "K7MQ2X")
            #expect(harness.room.relay.attempts.map(\.url) == publicRelays.map(\.url))
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

        @Test(
            "A refusal with the request's `re` fails the call with the relay's code, message and re; others are ignored"
        )
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
            let harness = try Harness(relays: .at("http://relay.test"))
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

        @Test(
            "A cancelled attempt that has sent its request keeps the connection for the answer: `joined` gets a leave"
        )
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
}
