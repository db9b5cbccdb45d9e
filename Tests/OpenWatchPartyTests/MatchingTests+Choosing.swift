// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPTestSupport
import OWPWire
import Testing

@testable import OpenWatchParty

extension MatchingTests {
    @Suite("Choosing a file and searching again (sections 9.1 and 9.6)")
    @MainActor
    struct Choosing {
        /// A guest in a room with a film that the resolver has not answered yet.
        func searching() async throws -> Harness {
            let harness = try Harness(host: false)
            harness.room.media = Harness.film()
            harness.room.room.epoch = 1
            harness.room.room.phase = .waiting
            try await harness.join()
            return harness
        }

        func taken(_ call: Call<Bool>) -> Bool? { try? call.result?.get() }

        @Test("A file of matching length is matched, one of another length mismatched, and both are taken at once")
        func takes() async throws {
            let harness = try await searching()
            let close = Harness.file("close", durationMs: 7_198_500)
            #expect(taken(harness.party.startChoose(close)) == true)
            #expect(harness.party.state.choice === close)
            #expect(harness.party.state.match == Match(state: .matched, deltaMs: -1500))
            let longer = Harness.file("longer", durationMs: 7_201_501)
            #expect(taken(harness.party.startChoose(longer)) == true)
            #expect(harness.party.state.choice === longer)
            #expect(harness.party.state.match == Match(state: .mismatched, deltaMs: 1501))
            #expect(harness.party.state.mismatch == nil)
        }

        @Test("Without media, without a duration and a probe, and outside a room, choose takes nothing")
        func refuses() async throws {
            let harness = try Harness(host: false)
            #expect(taken(harness.party.startChoose(Harness.file("x"))) == false)
            try await harness.join()
            #expect(taken(harness.party.startChoose(Harness.file("x"))) == false)
            harness.room.begin(Harness.film())
            await harness.clock.settle()
            for durationMs in [nil, 0, -1, 604_800_001] as [Int64?] {
                #expect(taken(harness.party.startChoose(Harness.file("x", durationMs: durationMs))) == false)
            }
            #expect(harness.party.state.choice == nil)
            #expect(harness.party.state.match == Match(state: .searching))
        }

        @Test("A file without a duration is probed without a deadline; a bad answer takes nothing")
        func probes() async throws {
            let harness = try await searching()
            let probed = harness.resolver.probed("p", ref: "p")
            let bad = harness.party.startChoose(probed)
            await harness.clock.settle()
            harness.resolver.probes.calls[0].answer(0)
            await harness.clock.settle()
            #expect(taken(bad) == false)
            let good = harness.party.startChoose(probed)
            await harness.clock.advance(by: 200_000)
            #expect(good.result == nil)
            harness.resolver.probes.calls[1].answer(7_200_000)
            await harness.clock.settle()
            #expect(taken(good) == true)
            #expect(harness.party.state.choice === probed)
        }

        @Test("The latest choose wins: it cancels the probe before it, whose call returns false")
        func superseded() async throws {
            let harness = try await searching()
            let first = harness.party.startChoose(harness.resolver.probed("1", ref: "1"))
            await harness.clock.settle()
            let second = harness.party.startChoose(harness.resolver.probed("2", ref: "2"))
            await harness.clock.settle()
            #expect(taken(first) == false)
            #expect(harness.resolver.probes.calls[0].isCancelled)
            harness.resolver.probes.calls[1].answer(7_200_000)
            await harness.clock.settle()
            #expect(taken(second) == true)
            #expect(harness.party.state.choice?.id == "2")
        }

        @Test("A new epoch and the party's end cancel a choose", arguments: [false, true])
        func cancelled(ends: Bool) async throws {
            let harness = try await searching()
            let call = harness.party.startChoose(harness.resolver.probed("1", ref: "1"))
            await harness.clock.settle()
            if ends { harness.party.leave() } else { harness.room.begin(Harness.film("Next")) }
            await harness.clock.settle()
            #expect(taken(call) == false)
            #expect(harness.resolver.probes.calls[0].isCancelled)
            #expect(harness.party.state.choice == nil)
        }

