// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPTestSupport
import OWPWire
import Testing

@testable import OpenWatchParty

extension PlayerTests {
    @Suite("Releasing a player (section 11.2)")
    @MainActor
    struct Releasing {
        @Test("The completion waits for a running command, drops those not started, and is there at once without any")
        func completion() async throws {
            let harness = try Harness(host: false)
            let player = try await harness.watch(phase: .paused, positionMs: 600_000) {
                $0.positionMs = 0
                $0.takesMs = { if case .seek = $0 { 5000 } else { 0 } }
            }
            await harness.clock.advance(by: 100)
            #expect(player.unfinished == 1)
            let call = harness.party.startDetach()
            let commands = player.commands
            await harness.clock.advance(by: 4899)
            #expect(call.result == nil)
            await harness.clock.advance(by: 1)
            #expect(call.result != nil)
            await harness.clock.advance(by: 5000)
            #expect(player.commands == commands)
            #expect(harness.party.startDetach().result != nil)
        }

        @Test("A nudged player gets the room's rate back, also after close(), and the completion waits for it")
        func nudgedRate() async throws {
            let harness = try Harness(host: false)
            let player = try await harness.watch(phase: .playing, positionMs: 600_000) {
                $0.positionMs += 1000
                $0.takesMs = { $0 == .setRate(1) ? 700 : 0 }
            }
            await harness.clock.advance(by: 2000)
            #expect(player.rate == 0.96)
            let call = harness.party.startClose()
            await harness.clock.advance(by: 699)
            #expect(call.result == nil)
            await harness.clock.advance(by: 1)
            #expect(call.result != nil)
            #expect(player.rate == 1)
            #expect(player.commands.last == .setRate(1))
        }

        @Test("Detaching another player changes nothing; attaching another one releases the first")
        func another() async throws {
            let harness = try Harness(host: false)
            let player = try await harness.watch(phase: .paused, positionMs: 600_000)
            let other = FakePlayer(clock: harness.clock)
            harness.party.detachPlayer(other)
            await harness.clock.advance(by: 1000)
            #expect(harness.party.state.player == .ready)
            harness.party.attachPlayer(other, ref: "file")
            await harness.clock.advance(by: 1000)
            #expect(other.positionMs == 600_000)
            _ = player.takeCommands()
            player.positionMs = 0
            await harness.clock.advance(by: 5000)
            #expect(player.commands.isEmpty)
            harness.party.detachPlayer(other)
            await harness.clock.settle()
            #expect(harness.party.state.player == .idle)
        }

        @Test("The party's end releases the player, and lets it go")
        func letsGo() async throws {
            let harness = try Harness(host: false)
            weak var weakPlayer: FakePlayer?
            do {
                let player = try await harness.watch(phase: .paused, positionMs: 600_000)
                weakPlayer = player
            }
            #expect(weakPlayer != nil)
            harness.room.say(.closed(reason: "ended"))
            await harness.clock.settle()
            #expect(weakPlayer == nil)
        }

        @Test("A player that tells of a change from within a read is followed all the same")
        func tellsWhileRead() async throws {
            let harness = try Harness(host: false)
            harness.resolver.searches.automatic = { _ in .success([Harness.file("file")]) }
            harness.room.media = Harness.film()
            harness.room.room.epoch = 1
            harness.room.room.phase = .paused
            try await harness.join()
            let player = ChattyPlayer { harness.party.playerChanged() }
            harness.party.attachPlayer(player, ref: "file")
            await harness.clock.advance(by: 1000)
            #expect(harness.party.state.player == .ready)
        }

        @Test(
            "What a call names survives a player that tells of a change from within its read (sections 9.6 and 10.2)"
        )
        func namedWhileRead() async throws {
            let harness = try Harness(host: false)
            harness.room.media = Harness.film()
            harness.room.room.epoch = 1
            harness.room.room.phase = .paused
            let player = ChattyPlayer { harness.party.playerChanged() }
            harness.party.attachPlayer(player, ref: "file")
            try await harness.join()
            try #require(harness.resolver.searches.calls.last).answer([Harness.file("file")])
            await harness.clock.advance(by: 1000)
            #expect(harness.party.state.choice?.ref == "file")
            #expect(harness.party.state.candidates.map(\.candidate.id) == ["file"])
            #expect(harness.party.state.player == .ready)
            let probed = Candidate(id: "other", ref: "other", probe: { 7_200_500 })
            let call = harness.party.startChoose(probed)
            await harness.clock.settle()
            #expect(try call.result?.get() == true)
            #expect(harness.party.state.choice === probed)
        }

        @Test("A player attached while idle stays attached into the session, with its ref (section 7.2)")
        func attachedBefore() async throws {
            let harness = try Harness(host: false)
            harness.resolver.searches.automatic = { _ in .success([Harness.file("file")]) }
            let player = FakePlayer(clock: harness.clock)
            harness.party.attachPlayer(player, ref: "file")
            harness.room.media = Harness.film()
            harness.room.room.epoch = 1
            harness.room.room.phase = .paused
            harness.room.room.positionMs = 600_000
            try await harness.join()
            await harness.clock.advance(by: 1000)
            #expect(player.positionMs == 600_000)
            #expect(harness.party.state.player == .ready)
        }
    }
}

/// A player whose every read tells the party that it changed.
@MainActor
private final class ChattyPlayer: PlayerAdapter {
    private let changed: () -> Void

    init(changed: @escaping () -> Void) { self.changed = changed }

    var positionMs: Int64 {
        changed()
        return 0
    }
    let durationMs: Int64? = 7_200_000
    let paused = true
    let buffering = false
    let firstFrameShown = true
    func play() async throws {}
    func pause() async throws {}
    func seek(to positionMs: Int64) async throws {}
}
