// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPTestSupport
import OWPWire
import Testing

@testable import OpenWatchParty

/// The party's player, in virtual time.
@Suite("PlayerTests", .serialized)
@MainActor
struct PlayerTests {}

extension PlayerTests {
    @Suite("Following the room with a player (sections 10 and 11)")
    @MainActor
    struct Following {
        @Test("FR-01: play still works after a long pause")
        func longPause() async throws {
            let harness = try Harness()
            let player = try await harness.watch(phase: .paused, positionMs: 600_000)
            await harness.clock.advance(by: 1000)
            #expect(harness.room.statuses.last?.player == .ready)
            let lastMs = try harness.statusTimes.last ?? 0
            let before = try harness.statusTimes.count
            _ = player.takeCommands()
            await harness.clock.advance(by: lastMs + 600_000 - harness.clock.nowMs())
            let times = try harness.statusTimes.dropFirst(before)
            #expect(Array(times) == (1...40).map { lastMs + 15_000 * $0 })
            #expect(harness.room.statuses.suffix(40).allSatisfy { $0.player == .ready && $0.epoch == 1 })
            harness.room.change {
                $0.phase = .waiting
                $0.waitingOn = ["a1"]
            }
            await harness.clock.advance(by: 200)
            #expect(harness.party.state.player == .ready)
            harness.room.play(fromMs: 600_000, inMs: 1000)
            await harness.clock.advance(by: 999)
            #expect(player.commands.isEmpty)
            await harness.clock.advance(by: 1)
            #expect(player.commands == [.play])
            await harness.clock.advance(by: 10_000)
            #expect(player.commands == [.play])
        }

        @Test("FR-02: a participant whose player closed leaves the wait at once")
        func closedPlayer() async throws {
            let harness = try Harness(host: false)
            harness.resolver.searches.automatic = { _ in .success([Harness.file("file")]) }
            try await harness.join()
            harness.room.begin(Harness.film())
            await harness.clock.advance(by: 1000)
            #expect(harness.room.statuses.last?.player == .loading)
            let count = harness.room.statuses.count
            let first = harness.party.startDetach()
            #expect(first.result != nil)
            await harness.clock.settle()
            #expect(harness.room.statuses.count == count + 1)
            #expect(harness.room.statuses.last?.player == .idle)
            await harness.clock.advance(by: 1000)
            let second = harness.party.startDetach()
            #expect(second.result != nil)
            await harness.clock.settle()
            #expect(harness.room.statuses.count == count + 1)
            harness.room.begin(Harness.film("Next"))
            await harness.clock.settle()
            #expect(harness.room.statuses.count == count + 2)
            #expect(harness.room.statuses.last?.player == .idle)
            #expect(harness.room.statuses.last?.epoch == 2)
            await harness.clock.advance(by: 60_000)
            #expect(harness.room.statuses.suffix(4).allSatisfy { $0.player == .idle })
        }

        @Test("FR-04: readiness does not depend on the player having moved", arguments: [false, true])
        func firstFrame(tells: Bool) async throws {
            let harness = try Harness()
            let player = try await harness.watch(phase: .waiting) { $0.firstFrameShown = false }
            await harness.clock.advance(by: 700)
            #expect(harness.room.statuses.last?.player == .loading)
            _ = player.takeCommands()
            player.firstFrameShown = true
            if tells {
                harness.party.playerChanged()
                await harness.clock.settle()
            } else {
                await harness.clock.advance(by: 299)
                #expect(harness.room.statuses.last?.player == .loading)
                await harness.clock.advance(by: 1)
            }
            #expect(harness.room.statuses.last?.player == .ready)
            #expect(player.commands.isEmpty)
        }

        @Test("FR-05: closing the player does not end following")
        func closedBetweenTitles() async throws {
            let harness = try Harness(host: false)
            _ = try await harness.watch(phase: .playing, positionMs: 1000)
            harness.party.detachPlayer()
            await harness.clock.advance(by: 1000)
            harness.resolver.searches.automatic = nil
            let count = harness.room.statuses.count
            harness.room.begin(Harness.film("Next"))
            await harness.clock.advance(by: 1000)
            #expect(harness.resolver.searches.calls.map(\.request.title) == ["Heat", "Next"])
            harness.resolver.searches.calls[1].answer([Harness.file("next")])
            await harness.clock.advance(by: 500)
            #expect(harness.party.state.choice?.ref == "next")
            #expect(harness.room.statuses.dropFirst(count).allSatisfy { $0.player == .idle && $0.epoch == 2 })
            let player = FakePlayer(clock: harness.clock)
            harness.party.attachPlayer(player, ref: "next")
            await harness.clock.advance(by: 250)
            #expect(harness.room.statuses.last?.player == .ready)
            #expect(harness.room.relay.connections.count == 1)
        }

