// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPTestSupport
import OWPWire
import Testing

@testable import OpenWatchParty

/// The party's matching, in virtual time.
@Suite("MatchingTests", .serialized)
@MainActor
struct MatchingTests {}

extension MatchingTests {
    @Suite("Matching through the resolver (section 9)")
    @MainActor
    struct Searching {
        @Test("The resolver is called once with the room's media, and its answer fills candidates and choice")
        func found() async throws {
            let harness = try Harness(host: false)
            harness.room.media = Harness.film()
            harness.room.room.epoch = 1
            harness.room.room.phase = .waiting
            try await harness.join()
            #expect(harness.resolver.searches.calls.map(\.request) == [Harness.film()])
            #expect(harness.party.state.match == Match(state: .searching))
            #expect(harness.party.state.candidates.isEmpty)
            let close = Harness.file("close", durationMs: 7_200_900)
            let far = Harness.file("far", durationMs: 7_100_000)
            harness.resolver.searches.calls[0].answer([far, close])
            await harness.clock.settle()
            #expect(harness.party.state.choice === close)
            #expect(harness.party.state.match == Match(state: .matched, deltaMs: 900))
            #expect(
                harness.party.state.candidates == [
                    Ranked(candidate: close, deltaMs: 900), Ranked(candidate: far, deltaMs: -100_000),
                ]
            )
            await harness.clock.advance(by: 250)
            #expect(harness.room.statuses.last?.match == Match(state: .matched, deltaMs: 900))
        }

        @Test("Without a resolver others' media is unavailable from the epoch's first status on")
        func noResolver() async throws {
            let harness = try Harness(host: false, searches: false)
            try await harness.join()
            let before = harness.room.statuses.count
            harness.room.begin(Harness.film(), by: "b1")
            await harness.clock.settle()
            let first = harness.room.statuses.dropFirst(before).first
            #expect(first?.match == Match(state: .unavailable))
            #expect(first?.player == .idle)
            #expect(harness.party.state.candidates.isEmpty)
        }

        @Test("A resolver that throws means no candidates, and its error is an event")
        func resolverThrows() async throws {
            struct Offline: Error {}
            let harness = try Harness(host: false)
            harness.resolver.searches.automatic = { _ in .failure(Offline()) }
            try await harness.join()
            harness.room.begin(Harness.film())
            await harness.clock.settle()
            #expect(harness.party.state.match == Match(state: .unavailable))
            #expect(harness.events(ResolveFailedEvent.self).map { "\(type(of: $0.error))" } == ["Offline"])
        }

        @Test("A resolver that takes longer than 30000 ms is cancelled, and the event carries a TimeoutError")
        func resolverTimesOut() async throws {
            let harness = try Harness(host: false)
            harness.resolver.searches.heedsCancellation = false
            try await harness.join()
            harness.room.begin(Harness.film())
            await harness.clock.advance(by: 30_000)
            await harness.clock.advance(by: 1)
            #expect(harness.party.state.match == Match(state: .unavailable))
            #expect(harness.resolver.searches.calls[0].isCancelled)
            let failed = harness.events(ResolveFailedEvent.self)
            #expect(failed.count == 1)
            #expect(failed.first?.error is TimeoutError)
            harness.resolver.searches.calls[0].answer([Harness.file("late")])
            await harness.clock.settle()
            #expect(harness.party.state.candidates.isEmpty)
        }

        @Test("FR-07: rapid media changes leave no stale work")
        func rapidChanges() async throws {
            let harness = try Harness(host: false)
            try await harness.join()
            for title in 1...20 {
                harness.room.begin(Harness.film("Film \(title)"))
                await harness.clock.advance(by: 50)
            }
            let calls = harness.resolver.searches.calls
            #expect(calls.map(\.request.title) == (1...20).map { "Film \($0)" })
            #expect(calls.map(\.isCancelled) == Array(repeating: true, count: 19) + [false])
            await harness.clock.advance(by: 2000)
            for call in calls.reversed() { call.answer([Harness.file("file of \(call.request.title)")]) }
            await harness.clock.settle()
            #expect(harness.party.state.choice?.ref == "file of Film 20")
            #expect(harness.party.state.candidates.map(\.candidate.ref) == ["file of Film 20"])
            let player = FakePlayer(clock: harness.clock)
            harness.party.attachPlayer(player, ref: "file of Film 3")
            await harness.clock.advance(by: 5000)
            #expect(player.commands.isEmpty)
            #expect(harness.events(ActionEvent.self).count == 20)
            #expect(harness.events.count == 20)
        }

