// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPParty
import OWPWire
import Testing

@Suite("Entering a room (sections 6 and 7)")
struct EnteringTests {
    @Test("create on one relay opens, pings and asks at once (sections 5 and 6)")
    func createOpens() throws {
        var stage = try Stage()
        var connecting = PublicState()
        connecting.connection = .connecting
        #expect(
            stage.take(.create(7, onlyRelay)) == [
                .open(1, url: relayURL),
                .startTimer(.deadline(1), afterMs: 10_000),
                .publish(connecting),
            ]
        )
        stage.relayOffsetMs = nil
        stage.nowMs = 40
        #expect(
            stage.take(.opened(1)) == [
                .send(1, .ping(id: 1)),
                .startTimer(.ping(1), afterMs: 500),
                .send(1, .create(name: "Anna", client: "Test/1")),
                .startTimer(.deadline(1), afterMs: 10_000),
            ]
        )
    }

    @Test("joined: status at once, the tick and the silence timer start, the call ends with the code (section 7.3)")
    func joined() throws {
        var stage = try Stage()
        stage.take(.create(7, onlyRelay))
        stage.take(.opened(1))
        let room = Room.sample(epoch: 0, phase: .idle)
        var connected = PublicState()
        connected.connection = .connected
        connected.peerId = "a1"
        connected.room = room
        #expect(
            stage.receive(.joined(room)) == [
                .cancelTimer(.deadline(1)),
                .send(1, .status(StatusMessage(epoch: 0, player: .idle, match: nil, offsetMs: 0, rttMs: 0))),
                .startTimer(.status, afterMs: 15_000),
                .startTimer(.tick, afterMs: 500),
                .startTimer(.silence, afterMs: 15_000),
                .relaysJoined,
                .publish(connected),
                .finish(7, .created(code: "K7MQ2X")),
            ]
        )
    }

    @Test("join sends the normalized code, and create only when asked (section 7.2)", arguments: [false, true])
    func join(create: Bool) throws {
        var stage = try Stage()
        stage.take(.join(1, code: " k7m\u{2011}q2x\r\n", create: create, onlyRelay))
        stage.take(.opened(1))
        #expect(stage.sent() == [.join(code: "K7MQ2X", name: "Anna", client: "Test/1", create: create)])
    }

    @Test("an invalid code fails before already_in_room and before any change (section 7.2)")
    func invalidCode() throws {
        var stage = try Stage.inRoom()
        let mark = stage.log.count
        stage.take(.join(2, code: "k7m_q2x", create: false, onlyRelay))
        stage.take(.join(3, code: "k7mq2x", create: false, onlyRelay))
        let effects = stage.log[mark...].map(\.effect)
        #expect(effects.count == 2)
        #expect(effects.first == .finish(2, .failed(PartyFailure(.invalidCode, "not a room code"))))
        guard case .finish(3, .failed(let failure)) = effects.last else { return #expect(Bool(false)) }
        #expect(failure.code == .alreadyInRoom)
    }

    @Test("a relay's refusal ends the call with its code; the party is idle again without Ended (section 7.2)")
    func refused() throws {
        var stage = try Stage()
        stage.take(.join(1, code: "K7MQ2X", create: false, onlyRelay))
        stage.take(.opened(1))
        #expect(stage.receive(.error("room_full", re: "status")) == [], "another error is ignored")
        #expect(
            stage.receive(.error("room_full", re: "join")) == [
                .cancelTimer(.deadline(1)),
                .cancelTimer(.ping(1)),
                .close(1),
                .publish(PublicState()),
                .finish(1, .failed(PartyFailure(.roomFull, "no", re: "join"))),
            ]
        )
    }

    @Test(
        "no open, no answer, a refused or a lost connection: unreachable (sections 6 and 7.1)",
        arguments: [
            PartyInput.create(1, onlyRelay), .join(1, code: "K7MQ2X", create: false, onlyRelay),
        ]
    )
    func unreachable(_ begin: PartyInput) throws {
        let failed: [CallResult] = [.failed(PartyFailure(.unreachable, "the relay cannot be reached"))]
        var silent = try Stage()
        silent.take(begin)
        silent.advance(by: 9999)
        #expect(silent.ends().isEmpty)
        silent.advance(by: 1)
        #expect(silent.ends() == failed)
        #expect(silent.runningTimers.isEmpty)

        var mute = try Stage()
        mute.take(begin)
        mute.advance(by: 9000)
        mute.take(.opened(1))
        mute.advance(by: 9999)
        #expect(mute.ends().isEmpty)
        mute.advance(by: 1)
        #expect(mute.ends() == failed)
        #expect(mute.log.contains { $0.effect == .close(1) })
        #expect(mute.runningTimers.isEmpty)

        for lost in [PartyInput.openFailed(1, nil), .ended(1, closeCode: 1001, nil)] {
            var stage = try Stage()
            stage.take(begin)
            if case .ended = lost { stage.take(.opened(1)) }
            stage.take(lost)
            #expect(stage.ends() == failed)
            #expect(stage.machine.state == PublicState())
            #expect(stage.runningTimers.isEmpty)
        }
    }

    @Test("FR-17: a malformed joined is answered with leave and fails the call (section 8)")
    func malformedJoined() throws {
        var stage = try Stage()
        stage.take(.join(1, code: "K7MQ2X", create: false, onlyRelay))
        stage.take(.opened(1))
        let text = RelayMessage.joined(.sample()).text.replacing(token, with: String(token.dropLast()))
        stage.take(.received(1, text))
        #expect(stage.sent().last == .leave)
        guard case .failed(let failure)? = stage.ends().last else { return #expect(Bool(false)) }
        #expect(failure.code == .invalidMessage)
        #expect(stage.machine.state == PublicState())
    }

    @Test("leave cancels an attempt; a request that is out is answered with leave (section 7.2)")
    func cancelled() throws {
        var early = try Stage()
        early.take(.create(1, onlyRelay))
        #expect(
            early.take(.leave) == [
                .cancelTimer(.deadline(1)),
                .close(1),
                .publish(PublicState()),
                .finish(1, .failed(PartyFailure(.cancelled, "the attempt was cancelled"))),
            ]
        )

        var late = try Stage()
        late.take(.create(1, onlyRelay))
        late.take(.opened(1))
        let effects = late.take(.cancelCall(1))
        #expect(!effects.contains(.close(1)))
        #expect(late.machine.state.connection == .idle)
        late.take(.create(2, onlyRelay))
        #expect(
            late.receive(.joined(.sample())) == [
                .cancelTimer(.deadline(1)), .send(1, .leave), .cancelTimer(.ping(1)), .close(1),
            ]
        )
        late.take(.opened(2))
        late.receive(.joined(.sample()), on: 2)
        #expect(late.ends().last == .created(code: "K7MQ2X"))

        var never = try Stage()
        never.take(.create(1, onlyRelay))
        never.take(.opened(1))
        never.take(.leave)
        never.advance(by: 10_000)
        #expect(never.log.last?.effect == .close(1))
        #expect(never.runningTimers.isEmpty)
    }

    @Test("create and join after close are the app's mistake (section 7.4)")
    func afterClose() throws {
        var stage = try Stage()
        #expect(stage.take(.close(1)) == [.finishStreams, .finish(1, .released)])
        #expect(stage.take(.close(2)) == [.finish(2, .released)])
        #expect(stage.take(.create(3, onlyRelay)) == [.finish(3, .partyClosed)])
        #expect(stage.take(.join(4, code: "?", create: false, onlyRelay)) == [.finish(4, .partyClosed)])
    }

    @Test("a bad name or client makes no party (section 7.1)")
    func names() {
        #expect(throws: PartyFailure.self) { try PartyMachine(client: "Test", name: "Anna", hasResolver: false) }
        #expect(throws: PartyFailure.self) { try PartyMachine(client: "Test/1", name: "", hasResolver: false) }
    }
}
