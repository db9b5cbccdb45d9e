// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPParty
import OWPSync
import OWPWire
import Testing

@Suite("Reconnect and resume (section 14)")
struct ReconnectTests {
    private let resume = ClientMessage.resume(code: "K7MQ2X", peerId: "a1", token: token)

    /// A party whose connection dropped, with attempt 1 open and `resume` sent.
    private func resuming(_ stage: Stage) -> Stage {
        var stage = stage
        stage.relayOffsetMs = nil
        stage.take(.ended(1, closeCode: 1001, nil))
        stage.advance(by: 375)
        stage.take(.opened(2))
        return stage
    }

    private func pong(_ stage: Stage, _ offsetMs: Int64 = 1_000_000) -> RelayMessage {
        .pong(id: 1, serverTimeMs: stage.nowMs + offsetMs)
    }

    @Test("a drop: reconnecting, the status timer stops, the window starts, attempt 1 draws its factor")
    func drop() throws {
        var stage = try Stage.inRoom(.sample(guestAndHost), .sample())
        var state = stage.machine.state
        state.connection = .reconnecting
        #expect(
            stage.take(.ended(1, closeCode: 1009, nil)) == [
                .cancelTimer(.ping(1)),
                .cancelTimer(.silence),
                .cancelTimer(.status),
                .startTimer(.resumeWindow, afterMs: 300_000),
                .drawRandom,
                .publish(state),
            ]
        )
        stage.advance(by: 375)
        #expect(stage.log.last?.effect == .startTimer(.deadline(2), afterMs: 10_000))
        stage.take(.opened(2))
        #expect(stage.sent().last == resume)
    }

    @Test("status 4000 ends the party as replaced; it never resumes (section 7.4)")
    func replaced() throws {
        var stage = try Stage.following(.sample(guestAndHost))
        stage.take(.ended(1, closeCode: 4000, nil))
        #expect(stage.events() == [.ended(.replaced, nil)])
        #expect(stage.machine.state.endReason == .replaced)
        #expect(stage.machine.attachedAdapter == nil)
        #expect(stage.runningTimers.isEmpty)
        #expect(!stage.log.contains { $0.effect == .close(1) }, "the relay closed it")
    }

    @Test("FR-15: attempts go on for the whole window: 53 of them, then lost with unreachable")
    func window() throws {
        var stage = try Stage.inRoom(.sample(guestAndHost), .sample())
        stage.opens = .refused
        stage.take(.ended(1, closeCode: nil, nil))
        stage.advance(to: 299_999)
        let times = stage.openTimes.dropFirst()
        #expect(times.prefix(7) == [375, 1125, 2625, 5625, 11_625, 17_625, 23_625])
        #expect(times.count == 53)
        #expect(times.last == 299_625)
        #expect(stage.machine.state.connection == .reconnecting)
        stage.advance(to: 300_000)
        #expect(stage.events() == [.ended(.lost, PartyFailure(.unreachable, "the relay cannot be reached"))])
        #expect(stage.log.filter { $0.effect == .drawRandom }.count == 54)
        #expect(stage.runningTimers.isEmpty)
    }

    @Test("an attempt fails by no open, no answer and a close before the switch; the next waits from that failure")
    func failures() throws {
        var stage = try Stage.inRoom(.sample(guestAndHost), .sample())
        stage.relayOffsetMs = nil
        stage.take(.ended(1, closeCode: 1001, nil))
        stage.advance(to: 10_375)
        #expect(stage.openTimes.dropFirst() == [375], "not opened within 10 s")
        #expect(stage.log.contains { $0.effect == .close(2) })
        stage.advance(to: 11_125)
        #expect(stage.openTimes.dropFirst() == [375, 11_125])
        stage.advance(to: 12_000)
        stage.take(.opened(3))
        stage.receive(.error("rate_limited", re: "ping"), on: 3)
        stage.advance(to: 22_000)
        #expect(stage.log.contains { $0.effect == .close(3) }, "not answered within 10 s of the request")
        stage.advance(to: 23_500)
        #expect(stage.openTimes.last == 23_500)
        stage.take(.opened(4))
        stage.receive(.joined(.sample(rev: 2, guestAndHost)), on: 4)
        stage.take(.ended(4, closeCode: 4000, nil))
        #expect(stage.machine.state.connection == .reconnecting, "no status ends a party that was not switched to")
        #expect(stage.runningTimers.contains(.backoff))
        #expect(stage.events().isEmpty)
    }

    @Test("a resume that is out when the window passes is waited for, and its joined is answered with leave")
    func lateAnswer() throws {
        var stage = try Stage.inRoom(.sample(guestAndHost), .sample())
        stage.opens = .refused
        stage.take(.ended(1, closeCode: nil, nil))
        stage.advance(to: 299_000)
        stage.opens = .byHand
        stage.advance(to: 299_625)
        let key = ConnectionKey(stage.openTimes.count)
        stage.take(.opened(key))
        stage.advance(to: 300_000)
        #expect(stage.machine.state.endReason == .lost)
        #expect(!stage.log.contains { $0.effect == .close(key) })
        stage.receive(.joined(.sample(guestAndHost)), on: key)
        #expect(stage.log.suffix(3).map(\.effect).contains(.send(key, .leave)))
        #expect(stage.log.last?.effect == .close(key))
    }

    @Test("15 s without a message is a drop, closed with 1000; any message counts")
    func silence() throws {
        var stage = try Stage.inRoom()
        stage.advance(by: 100_000)
        #expect(stage.machine.state.connection == .connected, "pongs are messages")
        stage.relayOffsetMs = nil
        let last = stage.nowMs
        stage.take(.received(1, "nonsense"))
        stage.advance(to: last + 14_999)
        #expect(stage.machine.state.connection == .connected)
        stage.advance(to: last + 15_000)
        #expect(stage.machine.state.connection == .reconnecting)
        #expect(stage.log.contains { $0.effect == .close(1) })
    }

    @Test("silence counts from the last message, also one from before the switch")
    func silenceAfterSwitch() throws {
        var stage = resuming(try Stage.inRoom(.sample(guestAndHost), .sample()))
        stage.receive(pong(stage), on: 2)
        stage.advance(to: 4375)
        stage.receive(.joined(.sample(rev: 2, guestAndHost)), on: 2)
        stage.advance(to: 19_374)
        #expect(stage.machine.state.connection == .connected)
        stage.advance(to: 19_375)
        #expect(stage.machine.state.connection == .reconnecting)
    }

    @Test("the new connection has its own pings, before and after its joined; the switch runs a step")
    func pingsAndStep() throws {
        var player = StagePlayer()
        player.reading.canSetRate = false
        var stage = resuming(try Stage.following(.sample(phase: .paused, guestAndHost), player))
        let openedAt = stage.nowMs
        stage.advance(by: 700)
        stage.receive(.joined(.sample(rev: 2, phase: .paused, positionMs: 9000, guestAndHost)), on: 2)
        stage.advance(by: 5000)
        let pings: [[Int64]] = stage.log.compactMap {
            if case .send(2, .ping(let id)) = $0.effect { [$0.atMs - openedAt, id] } else { nil }
        }
        #expect(pings == [[0, 1], [500, 2], [1000, 3], [5000, 4]])
        #expect(stage.commands(since: openedAt) == [])
        stage.receive(.pong(id: 4, serverTimeMs: stage.nowMs + 1_000_000), on: 2)
        #expect(stage.commands(since: openedAt) == [.seek(9000)])
    }

    @Test("leave while an attempt opens closes it")
    func leaveWhileOpening() throws {
        var stage = try Stage.inRoom(.sample(guestAndHost), .sample())
        stage.take(.ended(1, closeCode: 1001, nil))
        stage.advance(by: 375)
        #expect(stage.take(.leave).contains(.close(2)))
        #expect(stage.runningTimers.isEmpty)
    }

    @Test("the switch needs joined and a clock sample, in either order; until then nothing changes")
    func switches() throws {
        let room = Room.sample(rev: 40, guestAndHost)
        var joinedFirst = resuming(try Stage.inRoom(.sample(rev: 50, guestAndHost), .sample()))
        joinedFirst.receive(.joined(room), on: 2)
        #expect(joinedFirst.machine.state.connection == .reconnecting)
        joinedFirst.receive(pong(joinedFirst), on: 2)
        #expect(joinedFirst.machine.state.connection == .connected)
        #expect(joinedFirst.machine.state.room == room, "at any rev")
        var pongFirst = resuming(try Stage.inRoom(.sample(guestAndHost), .sample()))
        pongFirst.receive(pong(pongFirst), on: 2)
        pongFirst.receive(.joined(room), on: 2)
        #expect(pongFirst.machine.state.connection == .connected)
        #expect(pongFirst.log.filter { $0.effect == .relaysJoined }.count == 2, "a joined like another (section 3.3)")
        #expect(!pongFirst.runningTimers.contains(.resumeWindow))
        #expect(!pongFirst.runningTimers.contains(.deadline(2)))
    }

    @Test("a joined without a sample within 10 s of the request is a failed attempt, closed with 1000")
    func noSample() throws {
        var stage = resuming(try Stage.inRoom(.sample(guestAndHost), .sample()))
        stage.receive(.joined(.sample(rev: 2, guestAndHost)), on: 2)
        stage.advance(by: 10_000)
        #expect(stage.log.contains { $0.effect == .close(2) })
        #expect(stage.machine.state.connection == .reconnecting)
        #expect(stage.runningTimers.contains(.backoff))
    }

    @Test("FR-09: the same epoch keeps offset, choice and player; one status follows joined (sections 7.3 and 14)")
    func sameEpoch() throws {
        let room = Room.sample(phase: .playing, positionMs: 1_300_000, atMs: 1_000_000, guestAndHost)
        var player = StagePlayer()
        player.reading.paused = false
        player.reading.positionMs = 1_302_000
        var stage = try Stage.inRoom(room, .sample())
        stage.players[1] = player
        stage.take(.setOffset(2000))
        stage.take(.attachPlayer(1, 1))
        stage.advance(to: 57_000)
        stage.relayOffsetMs = nil
        let mark = stage.commands().count
        stage.take(.ended(1, closeCode: 1001, nil))
        stage.advance(to: 61_000)
        #expect(stage.machine.roomPositionMs(atLocalMs: 61_000) == 1_361_000)
        stage.take(.opened(2))
        stage.receive(pong(stage, 1_000_040), on: 2)
        stage.receive(.joined(room, .sample("Other, ignored")), on: 2)
        #expect(stage.machine.roomPositionMs(atLocalMs: 61_000) == 1_361_040)
        stage.advance(to: 63_000)
        #expect(stage.commands().count == mark)
        #expect(stage.machine.state.offsetMs == 2000)
        #expect(stage.machine.state.choice == 1)
        #expect(stage.machine.state.media?.title == "Heat")
        let status = StatusMessage(
            epoch: 1,
            player: .ready,
            match: Match(state: .matched, deltaMs: 0),
            offsetMs: 2000,
            rttMs: 0
        )
        #expect(stage.sent(since: 57_000) == [resume, .status(status)])
    }

    @Test("another epoch is handled as a new one, with its media (sections 9.1 and 14)")
    func newEpoch() throws {
        var stage = resuming(try Stage.inRoom(.sample(guestAndHost), .sample()))
        stage.take(.setOffset(5))
        stage.receive(pong(stage), on: 2)
        stage.receive(.joined(.sample(epoch: 9, guestAndHost), .sample("Other")), on: 2)
        #expect(stage.machine.state.media?.title == "Other")
        #expect(stage.machine.state.match == Match(state: .searching))
        #expect(stage.machine.state.offsetMs == 0)
    }

    @Test("FR-12: comings and goings during the drop are events, without an action (section 15)")
    func comings() throws {
        var stage = resuming(try Stage.inRoom(.sample(hostAndGuest + [.peer("c1")]), .sample()))
        stage.receive(pong(stage), on: 2)
        stage.receive(.joined(.sample(rev: 9, hostAndGuest + [.peer("d1")])), on: 2)
        #expect(stage.events() == [.participantJoined(.peer("d1")), .participantLeft(.peer("c1"))])
    }

    @Test("messages between joined and the switch are handled in order after it (section 7.3)")
    func backlog() throws {
        var stage = resuming(try Stage.inRoom(.sample(guestAndHost), .sample()))
        stage.receive(.joined(.sample(rev: 9, guestAndHost)), on: 2)
        let first = Room.sample(rev: 10, phase: .paused, guestAndHost)
        let second = Room.sample(rev: 11, phase: .waiting, guestAndHost)
        stage.receive(.room(first, action: RoomAction(kind: "pause", by: "b1")), on: 2)
        stage.receive(.room(second, action: RoomAction(kind: "play", by: "b1")), on: 2)
        stage.receive(.closed(reason: "kicked"), on: 2)
        stage.receive(.room(.sample(rev: 12, guestAndHost), action: RoomAction(kind: "x", by: nil)), on: 2)
        #expect(stage.events() == [])
        let mark = stage.log.count
        stage.receive(pong(stage), on: 2)
        let shown: [Int64] = stage.log[mark...].compactMap {
            if case .publish(let state) = $0.effect { state.room?.rev } else { nil }
        }
        #expect(shown == [9, 10, 11], "each is shown, and nothing after closed")
        #expect(
            stage.events() == [
                .action(kind: "pause", byPeerId: "b1", by: .peer("b1", host: true), byMe: false, room: first),
                .action(kind: "play", byPeerId: "b1", by: .peer("b1", host: true), byMe: false, room: second),
                .ended(.kicked, nil),
            ]
        )
    }

    @Test("resume_failed and client_blocked end the party as lost; any other error fails the attempt")
    func refused() throws {
        for code in [PartyError.Code.resumeFailed, .clientBlocked] {
            var stage = resuming(try Stage.inRoom(.sample(guestAndHost), .sample()))
            stage.receive(.error(code.rawValue, re: "resume"), on: 2)
            #expect(stage.events() == [.ended(.lost, PartyFailure(code, "no", re: "resume"))])
            #expect(stage.runningTimers.isEmpty)
        }
        var stage = resuming(try Stage.inRoom(.sample(guestAndHost), .sample()))
        stage.receive(.error("rate_limited", re: "resume"), on: 2)
        #expect(stage.log.contains { $0.effect == .close(2) })
        #expect(stage.machine.state.connection == .reconnecting)
        #expect(stage.runningTimers.contains(.backoff))
        #expect(stage.events() == [])
    }

    @Test("a malformed joined of a resume closes without leave, and the attempt has failed (section 8)")
    func malformed() throws {
        var stage = resuming(try Stage.inRoom(.sample(guestAndHost), .sample()))
        let text = RelayMessage.joined(.sample(guestAndHost)).text.replacing(token, with: "short")
        stage.take(.received(2, text))
        #expect(!stage.sent().contains(.leave))
        #expect(stage.log.contains { $0.effect == .close(2) })
        #expect(stage.runningTimers.contains(.backoff))
    }

    @Test("leave while reconnecting ends the party and sends nothing; a resume that is out is answered with leave")
    func leaves() throws {
        var waiting = try Stage.inRoom(.sample(guestAndHost), .sample())
        waiting.take(.ended(1, closeCode: nil, nil))
        waiting.advance(by: 100)
        waiting.take(.leave)
        #expect(waiting.sent(since: 100) == [])
        #expect(waiting.events() == [.ended(.left, nil)])
        #expect(waiting.runningTimers.isEmpty)

        var asked = resuming(try Stage.inRoom(.sample(guestAndHost), .sample()))
        asked.take(.leave)
        #expect(!asked.log.contains { $0.effect == .close(2) })
        asked.receive(.joined(.sample(guestAndHost)), on: 2)
        #expect(asked.sent().last == .leave)
        #expect(asked.log.last?.effect == .close(2))
        #expect(asked.runningTimers.isEmpty)
    }

    @Test("a pending setMedia is sent again right after the status, if the party is still host and the epoch the same")
    func pendingMedia() throws {
        let message = ClientMessage.setMedia(media: .sample("Y"), positionMs: 0)
        var stage = try Stage.inRoom(.sample(epoch: 3, phase: .idle))
        stage.take(.setMedia(.sample("Y"), 9, 9, positionMs: 0))
        var host = resuming(stage)
        host.receive(pong(host), on: 2)
        host.receive(.joined(.sample(epoch: 3, phase: .idle)), on: 2)
        guard case .status? = host.sent().dropLast().last else { return #expect(Bool(false)) }
        #expect(host.sent().last == message)

        var guest = resuming(stage)
        guest.receive(pong(guest), on: 2)
        guest.receive(.joined(.sample(epoch: 3, phase: .idle, guestAndHost)), on: 2)
        #expect(guest.sent().filter { $0 == message }.count == 1)

        var arrived = resuming(stage)
        arrived.receive(pong(arrived), on: 2)
        arrived.receive(.joined(.sample(epoch: 4), .sample("Y")), on: 2)
        #expect(arrived.sent().filter { $0 == message }.count == 1)
        #expect(arrived.machine.state.choice == 9)
    }

    @Test("sent again it stays pending, until its epoch or a refusal; not host any more, the old file binds again")
    func pendingAgain() throws {
        var stage = try Stage.following(.sample(phase: .paused))
        #expect(stage.machine.state.player == .ready)
        stage.take(.setMedia(.sample("Y"), 9, 9, positionMs: 0))
        #expect(stage.machine.state.player == .loading)
        var host = resuming(stage)
        host.receive(pong(host), on: 2)
        host.receive(.joined(.sample(rev: 2, phase: .paused), .sample()), on: 2)
        host.advance(by: 1000)
        #expect(host.machine.state.player == .loading, "pending still")
        host.receive(.error("rate_limited", re: "setMedia"), on: 2)
        host.advance(by: 1000)
        #expect(host.machine.state.player == .ready)

        var guest = resuming(stage)
        guest.receive(pong(guest), on: 2)
        guest.receive(.joined(.sample(rev: 2, phase: .paused, guestAndHost), .sample()), on: 2)
        guest.advance(by: 1000)
        #expect(guest.machine.state.player == .ready)
    }

    @Test("while reconnecting the player is kept in step by the old clock; no status goes out")
    func keepsStepping() throws {
        let room = Room.sample(phase: .playing, atMs: 1_000_000, guestAndHost)
        var player = StagePlayer()
        player.reading.paused = false
        var stage = try Stage.following(room, player)
        stage.advance(to: 10_000)
        stage.take(.ended(1, closeCode: nil, nil))
        stage.players[1]?.reading.positionMs = 30_000
        stage.advance(to: 12_000)
        #expect(stage.commands(since: 10_000) == [.seek(10_750)])
        #expect(stage.statuses(since: 10_000).isEmpty)
        #expect(stage.machine.roomPositionMs(atLocalMs: 12_000) == 12_000)
    }
}
