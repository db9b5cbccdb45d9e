// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPParty
import OWPSync
import OWPWire
import Testing

@Suite("Following the room (sections 10.2 and 11)")
struct FollowingTests {
    /// A playing room whose position is local time.
    private let playing = Room.sample(phase: .playing, positionMs: 0, atMs: 1_000_000, guestAndHost)

    private func inStep(rate: Bool = true) -> StagePlayer {
        var player = StagePlayer()
        player.reading.paused = false
        player.reading.canSetRate = rate
        return player
    }

    @Test("FR-06: a late joiner's player gets the rate, then one seek, then play, and is loading until then")
    func lateJoin() throws {
        let room = Room.sample(phase: .playing, positionMs: 600_000, atMs: 1_000_000, guestAndHost)
        var stage = try Stage.inRoom(room, .sample())
        stage.advance(by: 30_000)
        stage.players[1] = StagePlayer()
        stage.players[1]?.seekMs = 700
        stage.take(.attachPlayer(1, 1))
        stage.advance(by: 5000)
        #expect(stage.commands().prefix(3) == [.setRate(1), .seek(630_250), .play])
        #expect(
            stage.statuses(since: 30_000) == [StatusAt(30_250, .loading), StatusAt(30_700, .ready)]
        )
    }

    @Test("nothing is commanded before the first clock sample, but the binding's rate (section 11.1)")
    func noSample() throws {
        var stage = try Stage()
        stage.relayOffsetMs = nil
        stage.take(.join(1, code: "K7MQ2X", create: false, onlyRelay))
        stage.take(.opened(1))
        stage.receive(.joined(playing, .sample()))
        stage.take(.resolved(1, [OfferedCandidate(key: 1, ref: 1, durationMs: 7_200_000)]))
        stage.players[1] = StagePlayer()
        stage.take(.attachPlayer(1, 1))
        stage.advance(by: 4000)
        #expect(stage.commands() == [.setRate(1)])
        #expect(stage.machine.state.player == .loading)
    }

    @Test("binding: the ref decides, in either order of match and attach (section 10.2)")
    func binding() throws {
        var stage = try Stage.inRoom(.sample(guestAndHost), .sample(), resolves: false)
        stage.players[1] = StagePlayer()
        stage.take(.attachPlayer(1, 1))
        #expect(stage.commands() == [])
        stage.take(.resolved(1, [OfferedCandidate(key: 1, ref: 1, durationMs: 7_200_000)]))
        #expect(stage.commands() == [.setRate(1)])
        stage.take(.attachPlayer(1, 2))
        stage.advance(by: 1000)
        #expect(stage.machine.state.player == .loading)
        stage.take(.attachPlayer(1, 1))
        #expect(stage.commands() == [.setRate(1), .setRate(1)])
    }

    @Test("FR-08: a pending setMedia unbinds without a pause; the new title starts at its own position")
    func pendingMedia() throws {
        var player = inStep()
        player.reading.positionMs = 1_340_000
        let room = Room.sample(phase: .playing, positionMs: 1_340_000, atMs: 1_000_000)
        var stage = try Stage.following(room, player)
        let before = stage.commands().count
        stage.take(.setMedia(.sample("Y"), 9, 9, positionMs: 0))
        stage.advance(by: 10_000)
        #expect(stage.commands().count == before, "no command reaches the old player")
        #expect(stage.machine.state.player == .loading)
        stage.take(.setOffset(50))
        stage.receive(.room(.sample(rev: 2, epoch: 2), media: .valid(.sample("Y"))))
        stage.players[2] = StagePlayer()
        stage.take(.attachPlayer(2, 9))
        stage.advance(by: 2000)
        #expect(stage.commands().dropFirst(before) == [.setRate(1)])
        #expect(stage.machine.state.offsetMs == 0)
        #expect(stage.machine.state.player == .ready)
    }

    @Test("an error with re setMedia ends the pending, which binds again and steps (section 10.2)")
    func refusedMedia() throws {
        var stage = try Stage.following(playing, inStep())
        stage.receive(.room(.sample(rev: 2, phase: .playing, atMs: 1_000_000, hostAndGuest)))
        stage.take(.setMedia(.sample("Y"), 9, 9, positionMs: 0))
        stage.advance(by: 1000)
        #expect(stage.machine.state.player == .loading)
        let mark = stage.commands().count
        stage.receive(.error("rate_limited", re: "ping"))
        #expect(stage.commands().count == mark, "another error ends nothing")
        stage.receive(.error("forbidden", re: "setMedia"))
        #expect(stage.commands().dropFirst(mark) == [.setRate(1)])
        stage.advance(by: 500)
        #expect(stage.machine.state.player == .ready)
    }

    @Test("steps wait for the lane, and several requests become one step (section 11.1)")
    func lane() throws {
        var stage = try Stage.following(playing, inStep())
        stage.players[1]?.reading.positionMs += 10_000
        stage.players[1]?.seekMs = 1700
        stage.take(.playerChanged)
        let seekAt = stage.nowMs
        #expect(stage.commands(since: seekAt) == [.seek(1250)])
        stage.advance(by: 1699)
        #expect(stage.commands(since: seekAt).count == 1)
        stage.advance(by: 1)
        // Landed at P + 250 of the start, so 1450 behind: one nudge and no seek.
        #expect(stage.commands(since: seekAt) == [.seek(1250), .setRate(1.04)])
    }

    @Test("a nudge slows a player that is ahead until it is under 150 ms off, then the room's rate returns (11.2)")
    func nudge() throws {
        var stage = try Stage.following(playing, inStep())
        stage.players[1]?.reading.positionMs += 800
        stage.advance(by: 20_000)
        #expect(stage.commands(since: 1001) == [.setRate(0.96), .setRate(1)])
        #expect(abs((stage.players[1]?.reading.positionMs ?? 0) - stage.nowMs) < 150)
    }

    @Test("a nudged player that binds anew gets the room's rate once, and is not nudged (section 10.2)")
    func bindsWhileNudged() throws {
        var stage = try Stage.following(playing, inStep())
        stage.players[1]?.reading.positionMs += 800
        stage.advance(by: 600)
        #expect(stage.commands().last == .setRate(0.96))
        let mark = stage.commands().count
        stage.take(.choose(3, OfferedCandidate(key: 2, ref: 2, durationMs: 7_200_000)))
        stage.players[1]?.reading.positionMs = stage.nowMs + 200
        stage.take(.choose(4, OfferedCandidate(key: 1, ref: 1, durationMs: 7_200_000)))
        stage.advance(by: 3000)
        #expect(stage.commands().dropFirst(mark) == [.setRate(1)], "200 ms are inside the deadband, not in a nudge")
    }

    @Test("FR-24: a seek made in the player itself is undone, and the room is not told")
    func ownSeek() throws {
        var stage = try Stage.following(playing, inStep())
        stage.advance(to: 60_000)
        stage.players[1]?.reading.positionMs = 145_000
        stage.advance(to: 60_500)
        #expect(stage.commands(since: 60_000) == [.seek(60_750)])
        #expect(
            stage.sent(since: 60_000).allSatisfy { if case .status = $0 { true } else { false } }
        )
    }

    @Test("FR-21: a declared seek cost means one seek and a nudge; undeclared, every landing seeks again (11.2)")
    func slowSeeks() throws {
        func seeks(accuracy: Int64, cost: Int64, rate: Bool) throws -> [PlayerAction] {
            var player = inStep(rate: rate)
            player.seekMs = cost
            player.reading.seekAccuracyMs = accuracy
            var stage = try Stage.following(playing, player)
            stage.players[1]?.reading.positionMs -= 10_000
            stage.advance(to: 91_000)
            return stage.commands(since: 1001)
        }
        let declared = try seeks(accuracy: 3000, cost: 3000, rate: true)
        #expect(declared.count == 3)
        #expect(declared.dropFirst() == [.setRate(1.04), .setRate(1)])
        #expect(try seeks(accuracy: 1500, cost: 1500, rate: false).count == 1)
        #expect(try seeks(accuracy: 0, cost: 3000, rate: true).count >= 29)
        #expect(try seeks(accuracy: 0, cost: 1500, rate: false).count >= 40)
    }

    @Test("FR-22: a keyframe player that declares its distance is ready without a seek (10.2 and 11.2)")
    func keyframes() throws {
        let room = Room.sample(phase: .waiting, positionMs: 600_000, guestAndHost)
        var player = StagePlayer()
        player.reading.positionMs = 596_000
        player.reading.seekAccuracyMs = 5000
        player.seekErrorMs = -4000
        var stage = try Stage.following(room, player)
        stage.advance(by: 20_000)
        #expect(stage.commands() == [.setRate(1)])
        #expect(stage.machine.state.player == .ready)
        player.reading.seekAccuracyMs = 0
        var undeclared = try Stage.following(room, player)
        undeclared.advance(to: 19_999)
        #expect(undeclared.commands() == [.setRate(1)] + Array(repeating: .seek(600_000), count: 10))
        #expect(undeclared.machine.state.player == .loading)
    }

    @Test("FR-29: running out of cache is buffering, commands nothing, and a long one ends with one seek")
    func cache() throws {
        var stage = try Stage.following(playing, inStep())
        stage.advance(to: 10_000)
        stage.players[1]?.reading.buffering = true
        stage.take(.playerChanged)
        stage.advance(by: 3000)
        #expect(stage.commands(since: 10_000).isEmpty)
        #expect(stage.machine.state.player == .buffering)
        stage.players[1]?.reading.buffering = false
        stage.players[1]?.seekMs = 200
        stage.take(.playerChanged)
        #expect(stage.commands(since: 10_000) == [.seek(13_250)])
        #expect(stage.machine.state.player == .loading)
        stage.advance(by: 250)
        #expect(stage.machine.state.player == .ready)
        stage.receive(.room(.sample(rev: 2, phase: .paused, positionMs: 13_250, guestAndHost)))
        stage.players[1]?.reading.buffering = true
        stage.take(.playerChanged)
        #expect(stage.machine.state.player == .loading, "never buffering in a room that stands")
    }

    @Test("an offset below 0 holds the player until its own start, by the play timer (section 11.2)")
    func playTimer() throws {
        var stage = try Stage.following(playing, StagePlayer())
        stage.advance(to: 2000)
        stage.take(.setOffset(-5000))
        #expect(stage.runningTimers.contains(.play))
        stage.advance(to: 4999)
        #expect(!stage.commands(since: 2000).contains(.play))
        stage.advance(to: 5000)
        #expect(stage.commands(since: 2000).last == .play)
        #expect(!stage.runningTimers.contains(.play))
    }

    // MARK: Release

    @Test("detach drops what has not started, and ends once the running command has (section 11.2)")
    func release() throws {
        var stage = try Stage.following(playing, inStep())
        stage.players[1]?.reading.positionMs += 800
        stage.advance(by: 600)
        #expect(stage.commands().last == .setRate(0.96))
        stage.endsCommands = false
        stage.players[1]?.reading.positionMs += 10_000
        stage.take(.playerChanged)
        #expect(stage.commands().last == .setRate(1), "a seek is queued behind it, and the nudge has ended")
        #expect(!stage.take(.detachPlayer(5, nil)).contains(.finish(5, .released)))
        #expect(stage.take(.commandEnded(1, nil)) == [.letGo(1), .finish(5, .released)])
    }

    @Test("a nudged player is left with the room's rate, also after close (section 11.2)")
    func restoresRate() throws {
        var stage = try Stage.following(playing, inStep())
        stage.players[1]?.reading.positionMs += 800
        stage.advance(by: 600)
        #expect(stage.commands().last == .setRate(0.96))
        stage.endsCommands = false
        let effects = stage.take(.close(5))
        #expect(effects.first == .command(1, .setRate(1)))
        #expect(effects.last == .finishStreams)
        #expect(stage.take(.commandEnded(1, nil)) == [.letGo(1), .finish(5, .released)])
    }

    @Test("a player that comes to a closed party is let go, after what it still owes the last release (section 7.4)")
    func attachedAfterClose() throws {
        var stage = try Stage.following(.sample(phase: .paused))
        stage.endsCommands = false
        stage.take(.seek(5000))
        stage.take(.close(5))
        #expect(stage.take(.attachPlayer(1, 1)) == [], "its seek still runs")
        #expect(stage.take(.attachPlayer(2, 1)) == [.letGo(2)])
        #expect(stage.take(.commandEnded(1, nil)) == [.letGo(1), .finish(5, .released)])
        #expect(stage.machine.attachedAdapter == nil)
    }

    @Test("attaching another player releases the first; their lanes do not wait for each other (section 11)")
    func replaced() throws {
        var stage = try Stage.following(playing, inStep())
        stage.endsCommands = false
        stage.players[1]?.reading.positionMs += 10_000
        stage.take(.playerChanged)
        stage.players[2] = inStep()
        stage.players[2]?.reading.positionMs = stage.nowMs
        stage.take(.attachPlayer(2, 1))
        #expect(stage.commands().last == .setRate(1))
        stage.take(.commandEnded(2, nil))
        #expect(stage.machine.state.player == .ready)
        #expect(stage.machine.attachedAdapter == 2)
        #expect(stage.take(.commandEnded(1, 3)) == [.letGo(1)], "its outcome is ignored")
    }

    @Test("the rate of a nudged player is its own: one attached after it owes nothing (section 11.2)")
    func rateOnce() throws {
        var stage = try Stage.following(playing, inStep())
        stage.players[1]?.reading.positionMs += 800
        stage.advance(by: 600)
        #expect(stage.commands().last == .setRate(0.96))
        stage.take(.detachPlayer(5, nil))
        stage.players[2] = StagePlayer()
        stage.take(.attachPlayer(2, 7))
        let effects = stage.take(.detachPlayer(6, nil))
        #expect(!effects.contains { if case .command = $0 { true } else { false } })
    }

    @Test("the same player attached again keeps its lane and queued commands (section 10.2)")
    func sameAgain() throws {
        var stage = try Stage.following(.sample(phase: .paused, guestAndHost))
        stage.endsCommands = false
        stage.players[1]?.reading.paused = false
        stage.players[1]?.reading.positionMs = 5000
        stage.take(.playerChanged)
        stage.take(.attachPlayer(1, 1))
        #expect(stage.commands(since: stage.nowMs) == [.pause])
        stage.take(.commandEnded(1, nil))
        #expect(stage.commands(since: stage.nowMs) == [.pause, .seek(0)])
    }

    @Test("a player attached while idle stays attached into the session, and the party's end lets it go (7.2, 7.4)")
    func attachedIdle() throws {
        var stage = try Stage()
        stage.players[1] = StagePlayer()
        stage.take(.attachPlayer(1, 1))
        stage.take(.join(1, code: "K7MQ2X", create: false, onlyRelay))
        stage.take(.openFailed(1, nil))
        #expect(stage.machine.attachedAdapter == 1)
        stage.take(.join(2, code: "K7MQ2X", create: false, onlyRelay))
        stage.take(.opened(2))
        stage.receive(.joined(.sample(guestAndHost), .sample()), on: 2)
        stage.take(.resolved(1, [OfferedCandidate(key: 1, ref: 1, durationMs: 7_200_000)]))
        #expect(stage.machine.state.player == .ready)
        #expect(stage.take(.leave).contains(.letGo(1)))
        #expect(stage.machine.attachedAdapter == nil)
    }
}
