// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPTestSupport
import OWPWire
import Testing

@testable import OpenWatchParty

extension SessionTests {
    @Suite("Events and state (sections 15 and 16.6)")
    @MainActor
    struct Events {
        @Test("FR-03: the waiting room says who it waits for")
        func waitsFor() async throws {
            let harness = try Harness()
            _ = try await harness.watch(phase: .playing, positionMs: 1000)
            harness.room.change("stall", by: "b1") {
                $0.phase = .waiting
                $0.waitingOn = ["b1"]
            }
            await harness.clock.settle()
            let event = try #require(harness.events(ActionEvent.self).first)
            #expect(event.kind == "stall")
            #expect(event.byPeerId == "b1")
            #expect(event.by?.name == "B1")
            #expect(!event.byMe)
            #expect(event.room == harness.room.room)
            #expect(harness.party.state.room?.waitingOn == ["b1"])
            harness.room.play(fromMs: 1000)
            await harness.clock.settle()
            #expect(harness.party.state.room?.waitingOn == [])
            #expect(harness.events(ActionEvent.self).count == 1)
        }

        @Test("FR-10: the control mode is the room's")
        func control() async throws {
            let harness = try Harness(host: false)
            let player = try await harness.watch(phase: .paused, positionMs: 0)
            await harness.clock.advance(by: 1000)
            _ = player.takeCommands()
            harness.room.change { $0.control = .everyone }
            await harness.clock.settle()
            #expect(harness.party.state.canControl)
            try harness.party.play()
            harness.room.change { $0.control = .host }
            await harness.clock.settle()
            #expect(!harness.party.state.canControl)
            #expect(partyError { try harness.party.play() } == .forbidden)
            #expect(harness.room.sent.filter { $0 == .play }.count == 1)
            harness.room.change {
                $0.control = .everyone
                $0.participants.removeFirst()
            }
            await harness.clock.settle()
            #expect(!harness.party.state.canControl)
            #expect(harness.party.state.me == nil)
            #expect(player.commands.isEmpty)
        }

        @Test("FR-11: a snapshot without exactly one host is dropped", arguments: [0, 2])
        func hosts(count: Int) async throws {
            let harness = try Harness(host: false)
            try await harness.join()
            let rev = harness.party.state.room?.rev
            harness.room.change("host", by: "b1") { room in
                for index in room.participants.indices { room.participants[index].host = index < count }
            }
            await harness.clock.settle()
            #expect(harness.party.state.room?.rev == rev)
            #expect(harness.events.isEmpty)
        }

        @Test("FR-13: a refused command is only an error event, and its local effect is undone")
        func refusedCommand() async throws {
            let harness = try Harness(host: false)
            harness.room.room.control = .everyone
            let player = try await harness.watch(phase: .playing, positionMs: 100_000)
            _ = player.takeCommands()
            let startMs = harness.clock.nowMs()
            try harness.party.seek(to: 500_000)
            await harness.clock.advance(by: 80)
            harness.room.refuse("forbidden", re: "seek", message: "not yours")
            await harness.clock.settle()
            let event = try #require(harness.events(ErrorEvent.self).first)
            #expect(event.error.code == .forbidden)
            #expect(event.error.re == "seek")
            #expect(event.error.message == "not yours")
            #expect(harness.party.state.connection == .connected)
            #expect(player.commands == [.seek(500_000)])
            await harness.clock.advance(by: startMs + 1999 - harness.clock.nowMs())
            #expect(player.commands.filter { $0 != .setRate(1) } == [.seek(500_000)])
            await harness.clock.advance(by: 1)
            #expect(player.commands.last == .seek(102_250))
            #expect(try harness.connection.isOpen)
        }

        @Test("FR-14: every subscriber gets everything, in order")
        func everySubscriber() async throws {
            let harness = try Harness()
            let first = harness.party.events()
            let second = harness.party.events()
            let states = harness.party.states()
            try await harness.join()
            for _ in 0..<500 { harness.room.change("play", by: "b1") }
            await harness.clock.settle()
            let third = harness.party.events()
            for _ in 0..<500 { harness.room.change("play", by: "b1") }
            await harness.clock.settle()
            harness.party.close()

            let full = (2...1001).map { "ActionEvent \($0)" } + ["EndedEvent"]
            #expect(await words(first) == full)
            #expect(await words(second) == full)
            #expect(await words(third) == Array(full.dropFirst(500)))
            #expect(await words(harness.party.events()) == [])
            var seen: [PartyState<String>] = []
            for await state in states { seen.append(state) }
            #expect(seen == harness.states)
            #expect(seen.compactMap { $0.room?.rev } == Array(1...1001))
            #expect(zip(seen, seen.dropFirst()).allSatisfy { $0 != $1 })
        }

        private func words(_ stream: AsyncStream<any PartyEvent>) async -> [String] {
            var words: [String] = []
            for await event in stream {
                switch event {
                case let action as ActionEvent: words.append("ActionEvent \(action.room.rev)")
                default: words.append("\(type(of: event))")
                }
            }
            return words
        }

        @Test("Equal states are not published again: ticks, heartbeats and pongs publish nothing")
        func quiet() async throws {
            let harness = try Harness()
            _ = try await harness.watch(phase: .playing, positionMs: 1000)
            await harness.clock.advance(by: 5000)
            harness.forget()
            await harness.clock.advance(by: 60_000)
            #expect(harness.log.isEmpty)
        }

        @Test("An action of nobody, and one of someone who is gone, carry no entry")
        func actionBy() async throws {
            let harness = try Harness()
            try await harness.join()
            harness.room.change("ended")
            harness.room.change("host", by: "zz")
            harness.room.change("play", by: "a1")
            await harness.clock.settle()
            let events = harness.events(ActionEvent.self)
            #expect(events.map(\.byPeerId) == [nil, "zz", "a1"])
            #expect(events.map { $0.by?.peerId } == [nil, nil, "a1"])
            #expect(events.map(\.byMe) == [false, false, true])
        }
    }
}