        @Test(
            "A probe that throws a cancellation of its own counts as returning nothing, and the walk goes on (section 9.2)"
        )
        func probeCancelsItself() async throws {
            let harness = try Harness(host: false)
            let first = harness.resolver.probed("first", ref: "first")
            let second = harness.resolver.probed("second", ref: "second")
            harness.resolver.searches.automatic = { _ in .success([first, second]) }
            try await harness.join()
            harness.room.begin(Harness.film())
            await harness.clock.settle()
            #expect(harness.resolver.probes.calls.map(\.request) == ["first"])
            harness.resolver.probes.calls[0].fail(CancellationError())
            await harness.clock.settle()
            #expect(harness.resolver.probes.calls.map(\.request) == ["first", "second"])
            harness.resolver.probes.calls[1].answer(7_200_100)
            await harness.clock.settle()
            #expect(harness.party.state.choice === second)
            #expect(harness.party.state.candidates.map(\.deltaMs) == [nil, 100])
            #expect(harness.events(ResolveFailedEvent.self).isEmpty)
        }

        @Test("A probe past the walk's 60000 ms is cancelled, and candidates with durations are still checked")
        func probeBudget() async throws {
            let harness = try Harness(host: false)
            let slow = harness.resolver.probed("slow", ref: "slow")
            harness.resolver.searches.automatic = { _ in .success([slow, Harness.file("wrong", durationMs: 1)]) }
            try await harness.join()
            harness.room.begin(Harness.film(durationMs: 7_200_000))
            await harness.clock.advance(by: 60_000)
            #expect(harness.party.state.mismatch == nil)
            #expect(!harness.resolver.probes.calls[0].isCancelled)
            await harness.clock.advance(by: 1)
            #expect(harness.resolver.probes.calls[0].isCancelled)
            #expect(harness.party.state.mismatch?.candidate.id == "wrong")
            #expect(harness.party.state.mismatch?.deltaMs == -7_199_999)
        }

        @Test("FR-31: same name, different file")
        func sameName() async throws {
            let harness = try Harness(host: false)
            let small = Candidate(
                id: "A",
                ref: "A",
                durationMs: 300_000,
                sizeBytes: 300_000_000,
                name: "Deleted Scenes.mkv"
            )
            let right = Candidate(
                id: "B",
                ref: "B",
                durationMs: 421_300,
                sizeBytes: 421_000_000,
                name: "deleted scenes.MKV"
            )
            harness.resolver.searches.automatic = { _ in .success([small, right]) }
            try await harness.join()
            harness.room.begin(
                Media(
                    kind: .video,
                    title: "Deleted Scenes",
                    durationMs: 421_000,
                    file: MediaFile(name: "Deleted Scenes.mkv", sizeBytes: 421_000_000)
                )
            )
            await harness.clock.settle()
            #expect(harness.party.state.choice === right)
            #expect(harness.party.state.match == Match(state: .matched, deltaMs: 300))
            #expect(harness.party.state.candidates.map(\.candidate.id) == ["B", "A"])
            #expect(harness.party.state.candidates.map(\.deltaMs) == [300, -121_000])
        }

        @Test("FR-32: a longer cut can be accepted and shifted")
        func longerCut() async throws {
            let harness = try Harness()
            harness.resolver.searches.automatic = { _ in .success([Harness.file("cut", durationMs: 7_295_000)]) }
            harness.room.media = Harness.film()
            harness.room.room.epoch = 1
            harness.room.room.phase = .paused
            harness.room.room.positionMs = 600_000
            try await harness.join()
            let party = harness.party
            #expect(party.state.mismatch?.deltaMs == 95_000)
            #expect(party.state.match == Match(state: .searching, deltaMs: 95_000))
            #expect(party.state.player == .loading)
            party.acceptMismatch()
            #expect(party.state.match == Match(state: .mismatched, deltaMs: 95_000))
            #expect(party.state.mismatch == nil)
            #expect(party.state.choice?.id == "cut")
            let player = FakePlayer(clock: harness.clock)
            player.durationMs = 7_295_000
            party.attachPlayer(player, ref: "cut")
            await harness.clock.advance(by: 3000)
            #expect(player.positionMs == 600_000)
            try party.setOffset(95_000)
            await harness.clock.advance(by: 3000)
            #expect(player.positionMs == 695_000)
            try party.seek(to: 700_000)
            await harness.clock.settle()
            #expect(harness.room.sent.last { $0.type == "seek" } == .seek(positionMs: 605_000))
            #expect(player.positionMs == 700_000)
            #expect(partyError { try party.setOffset(604_800_001) } == .invalidMessage)
            #expect(partyError { try party.setOffset(-604_800_001) } == .invalidMessage)
            #expect(party.state.offsetMs == 95_000)
            harness.room.begin(Harness.film("Other"))
            await harness.clock.settle()
            #expect(party.state.offsetMs == 0)
        }

