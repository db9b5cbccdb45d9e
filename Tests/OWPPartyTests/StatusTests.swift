// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPParty
import OWPSync
import OWPWire
import Testing

@Suite("Status and player state (section 10)")
struct StatusTests {
    @Test("FR-02: a detached player leaves the wait at once, also of the next epochs (sections 10.2 and 10.3)")
    func detached() throws {
        var stage = try Stage.inRoom(.sample(epoch: 7, guestAndHost), .sample())
        stage.advance(by: 1000)
        let away = StatusMessage(
            epoch: 7,
            player: .idle,
            match: Match(state: .matched, deltaMs: 0),
            offsetMs: 0,
            rttMs: 0
        )
        let effects = stage.take(.detachPlayer(5, nil))
        #expect(effects.contains(.send(1, .status(away))))
        #expect(effects.last == .finish(5, .released) || effects.contains(.finish(5, .released)))
        stage.advance(by: 1000)
        #expect(stage.take(.detachPlayer(6, nil)) == [.finish(6, .released)])
        let next = stage.receive(.room(.sample(rev: 2, epoch: 8, guestAndHost), media: .valid(.sample("Other"))))
        let searching = StatusMessage(
            epoch: 8,
            player: .idle,
            match: Match(state: .searching),
            offsetMs: 0,
            rttMs: 0
        )
        #expect(next.contains(.send(1, .status(searching))))
    }

    @Test("detachPlayer of a player that is not attached changes nothing, and ends at once (section 10.2)")
    func detachesOther() throws {
        var stage = try Stage.following(.sample(phase: .paused))
        #expect(stage.take(.detachPlayer(5, 2)) == [.finish(5, .released)])
        #expect(stage.machine.state.player == .ready)
        #expect(stage.machine.attachedAdapter == 1)
        stage.take(.detachPlayer(6, 1))
        #expect(stage.machine.attachedAdapter == nil)
        #expect(stage.machine.state.player == .idle)
    }

    @Test("FR-05: away survives epochs and drops; attaching ends it, without a new join (sections 9.1 and 10.2)")
    func backFromAway() throws {
        var stage = try Stage.inRoom(.sample(epoch: 7, guestAndHost), .sample())
        stage.take(.detachPlayer(5, nil))
        stage.advance(by: 1000)
        stage.receive(.room(.sample(rev: 2, epoch: 8, guestAndHost), media: .valid(.sample("Other"))))
        stage.advance(by: 1000)
        stage.take(.resolved(2, [OfferedCandidate(key: 2, ref: 2, durationMs: 7_200_000)]))
        #expect(stage.machine.state.choice == 2)
        stage.advance(by: 1000)
        #expect(stage.statuses(since: 1).allSatisfy { $0.player == .idle })
        stage.players[1] = StagePlayer()
        stage.take(.attachPlayer(1, 2))
        #expect(stage.machine.state.player == .ready)
        #expect(stage.openTimes.count == 1)
    }

    @Test("a drop and its resume keep the party away (section 10.2)")
    func awayReconnects() throws {
        var stage = try Stage.inRoom(.sample(guestAndHost), .sample())
        stage.take(.detachPlayer(5, nil))
        stage.take(.ended(1, closeCode: 1001, nil))
        stage.advance(by: 375)
        stage.take(.opened(2))
        stage.receive(.joined(.sample(rev: 2, guestAndHost)), on: 2)
        #expect(stage.machine.state.connection == .connected)
        #expect(stage.statuses().last == StatusAt(375, .idle))
    }

    @Test("an attempt clears away (section 7.2)")
    func attemptClearsAway() throws {
        var stage = try Stage()
        stage.take(.detachPlayer(5, nil))
        stage.take(.join(1, code: "K7MQ2X", create: false, onlyRelay))
        stage.take(.opened(1))
        stage.receive(.joined(.sample(guestAndHost), .sample()))
        #expect(stage.statuses() == [StatusAt(0, .loading)])
    }

