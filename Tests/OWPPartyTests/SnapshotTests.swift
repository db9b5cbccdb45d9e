// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPParty
import OWPWire
import Testing

@Suite("Snapshots and their events (sections 8 and 15)")
struct SnapshotTests {
    @Test("a room whose rev does not grow is dropped, with its action; an accepted one replaces the snapshot whole")
    func rev() throws {
        var stage = try Stage.inRoom(.sample(rev: 5))
        let action = RoomAction(kind: "pause", by: "b1")
        #expect(stage.receive(.room(.sample(rev: 5, phase: .paused), action: action)) == [])
        #expect(stage.receive(.room(.sample(rev: 4, phase: .paused), action: action)) == [])
        let next = Room.sample(rev: 9, phase: .paused)
        stage.receive(.room(next))
        #expect(stage.machine.state.room == next)
    }

    @Test("a media member of the party's own epoch is ignored, unchecked")
    func ownEpochMedia() throws {
        var stage = try Stage.inRoom(.sample(), .sample())
        stage.receive(.room(.sample(rev: 2), media: .valid(.sample("Other"))))
        let text = RelayMessage.room(.sample(rev: 3), media: .none).text
        stage.take(.received(1, text.replacing(#""media":null"#, with: #""media":7"#)))
        #expect(stage.machine.state.room?.rev == 3)
        #expect(stage.machine.state.media?.title == "Heat")
    }

    @Test("a new epoch without valid media: leave, close, lost with invalid_message (sections 7.4 and 8)")
    func newEpochWithoutMedia() throws {
        for media in [ReceivedMedia.absent, .malformed] {
            var stage = try Stage.inRoom(.sample(rev: 1, epoch: 4))
            var text = RelayMessage.room(.sample(rev: 2, epoch: 5), media: media == .absent ? .absent : .none).text
            text.replace(#""media":null"#, with: #""media":7"#)
            let effects = stage.take(.received(1, text))
            #expect(effects.prefix(3) == [.send(1, .leave), .cancelTimer(.ping(1)), .close(1)])
            #expect(stage.machine.state.connection == .ended)
            #expect(stage.machine.state.endReason == .lost)
            guard case .ended(.lost, let failure?)? = stage.events().last else { return #expect(Bool(false)) }
            #expect(failure.code == .invalidMessage)
            #expect(stage.runningTimers.isEmpty)
        }
    }

    @Test("events of one snapshot: who came, who went, the action, all after the state (section 15)")
    func order() throws {
        var stage = try Stage.inRoom(.sample(hostAndGuest + [.peer("c1")]))
        let next = Room.sample(rev: 2, [.peer("e1"), .peer("a1", host: true), .peer("d1")])
        let effects = stage.receive(.room(next, action: RoomAction(kind: "host", by: "b1")))
        var state = stage.machine.state
        state.room = next
        #expect(
            effects == [
                .publish(state),
                .emit(.participantJoined(.peer("e1"))),
                .emit(.participantJoined(.peer("d1"))),
                .emit(.participantLeft(.peer("b1"))),
                .emit(.participantLeft(.peer("c1"))),
                .emit(.action(kind: "host", byPeerId: "b1", by: nil, byMe: false, room: next)),
            ]
        )
    }

    @Test("FR-03: a stall names who is waited for, once")
    func stall() throws {
        var stage = try Stage.inRoom(.sample(rev: 10, phase: .playing), .sample())
        let waiting = Room.sample(rev: 12, phase: .waiting, waitingOn: ["b1"])
        stage.receive(.room(waiting, action: RoomAction(kind: "stall", by: "b1")))
        #expect(stage.machine.state.room?.waitingOn == ["b1"])
        stage.receive(.room(.sample(rev: 13, phase: .playing)))
        #expect(stage.machine.state.room?.waitingOn == [])
        #expect(
            stage.events() == [.action(kind: "stall", byPeerId: "b1", by: .peer("b1"), byMe: false, room: waiting)]
        )
    }

    @Test("FR-10: control is the room's; without an own entry nobody is a controller")
    func control() throws {
        var stage = try Stage.inRoom(.sample(rev: 1, guestAndHost), .sample())
        stage.receive(.room(.sample(rev: 20, control: .everyone, guestAndHost)))
        #expect(stage.take(.play) == [.send(1, .play)])
        stage.receive(.room(.sample(rev: 21, control: .host, guestAndHost)))
        #expect(refusal(stage.take(.play)) == .forbidden)
        stage.receive(.room(.sample(rev: 22, control: .everyone, [.peer("b1", host: true)])))
        #expect(refusal(stage.take(.play)) == .forbidden)
    }

    @Test("FR-11: a snapshot with no host, or with two, is dropped")
    func oneHost() throws {
        var stage = try Stage.inRoom(.sample(rev: 1))
        let none = Room.sample(rev: 2, [.peer("a1"), .peer("b1")])
        let two = Room.sample(rev: 3, [.peer("a1", host: true), .peer("b1", host: true)])
        for room in [none, two] {
            #expect(stage.receive(.room(room, action: RoomAction(kind: "host", by: nil))) == [])
        }
        #expect(stage.machine.state.room?.rev == 1)
    }

    @Test("FR-12: a peer whose connection drops and resumes neither leaves nor joins")
    func connectedFlag() throws {
        var stage = try Stage.inRoom()
        stage.receive(.room(.sample(rev: 2, [.peer("a1", host: true), .peer("b1", connected: false)])))
        stage.receive(.room(.sample(rev: 3)))
        #expect(stage.events().isEmpty)
    }

    @Test("a relay error on the member connection is an event; answers to create, join and resume are not (section 15)")
    func errors() throws {
        var stage = try Stage.inRoom()
        stage.receive(.error("rate_limited", re: nil))
        stage.receive(.error("new_code", re: "status"))
        for re in ["create", "join", "resume"] { stage.receive(.error("x", re: re)) }
        #expect(
            stage.events() == [
                .error(PartyFailure(.rateLimited, "no")),
                .error(PartyFailure(PartyError.Code(rawValue: "new_code"), "no", re: "status")),
            ]
        )
        #expect(stage.machine.state.connection == .connected)
    }

    @Test("closed ends the party with its reason, an unknown one as ended; the party closes (section 7.4)")
    func closed() throws {
        let reasons = [("ended", EndReason.ended), ("kicked", .kicked), ("expired", .expired), ("later", .ended)]
        for (text, reason) in reasons {
            var stage = try Stage.inRoom(.sample(), .sample())
            let effects = stage.receive(.closed(reason: text))
            var state = PublicState()
            state.connection = .ended
            state.endReason = reason
            #expect(effects.contains(.close(1)))
            #expect(effects.suffix(2) == [.publish(state), .emit(.ended(reason, nil))])
            #expect(stage.runningTimers.isEmpty)
        }
    }

    @Test("an ended party starts over, and its end is forgotten (section 7.2)")
    func startsOver() throws {
        var idle = try Stage()
        #expect(idle.take(.leave) == [], "leave of an idle party does nothing")
        var stage = try Stage.inRoom()
        stage.take(.leave)
        #expect(stage.sent().last == .leave)
        #expect(stage.machine.state.endReason == .left)
        #expect(stage.take(.leave) == [], "leave of an ended party does nothing")
        stage.take(.create(2, onlyRelay))
        #expect(stage.machine.state.endReason == nil)
        #expect(stage.machine.state.connection == .connecting)
    }

    @Test("texts that are no message, and unknown types, change nothing (section 8)")
    func garbage() throws {
        var stage = try Stage.inRoom()
        for text in ["", "[]", "7", #"{"type":5}"#, #"{"type":"later"}"#, #"{"type":"closed","reason":""}"#, "{"] {
            #expect(stage.take(.received(1, text)) == [])
        }
    }

    @Test("the room position: nil without media, snapshot or sample, and never with the offset (section 8)")
    func position() throws {
        var stage = try Stage.inRoom(.sample(phase: .playing, positionMs: 1000, atMs: 1_000_000), .sample())
        #expect(stage.machine.roomPositionMs(atLocalMs: 500) == 1500)
        stage.take(.setOffset(200))
        #expect(stage.machine.roomPositionMs(atLocalMs: 500) == 1500)
        #expect(try Stage.inRoom().machine.roomPositionMs(atLocalMs: 500) == nil)
        var silent = try Stage()
        silent.relayOffsetMs = nil
        silent.take(.create(1, onlyRelay))
        silent.take(.opened(1))
        silent.receive(.joined(.sample(), .sample()))
        #expect(silent.machine.roomPositionMs(atLocalMs: 500) == nil)
    }

    @Test("FR-20: relay time comes from pongs and monotonic time alone (section 5)")
    func clock() throws {
        var stage = try Stage()
        stage.relayOffsetMs = nil
        stage.nowMs = 1_000_000
        stage.take(.create(1, onlyRelay))
        stage.take(.opened(1))
        stage.nowMs = 1_000_040
        stage.receive(.pong(id: 1, serverTimeMs: 1_733_000_000_020))
        stage.receive(.joined(.sample(phase: .playing, positionMs: 0, atMs: 1_733_000_000_000), .sample()))
        #expect(stage.machine.roomPositionMs(atLocalMs: 1_000_040) == 40)
    }
}

/// The code that a command was refused with.
func refusal(_ effects: [PartyEffect]) -> PartyError.Code? {
    guard effects.count == 1, case .refuse(let failure)? = effects.first else { return nil }
    return failure.code
}
