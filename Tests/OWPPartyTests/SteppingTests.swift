// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPParty
import OWPSync
import OWPWire
import Testing

@Suite("When steps run, and what ends them (sections 10.2 and 11)")
struct SteppingTests {
    /// A playing room whose position is local time.
    private let playing = Room.sample(phase: .playing, positionMs: 0, atMs: 1_000_000, guestAndHost)
    private let paused = Room.sample(phase: .paused, positionMs: 0, guestAndHost)

    private func found(_ key: Int, _ durationMs: Int64 = 7_200_000) -> OfferedCandidate {
        OfferedCandidate(key: CandidateKey(key), ref: RefKey(key), durationMs: durationMs)
    }

    /// A player without rate control, so that binding queues nothing and a step comes at once.
    private func plain(_ positionMs: Int64 = 0) -> StagePlayer {
        var player = StagePlayer()
        player.reading.canSetRate = false
        player.reading.positionMs = positionMs
        return player
    }

    @Test("a step runs at once after a snapshot, an offset and attaching (section 11.1)")
    func atOnce() throws {
        var stage = try Stage.following(paused, plain())
        stage.advance(to: 1100)
        stage.receive(.room(.sample(rev: 2, phase: .paused, positionMs: 9000, guestAndHost)))
        #expect(stage.commands(since: 1100) == [.seek(9000)])
        stage.advance(to: 3200)
        stage.take(.setOffset(1000))
        #expect(stage.commands(since: 3200) == [.seek(10_000)])
        stage.advance(to: 5300)
        stage.players[1]?.reading.positionMs = 0
        stage.take(.attachPlayer(1, 1))
        #expect(stage.commands(since: 5300) == [.seek(10_000)])
    }

    @Test("a step runs at once when a player becomes bound: by a match, choose, acceptMismatch or own media (11.1)")
    func whenBound() throws {
        let room = Room.sample(phase: .paused, positionMs: 9000, guestAndHost)
        func attached(_ media: Media? = .sample()) throws -> Stage {
            var stage = try Stage.inRoom(room, media, resolves: false)
            stage.players[1] = plain()
            stage.take(.attachPlayer(1, 5))
            #expect(stage.commands().isEmpty)
            return stage
        }
        var matched = try attached()
        matched.take(.resolved(1, [found(5)]))
        #expect(matched.commands() == [.seek(9000)])
        var chosen = try attached()
        chosen.take(.choose(3, found(5, 1_000_000)))
        #expect(chosen.commands() == [.seek(9000)])
        var accepted = try attached()
        accepted.take(.resolved(1, [found(5, 1_000_000)]))
        #expect(accepted.commands().isEmpty)
        accepted.take(.acceptMismatch)
        #expect(accepted.commands() == [.seek(9000)])
        var own = try Stage.inRoom(.sample(epoch: 0, phase: .idle))
        own.players[1] = plain()
        own.take(.attachPlayer(1, 5))
        own.take(.setMedia(.sample(), 5, 5, positionMs: 9000))
        let mark = own.commands().count
        own.receive(.room(.sample(rev: 2, epoch: 1, phase: .paused, positionMs: 9000), media: .valid(.sample())))
        #expect(own.commands().dropFirst(mark) == [.seek(9000)])
    }

    @Test("unbinding stops the play timer (section 10.2), and the next step replaces it (section 11.2)")
    func playTimerStops() throws {
        let later = Room.sample(phase: .playing, positionMs: 0, atMs: 1_060_000, guestAndHost)
        var stage = try Stage.following(later, plain())
        #expect(stage.runningTimers.contains(.play))
        stage.receive(.room(.sample(rev: 2, phase: .playing, positionMs: 0, atMs: 1_050_000, guestAndHost)))
        #expect(stage.log.last { $0.effect == .startTimer(.play, afterMs: 49_000) } != nil)
        stage.take(.choose(3, found(2)))
        #expect(!stage.runningTimers.contains(.play))
        stage.take(.choose(4, found(1)))
        #expect(stage.runningTimers.contains(.play))
        stage.receive(.room(.sample(rev: 3, phase: .paused, guestAndHost)))
        #expect(!stage.runningTimers.contains(.play))
    }