        @Test(
            "Declining leaves the title unavailable and the participant out of the wait; both do nothing without an offer"
        )
        func declines() async throws {
            let harness = try Harness(host: false)
            harness.resolver.searches.automatic = { _ in .success([Harness.file("cut", durationMs: 7_295_000)]) }
            try await harness.join()
            harness.room.begin(Harness.film())
            await harness.clock.advance(by: 1000)
            harness.party.declineMismatch()
            await harness.clock.settle()
            #expect(harness.party.state.match == Match(state: .unavailable, deltaMs: 95_000))
            #expect(harness.party.state.mismatch == nil)
            #expect(harness.party.state.choice == nil)
            #expect(harness.room.statuses.last?.player == .idle)
            let state = harness.party.state
            harness.party.acceptMismatch()
            harness.party.declineMismatch()
            #expect(harness.party.state == state)
        }

        @Test(
            "FR-33: composed and decomposed names are different names",
            arguments: ["Ame\u{301}lie.mkv", "AM\u{C9}LIE.MKV"]
        )
        func composedNames(name: String) async throws {
            let harness = try Harness(host: false)
            let unnamed = Harness.file("B")
            let named = Candidate(id: "A", ref: "A", durationMs: 7_200_000, name: name)
            harness.resolver.searches.automatic = { _ in .success([unnamed, named]) }
            try await harness.join()
            var film = Harness.film()
            film.file = MediaFile(name: "Am\u{E9}lie.mkv")
            harness.room.begin(film)
            await harness.clock.settle()
            #expect(harness.party.state.candidates.map(\.candidate.id) == ["B", "A"])
        }

        @Test(
            "Own media is matched at once with the ref of setMedia, without a search, and nothing is paused (section 9.1)"
        )
        func ownMedia() async throws {
            let harness = try Harness()
            try await harness.join()
            let player = FakePlayer(clock: harness.clock)
            harness.party.attachPlayer(player, ref: "own")
            try harness.party.setMedia(Harness.film(), ref: "own", positionMs: 5)
            await harness.clock.settle()
            #expect(harness.room.sent.last { $0.type == "setMedia" } == .setMedia(media: Harness.film(), positionMs: 5))
            #expect(harness.party.state.media == nil)
            harness.room.begin(Harness.film(), by: "a1")
            await harness.clock.settle()
            #expect(harness.party.state.match == Match(state: .matched, deltaMs: 0))
            #expect(harness.party.state.choice?.ref == "own")
            #expect(harness.party.state.choice?.id == "")
            #expect(harness.party.state.choice?.durationMs == 7_200_000)
            #expect(harness.resolver.searches.calls.isEmpty)
            #expect(!player.commands.contains(.pause))
        }

        @Test("Refs are equal by their own ==, so an equal ref of another value binds (section 10.2)")
        func refsByEquality() async throws {
            struct Ref: Equatable, Sendable {
                var id: Int
                var note: String
                static func == (left: Ref, right: Ref) -> Bool { left.id == right.id }
            }
            let clock = VirtualClock()
            let room = FakeRoom(clock: clock, isHost: false)
            let party = try WatchParty<Ref>(
                relays: .at("http://relay.test"),
                client: "Test/1",
                name: "Anna",
                resolver: Resolver { _ in
                    [Candidate(id: "x", ref: Ref(id: 1, note: "found"), durationMs: 7_200_000)]
                },
                connect: room.relay.connect,
                clock: clock
            )
            room.media = Harness.film()
            room.room.epoch = 1
            room.room.phase = .paused
            _ = party.startJoin("K7MQ2X")
            await clock.settle()
            let player = FakePlayer(clock: clock)
            party.attachPlayer(player, ref: Ref(id: 2, note: "other"))
            await clock.advance(by: 1000)
            #expect(party.state.player == .loading)
            party.attachPlayer(player, ref: Ref(id: 1, note: "opened"))
            await clock.advance(by: 1000)
            #expect(party.state.player == .ready)
            #expect(party.state.choice?.ref.note == "found")
        }
    }
}