        @Test("FR-06: a late join lands on the current position")
        func lateJoin() async throws {
            let harness = try Harness(host: false)
            harness.resolver.searches.automatic = { _ in .success([Harness.file("file")]) }
            harness.room.media = Harness.film()
            harness.room.room.epoch = 1
            harness.room.play(fromMs: 600_000)
            try await harness.join()
            await harness.clock.advance(by: 30_000)
            let player = FakePlayer(clock: harness.clock)
            player.takesMs = { if case .seek = $0 { 200 } else { 0 } }
            harness.party.attachPlayer(player, ref: "file")
            await harness.clock.advance(by: 199)
            #expect(player.commands == [.setRate(1), .seek(630_250)])
            #expect(harness.party.state.player == .loading)
            await harness.clock.advance(by: 100)
            #expect(player.commands == [.setRate(1), .seek(630_250), .play])
            #expect(harness.party.state.player == .ready)
        }

        @Test("FR-06: before the first clock sample a player gets the room's rate, as it binds, and nothing else")
        func noRelayTime() async throws {
            let harness = try Harness(host: false)
            harness.room.answersPings = false
            let player = try await harness.watch(phase: .playing, positionMs: 600_000) { $0.positionMs = 0 }
            harness.room.change()
            await harness.clock.advance(by: 2000)
            #expect(player.commands == [.setRate(1)])
            #expect(harness.party.state.player == .loading)
            harness.room.answersPings = true
            await harness.clock.advance(by: 3000)
            #expect(player.commands == [.setRate(1), .seek(605_250)])
        }

        @Test("FR-08: a new title starts at its own position")
        func newTitle() async throws {
            let harness = try Harness()
            let old = try await harness.watch(phase: .playing, positionMs: 1_340_000)
            await harness.clock.advance(by: 1000)
            try harness.party.setOffset(40)
            await harness.clock.settle()
            _ = old.takeCommands()
            try harness.party.setMedia(Harness.film("Y"), ref: "y", positionMs: 0)
            await harness.clock.advance(by: 10_000)
            #expect(old.commands.isEmpty)
            harness.room.begin(Harness.film("Y"), by: "a1")
            await harness.clock.settle()
            let new = FakePlayer(clock: harness.clock)
            harness.party.attachPlayer(new, ref: "y")
            await harness.clock.advance(by: 5000)
            #expect(harness.party.state.offsetMs == 0)
            #expect(new.commands == [.setRate(1)])
            #expect(old.commands.isEmpty)
            #expect(harness.party.state.player == .ready)
        }

        @Test("FR-09: a reconnect never moves the room or the player")
        func reconnect() async throws {
            let harness = try Harness()
            let player = try await harness.watch(phase: .playing, positionMs: 1_300_000) { $0.positionMs += 2000 }
            let startedMs = harness.clock.nowMs()
            try harness.party.setOffset(2000)
            await harness.clock.advance(by: 57_000)
            _ = player.takeCommands()
            let choice = harness.party.state.choice
            let sent = harness.room.sent.count
            harness.room.relay.opening = { _ in .fails(afterMs: 0) }
            try harness.connection.drop()
            await harness.clock.advance(by: 4000)
            #expect(harness.party.roomPositionMs() == 1_361_000)
            harness.room.relayAheadMs += 40
            harness.room.relay.opening = { _ in .opens(afterMs: 0) }
            await harness.clock.runUntil(limitMs: 5000) { harness.party.state.connection == .connected }
            #expect(harness.party.roomPositionMs() == 1_300_040 + harness.clock.nowMs() - startedMs)
            #expect(harness.room.sent.dropFirst(sent).map(\.type) == ["resume", "status"])
            await harness.clock.advance(by: 20_000)
            #expect(player.commands.isEmpty)
            #expect(harness.party.state.offsetMs == 2000)
            #expect(harness.party.state.choice === choice)
            #expect(harness.resolver.searches.calls.count == 1)
        }