        @Test("Cancelling the task that awaits choose cancels its probe, and choose returns false")
        func cancelledTask() async throws {
            let harness = try await searching()
            let candidate = harness.resolver.probed("1", ref: "1")
            let (started, start) = AsyncStream.makeStream(of: Void.self)
            let task = Task { @MainActor in
                start.finish()
                return await harness.party.choose(candidate)
            }
            for await _ in started {}
            await harness.clock.settle()
            #expect(harness.resolver.probes.calls.count == 1)
            task.cancel()
            #expect(await task.value == false)
            await harness.clock.settle()
            #expect(harness.resolver.probes.calls[0].isCancelled)
            #expect(harness.party.state.choice == nil)
        }

        @Test(
            "The candidate given replaces the choice also when its ID is the same, so that a refreshed ref replaces the old"
        )
        func refreshedRef() async throws {
            let harness = try await searching()
            let old = Candidate(id: "x", ref: "old", durationMs: 7_200_000)
            let new = Candidate(id: "x", ref: "new", durationMs: 7_200_000)
            _ = harness.party.startChoose(old)
            let player = FakePlayer(clock: harness.clock)
            harness.party.attachPlayer(player, ref: "old")
            await harness.clock.advance(by: 1000)
            #expect(harness.party.state.player == .ready)
            _ = player.takeCommands()
            _ = harness.party.startChoose(new)
            await harness.clock.advance(by: 1000)
            #expect(harness.party.state.choice?.ref == "new")
            #expect(harness.party.state.player == .loading)
            #expect(player.commands.isEmpty)
            harness.party.attachPlayer(player, ref: "new")
            await harness.clock.advance(by: 1000)
            #expect(harness.party.state.player == .ready)
        }

        @Test("choose works on own media too, and keeps the offset")
        func ownMedia() async throws {
            let harness = try Harness()
            try await harness.join()
            try harness.party.setMedia(Harness.film(), ref: "own")
            harness.room.begin(Harness.film(), by: "a1")
            await harness.clock.settle()
            try harness.party.setOffset(300)
            let other = Harness.file("other", durationMs: 7_300_000)
            #expect(taken(harness.party.startChoose(other)) == true)
            #expect(harness.party.state.choice === other)
            #expect(harness.party.state.match == Match(state: .mismatched, deltaMs: 100_000))
            #expect(harness.party.state.offsetMs == 300)
            harness.party.resolveAgain()
            await harness.clock.settle()
            #expect(harness.resolver.searches.calls.isEmpty)
        }

        @Test("resolveAgain without a choice is a new search; with one it replaces the list alone")
        func again() async throws {
            let harness = try await searching()
            harness.resolver.searches.calls[0].answer([])
            await harness.clock.settle()
            #expect(harness.party.state.match == Match(state: .unavailable))
            harness.party.resolveAgain()
            #expect(harness.party.state.match == Match(state: .searching))
            await harness.clock.settle()
            harness.resolver.searches.calls[1].answer([Harness.file("a")])
            await harness.clock.settle()
            #expect(harness.party.state.choice?.id == "a")

            harness.party.resolveAgain()
            await harness.clock.settle()
            let state = harness.party.state
            #expect(state.choice?.id == "a")
            harness.resolver.searches.calls[2].answer([
                harness.resolver.probed("p", ref: "p"), Harness.file("b", durationMs: 7_200_100),
            ])
            await harness.clock.settle()
            #expect(harness.party.state.choice === state.choice)
            #expect(harness.party.state.match == state.match)
            #expect(harness.party.state.candidates.map(\.candidate.id) == ["b", "p"])
            #expect(harness.party.state.candidates.map(\.deltaMs) == [100, nil])
            #expect(harness.resolver.probes.calls.isEmpty)
        }

        @Test("resolveAgain cancels a search that runs, and does nothing without media")
        func againWhileSearching() async throws {
            let harness = try await searching()
            harness.party.resolveAgain()
            await harness.clock.settle()
            #expect(harness.resolver.searches.calls.map(\.isCancelled) == [true, false])
            harness.room.begin(nil)
            await harness.clock.settle()
            harness.party.resolveAgain()
            await harness.clock.settle()
            #expect(harness.resolver.searches.calls.count == 2)
            #expect(harness.party.state.match == nil)
        }
    }
}