    @Test("FR-04: the first frame is seen at the next tick, or at playerChanged (section 10.3)")
    func firstFrame() throws {
        var player = StagePlayer()
        player.reading.firstFrameShown = false
        var stage = try Stage.following(.sample(), player)
        stage.advance(to: 5200)
        #expect(stage.machine.state.player == .loading)
        stage.players[1]?.reading.firstFrameShown = true
        stage.advance(to: 5499)
        stage.receive(.pong(id: 77, serverTimeMs: 0))
        stage.take(.received(1, "nonsense"))
        stage.receive(.room(.sample(rev: 1)))
        #expect(stage.machine.state.player == .loading, "a pong does not look at the player")
        stage.advance(to: 5500)
        #expect(stage.statuses().last == StatusAt(5500, .ready))
        #expect(stage.commands() == [.setRate(1)])

        var told = try Stage.following(.sample(), player)
        told.players[1]?.reading.firstFrameShown = true
        told.advance(to: 1100)
        told.take(.playerChanged)
        #expect(told.statuses().last == StatusAt(1100, .ready))
    }

    @Test("FR-23: edges of buffering are spaced by 250 ms, and command nothing (sections 10.3 and 11.2)")
    func bufferingEdges() throws {
        var player = StagePlayer()
        player.reading.paused = false
        let room = Room.sample(phase: .playing, positionMs: 0, atMs: 1_000_000, guestAndHost)
        var stage = try Stage.following(room, player)
        stage.advance(to: 10_000)
        let mark = stage.log.count
        for index in 0..<10 {
            stage.players[1]?.reading.buffering = index.isMultiple(of: 2)
            stage.take(.playerChanged)
            // The picture stands for a moment that the test does not count.
            stage.players[1]?.reading.positionMs = stage.nowMs + 100
            stage.advance(by: 100)
        }
        stage.advance(by: 400)
        #expect(
            stage.statuses(since: 10_000) == [
                StatusAt(10_000, .buffering), StatusAt(10_300, .ready), StatusAt(10_600, .buffering),
                StatusAt(10_900, .ready),
            ]
        )
        #expect(!stage.log[mark...].contains { if case .command = $0.effect { true } else { false } })
    }

    @Test("FR-01: a long pause is told every 15 s, and the room starts on time after it (sections 10.3 and 11.2)")
    func longPause() throws {
        let room = Room.sample(rev: 1, epoch: 4, phase: .paused, positionMs: 600_000, guestAndHost)
        var player = StagePlayer()
        player.reading.positionMs = 600_000
        var stage = try Stage.following(room, player)
        let start = try #require(stage.statuses().last)
        #expect(start.player == .ready)
        stage.advance(to: start.atMs + 600_000)
        let during = stage.statuses(since: start.atMs + 1)
        #expect(during == (1...40).map { StatusAt(start.atMs + 15_000 * $0, .ready) })
        let waitingAt = stage.nowMs
        stage.receive(
            .room(.sample(rev: 2, epoch: 4, phase: .waiting, positionMs: 600_000, waitingOn: ["a1"], guestAndHost))
        )
        stage.advance(by: 200)
        #expect(stage.machine.state.player == .ready)
        let atMs = stage.nowMs + 1000
        stage.receive(
            .room(
                .sample(
                    rev: 3,
                    epoch: 4,
                    phase: .playing,
                    positionMs: 600_000,
                    atMs: atMs + 1_000_000,
                    guestAndHost
                )
            )
        )
        stage.advance(to: atMs - 1)
        #expect(stage.commands(since: waitingAt).isEmpty)
        stage.advance(to: atMs)
        #expect(stage.commands(since: waitingAt) == [.play])
    }

    @Test("a status of a new epoch skips the spacing; a change within it goes out with the values of then (10.3)")
    func spacing() throws {
        var stage = try Stage.inRoom(.sample(guestAndHost), .sample(), resolves: false)
        stage.advance(by: 100)
        stage.take(.setOffset(5))
        stage.advance(by: 100)
        stage.take(.setOffset(6))
        stage.advance(by: 49)
        #expect(stage.sent(since: 1).isEmpty)
        stage.advance(by: 1)
        let searching = Match(state: .searching)
        #expect(
            stage.sent(since: 1) == [
                .status(StatusMessage(epoch: 1, player: .loading, match: searching, offsetMs: 6, rttMs: 0))
            ]
        )
        stage.take(.setOffset(7))
        stage.take(.setOffset(6))
        stage.advance(by: 14_999)
        #expect(stage.sent(since: 251).isEmpty, "no longer different")
        stage.receive(.room(.sample(rev: 2, epoch: 2, phase: .idle, guestAndHost), media: .none))
        #expect(stage.statuses().last == StatusAt(stage.nowMs, .idle))
    }

    @Test("a change of the round trip alone sends nothing; a status has the best one (section 10.1)")
    func rtt() throws {
        var stage = try Stage()
        stage.relayOffsetMs = nil
        stage.take(.create(1, onlyRelay))
        stage.take(.opened(1))
        stage.receive(.joined(.sample(epoch: 0, phase: .idle)))
        stage.advance(by: 30)
        #expect(!stage.receive(.pong(id: 1, serverTimeMs: 9)).contains { if case .send = $0 { true } else { false } })
        stage.advance(to: 15_000)
        let statuses = stage.sent().compactMap { if case .status(let status) = $0 { status } else { nil } }
        #expect(statuses.map(\.rttMs) == [nil, 30], "absent before the first sample")
    }

    @Test("a play that throws on a player that stays paused blocks it, once, until it plays (section 10.2)")
    func blocked() throws {
        var player = StagePlayer()
        player.refusesPlay = true
        let room = Room.sample(phase: .playing, positionMs: 0, atMs: 1_000_000, guestAndHost)
        var stage = try Stage.following(room, player)
        stage.advance(by: 2000)
        #expect(stage.events().count == 1)
        guard case .playBlocked? = stage.events().first else { return #expect(Bool(false)) }
        #expect(stage.machine.state.player == .loading)
        #expect(stage.commands().filter { $0 == .play }.count > 2, "each step still asks")
        stage.players[1]?.refusesPlay = false
        stage.players[1]?.reading.paused = false
        stage.take(.playerChanged)
        stage.advance(by: 4000)
        #expect(stage.machine.state.player == .ready)
        #expect(stage.events().count == 1)
    }

    @Test("a player is looked at once its lane is empty, not between two commands (section 10.3)")
    func betweenCommands() throws {
        let room = Room.sample(phase: .playing, positionMs: 0, atMs: 1_000_000, guestAndHost)
        var stage = try Stage.inRoom(room, .sample())
        stage.advance(by: 10_000)
        stage.endsCommands = false
        stage.players[1] = StagePlayer()
        stage.take(.attachPlayer(1, 1))
        stage.take(.commandEnded(1, nil))
        #expect(stage.commands() == [.setRate(1), .seek(10_250)])
        stage.players[1]?.reading.positionMs = 10_250
        stage.take(.commandEnded(1, nil))
        #expect(stage.commands().last == .play)
        stage.take(.commandEnded(1, 9))
        #expect(stage.statuses(since: 10_000) == [], "it was never able to play at once")
        #expect(stage.machine.state.player == .loading)
        stage.players[1]?.reading.paused = false
        stage.take(.playerChanged)
        #expect(stage.statuses(since: 10_000) == [StatusAt(10_000, .ready)])
    }

    @Test("FR-26: a pause that fails is repeated by the next step (section 11.1)")
    func lostPause() throws {
        var player = StagePlayer()
        player.reading.positionMs = 302_000
        player.reading.paused = false
        player.reading.canSetRate = false
        player.failingPauses = 1
        let room = Room.sample(phase: .paused, positionMs: 300_000, guestAndHost)
        var stage = try Stage.inRoom(room, .sample())
        stage.players[1] = player
        stage.take(.attachPlayer(1, 1))
        stage.advance(by: 3000)
        #expect(stage.commands() == [.pause, .seek(300_000), .pause])
        #expect(abs((stage.players[1]?.reading.positionMs ?? 0) - 300_000) <= 500)
    }
}