        @Test("FR-20: relay time comes from the monotonic clock and the pong alone")
        func relayTime() async throws {
            let harness = try Harness()
            harness.room.answersPings = false
            _ = try await harness.watch(phase: .playing, positionMs: 0)
            #expect(harness.clock.nowMs() == 1_000_000)
            #expect(harness.party.roomPositionMs() == nil)
            await harness.clock.advance(by: 40)
            harness.room.say(.pong(id: 1, serverTimeMs: 1_733_000_000_020))
            harness.room.change { $0.atMs = 1_733_000_000_000 }
            await harness.clock.settle()
            #expect(harness.party.roomPositionMs() == 40)
            #expect(harness.room.statuses.last?.rttMs == nil)
            await harness.clock.advance(by: 15_000)
            #expect(harness.room.statuses.last?.rttMs == 40)
        }

        @Test(
            "FR-21: slow seeks do not loop once their cost is declared",
            arguments: [(true, 3000), (false, 1500)] as [(Bool, Int64)]
        )
        func slowSeeks(rates: Bool, costMs: Int64) async throws {
            let harness = try Harness(host: false)
            let player = try await harness.watch(phase: .playing, positionMs: 600_000) {
                $0.positionMs -= 10_000
                $0.canSetRate = rates
                $0.seekAccuracyMs = costMs
                $0.takesMs = { if case .seek = $0 { costMs } else { 0 } }
            }
            await harness.clock.advance(by: 90_000)
            let seeks = player.commands.filter { if case .seek = $0 { true } else { false } }
            #expect(seeks.count == 1)
            let drift = try #require(harness.party.roomPositionMs()) - player.positionMs
            if rates {
                #expect(player.commands.contains(.setRate(1.04)))
                #expect(player.rate == 1)
                #expect(drift < 150)
            } else {
                #expect(drift <= costMs)
            }
        }

        @Test("FR-22: a keyframe player can become ready", arguments: [5000, 0] as [Int64])
        func keyframes(accuracyMs: Int64) async throws {
            let harness = try Harness(host: false)
            let player = try await harness.watch(phase: .waiting, positionMs: 600_000) {
                $0.positionMs = 596_000
                $0.landsOffMs = -4000
                $0.seekAccuracyMs = accuracyMs
            }
            await harness.clock.advance(by: 20_000)
            let seeks = player.records.filter { $0.command == .seek(600_000) }.map(\.atMs)
            if accuracyMs == 0 {
                #expect(seeks.count == 11)
                #expect(zip(seeks, seeks.dropFirst()).allSatisfy { $1 - $0 == 2000 })
                #expect(harness.room.statuses.last?.player == .loading)
            } else {
                #expect(seeks.isEmpty)
                #expect(harness.room.statuses.last?.player == .ready)
            }
        }

        @Test("FR-23: buffering edges echo nothing back")
        func bufferingEdges() async throws {
            let harness = try Harness(host: false)
            let player = try await harness.watch(phase: .playing, positionMs: 600_000)
            // Off the ticks, so that a status of one is told from one of the player's changes.
            await harness.clock.advance(by: 1050)
            _ = player.takeCommands()
            let startMs = harness.clock.nowMs()
            let before = harness.room.statuses.count
            for flip in 0..<10 {
                player.buffering = flip.isMultiple(of: 2)
                harness.party.playerChanged()
                await harness.clock.advance(by: 100)
            }
            await harness.clock.advance(by: 1000)
            let times = try harness.statusTimes.dropFirst(before).map { $0 - startMs }
            #expect(times == [0, 300, 600, 900])
            #expect(harness.room.statuses.dropFirst(before).map(\.player) == [.buffering, .ready, .buffering, .ready])
            #expect(!player.commands.contains(.pause))
            #expect(harness.room.sent.allSatisfy { ["join", "status"].contains($0.type) })
        }

        @Test("FR-24: a seek made in the player itself is undone")
        func seekBehindTheBack() async throws {
            let harness = try Harness()
            let player = try await harness.watch(phase: .playing, positionMs: 59_000)
            await harness.clock.advance(by: 1000)
            _ = player.takeCommands()
            let sent = harness.room.sent.count
            player.positionMs = 145_000
            await harness.clock.advance(by: 500)
            #expect(player.commands == [.seek(60_750)])
            #expect(harness.room.sent.dropFirst(sent).allSatisfy { $0.type == "status" })
        }