    @Test(
        "detachPlayer pauses nothing, and its completion comes though the running command fails (sections 10.2, 11.2)"
    )
    func detachLeaves() throws {
        var player = plain()
        player.reading.paused = false
        var stage = try Stage.following(playing, player)
        let detachedAt = stage.nowMs
        stage.take(.detachPlayer(5, nil))
        stage.players[1]?.reading.positionMs += 60_000
        stage.advance(by: 5000)
        #expect(stage.commands(since: detachedAt).isEmpty)

        var busy = try Stage.following(paused, plain())
        busy.endsCommands = false
        busy.players[1]?.reading.positionMs = 5000
        busy.take(.playerChanged)
        #expect(!busy.take(.detachPlayer(6, nil)).contains(.finish(6, .released)))
        #expect(busy.take(.commandEnded(1, 9)).contains(.finish(6, .released)))
        #expect(busy.events().isEmpty)
    }

    @Test("blocked ends with the room's playing and with unbinding; a play that fails but plays blocks nothing (10.2)")
    func unblocked() throws {
        func blocked() throws -> Stage {
            var player = plain()
            player.refusesPlay = true
            let stage = try Stage.following(playing, player)
            #expect(stage.events().count == 1)
            return stage
        }
        var pausing = try blocked()
        pausing.receive(.room(.sample(rev: 2, phase: .paused, positionMs: 0, guestAndHost)))
        #expect(pausing.machine.state.player == .ready)
        pausing.receive(.room(.sample(rev: 3, phase: .playing, positionMs: 0, atMs: 1_001_000, guestAndHost)))
        #expect(pausing.events().count == 2, "blocked anew")

        var unbound = try blocked()
        unbound.take(.choose(3, found(2)))
        unbound.take(.choose(4, found(1)))
        #expect(unbound.events().count == 2)

        var starts = try Stage.following(playing, plain())
        starts.advance(to: 5000)
        starts.players[1]?.reading.paused = true
        starts.endsCommands = false
        starts.take(.playerChanged)
        #expect(starts.commands().last == .play)
        starts.players[1]?.reading.paused = false
        starts.take(.commandEnded(1, 9))
        #expect(starts.events().isEmpty)
        #expect(starts.machine.state.player == .ready)
    }

    @Test("a player may learn to change its rate, and its seek accuracy is read at every step (sections 11.2 and 16.4)")
    func readAnew() throws {
        var player = plain()
        player.reading.paused = false
        var stage = try Stage.following(playing, player)
        stage.players[1]?.reading.positionMs += 900
        stage.advance(to: 2000)
        #expect(stage.commands() == [], "within 1000 ms there is no seek, and no rate to change")
        stage.players[1]?.reading.canSetRate = true
        stage.take(.playerChanged)
        #expect(stage.commands() == [.setRate(0.96)])
        stage.players[1]?.reading.positionMs += 5000
        stage.players[1]?.reading.seekAccuracyMs = 10_000
        stage.take(.playerChanged)
        #expect(stage.commands() == [.setRate(0.96)])
        stage.players[1]?.reading.seekAccuracyMs = 0
        stage.take(.playerChanged)
        #expect(stage.commands() == [.setRate(0.96), .setRate(1), .seek(2250)])
    }

    @Test("the end stops a hold and sets the offset to 0; close lets a player go that was never in a room (7.4, 13)")
    func ends() throws {
        var stage = try Stage.following(.sample(phase: .paused), plain())
        try #require(stage.take(.setOffset(500)).isEmpty == false)
        stage.take(.pause)
        #expect(stage.runningTimers.contains(.hold))
        stage.take(.leave)
        #expect(stage.runningTimers.isEmpty)
        #expect(stage.machine.state.offsetMs == 0)

        var idle = try Stage()
        idle.players[1] = plain()
        idle.take(.attachPlayer(1, 1))
        #expect(idle.take(.close(5)).contains(.letGo(1)))
        #expect(idle.machine.attachedAdapter == nil)
    }

    @Test("an attempt that is cancelled keeps the player, and one attached after the end is there for the next (7.2)")
    func keptByAttempts() throws {
        var stage = try Stage()
        stage.players[1] = plain()
        stage.take(.attachPlayer(1, 1))
        stage.take(.join(1, code: "K7MQ2X", create: false, onlyRelay))
        #expect(!stage.take(.leave).contains(.letGo(1)))
        #expect(stage.machine.attachedAdapter == 1)
        stage.take(.join(2, code: "K7MQ2X", create: false, onlyRelay))
        stage.take(.opened(2))
        stage.receive(.joined(paused, .sample()), on: 2)
        stage.receive(.closed(reason: "ended"), on: 2)
        #expect(stage.machine.attachedAdapter == nil)
        stage.take(.attachPlayer(1, 1))
        stage.take(.join(3, code: "K7MQ2X", create: false, onlyRelay))
        stage.take(.opened(3))
        stage.receive(.joined(paused, .sample()), on: 3)
        stage.take(.resolved(2, [found(1)]))
        #expect(stage.machine.state.player == .ready)
    }
}