        @Test("FR-25: play is always sent")
        func playAlwaysSent() async throws {
            let harness = try Harness()
            let player = try await harness.watch(phase: .playing, positionMs: 600_000)
            _ = player.takeCommands()
            let sent = harness.room.sent.count
            try harness.party.pause()
            await harness.clock.settle()
            #expect(player.commands == [.pause])
            await harness.clock.advance(by: 300)
            try harness.party.play()
            await harness.clock.settle()
            let commands = harness.room.sent.dropFirst(sent).filter { $0.type != "status" }
            #expect(commands == [.pause(positionMs: 600_000), .play])
            harness.room.change("pause", by: "a1") {
                $0.phase = .paused
                $0.positionMs = 600_000
            }
            await harness.clock.advance(by: 100)
            harness.room.play(fromMs: 600_000, inMs: 800, "play", by: "a1")
            await harness.clock.advance(by: 799)
            #expect(player.commands == [.pause])
            await harness.clock.advance(by: 1)
            #expect(player.commands == [.pause, .play])
            #expect(harness.events(ActionEvent.self).map(\.byMe) == [true, true])
        }

        @Test("FR-26: a lost pause is repeated")
        func lostPause() async throws {
            struct Stuck: Error {}
            let harness = try Harness(host: false)
            var failures = 0
            let player = try await harness.watch(phase: .paused, positionMs: 300_000) {
                $0.positionMs = 302_000
                $0.paused = false
                $0.fails = { command in
                    guard command == .pause, failures == 0 else { return nil }
                    failures += 1
                    return Stuck()
                }
            }
            await harness.clock.advance(by: 3000)
            #expect(player.commands == [.setRate(1), .pause, .seek(300_000), .pause])
            #expect(abs(player.positionMs - 300_000) <= 500)
        }

        @Test("FR-29: running out of cache is buffering, not pause", arguments: [300, 3000] as [Int64])
        func outOfCache(stallMs: Int64) async throws {
            let harness = try Harness(host: false)
            let player = try await harness.watch(phase: .playing, positionMs: 600_000)
            await harness.clock.advance(by: 1000)
            _ = player.takeCommands()
            let before = harness.room.statuses.count
            player.buffering = true
            harness.party.playerChanged()
            await harness.clock.advance(by: stallMs)
            #expect(player.commands.isEmpty)
            player.buffering = false
            harness.party.playerChanged()
            await harness.clock.advance(by: 1000)
            let statuses = harness.room.statuses.dropFirst(before).map(\.player)
            if stallMs == 300 {
                #expect(statuses == [.buffering, .ready])
                #expect(player.commands.isEmpty)
            } else {
                #expect(statuses.first == .buffering)
                #expect(statuses.last == .ready)
                #expect(player.commands == [.seek(604_250)])
            }
            #expect(!harness.room.sent.contains { $0.type == "pause" })
        }

        @Test("PlayBlockedEvent comes with the error of a play that throws and leaves the player paused (section 10.2)")
        func blocked() async throws {
            struct Gesture: Error {}
            let harness = try Harness(host: false)
            let player = try await harness.watch(phase: .playing, positionMs: 600_000) {
                $0.paused = true
                $0.fails = { $0 == .play ? Gesture() : nil }
            }
            await harness.clock.advance(by: 2000)
            #expect(harness.events(PlayBlockedEvent.self).map { "\(type(of: $0.error))" } == ["Gesture"])
            #expect(harness.party.state.player == .loading)
            #expect(player.commands.filter { $0 == .play }.count > 1)
            player.fails = { _ in nil }
            player.paused = false
            harness.party.playerChanged()
            await harness.clock.advance(by: 5000)
            #expect(harness.party.state.player == .ready)
            #expect(harness.events(PlayBlockedEvent.self).count == 1)
        }
    }
}

extension Harness {
    /// The local times of the statuses that the party sent on its newest connection, in ms.
    var statusTimes: [Int64] {
        get throws { try connection.records.filter { $0.text.contains(#""type":"status""#) }.map(\.atMs) }
    }
}
