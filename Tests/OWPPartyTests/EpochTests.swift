// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPParty
import OWPSync
import OWPWire
import Testing

@Suite("A new epoch (sections 8, 9.1 and 10.2)")
struct EpochTests {
    private func found(_ key: Int, _ durationMs: Int64?) -> OfferedCandidate {
        OfferedCandidate(key: CandidateKey(key), ref: RefKey(key), durationMs: durationMs)
    }

    @Test(
        "the snapshot, the media and the search are published together, then the events come, then a step (section 8)"
    )
    func order() throws {
        var stage = try Stage.inRoom(.sample(guestAndHost), .sample())
        let next = Room.sample(rev: 2, epoch: 2, phase: .paused, guestAndHost + [.peer("c1")])
        let action = RoomAction(kind: "media", by: "b1")
        let effects = stage.receive(.room(next, action: action, media: .valid(.sample("Other"))))
        var state = PublicState()
        state.connection = .connected
        state.peerId = "a1"
        state.room = next
        state.media = .sample("Other")
        state.match = Match(state: .searching)
        state.player = .loading
        let shown = effects.filter {
            switch $0 {
            case .publish, .emit: true
            default: false
            }
        }
        #expect(
            shown == [
                .publish(state),
                .emit(.participantJoined(.peer("c1"))),
                .emit(.action(kind: "media", byPeerId: "b1", by: .peer("b1", host: true), byMe: false, room: next)),
            ]
        )
    }

    @Test("it empties choice, offer and candidates, and sets the offset to 0, whatever the media (section 9.1)")
    func clears() throws {
        for media in [ReceivedMedia.none, .valid(.sample("Other"))] {
            var stage = try Stage.inRoom(.sample(guestAndHost), .sample(durationMs: 100_000), resolves: false)
            stage.take(.resolved(1, [found(1, 200_000)]))
            stage.take(.setOffset(50))
            #expect(stage.machine.state.mismatch != nil)
            stage.receive(.room(.sample(rev: 2, epoch: 2, phase: .idle, guestAndHost), media: media))
            #expect(stage.machine.state.mismatch == nil)
            #expect(stage.machine.state.choice == nil)
            #expect(stage.machine.state.candidates == [])
            #expect(stage.machine.state.offsetMs == 0)
        }
    }

    @Test("an attached player is paused once, bound or not, behind the commands that are queued (section 9.1)")
    func pausesBehind() throws {
        for media in [ReceivedMedia.none, .valid(.sample("Other"))] {
            var stage = try Stage.following(.sample(phase: .paused, guestAndHost))
            stage.endsCommands = false
            stage.players[1]?.reading.positionMs = 5000
            stage.players[1]?.reading.paused = false
            stage.take(.playerChanged)
            let mark = stage.nowMs
            #expect(stage.commands(since: mark) == [.pause])
            stage.receive(.room(.sample(rev: 2, epoch: 2, phase: .idle, guestAndHost), media: media))
            for _ in 0..<3 { stage.take(.commandEnded(1, nil)) }
            #expect(stage.commands(since: mark) == [.pause, .seek(0), .pause], "unbinding discards nothing")
            stage.advance(by: 5000)
            #expect(stage.commands(since: mark).count == 3)

            var other = try Stage.inRoom(.sample(guestAndHost), .sample())
            other.players[1] = StagePlayer()
            other.take(.attachPlayer(1, 7))
            other.receive(.room(.sample(rev: 2, epoch: 2, phase: .idle, guestAndHost), media: media))
            other.advance(by: 5000)
            #expect(other.commands() == [.pause], "a player with another file too")
        }
    }

    @Test("a player whose ref is the new choice too binds anew, with the new room's rate (section 10.2)")
    func rebinds() throws {
        var stage = try Stage.following(.sample(phase: .paused, guestAndHost))
        let mark = stage.nowMs
        let next = Room.sample(rev: 2, epoch: 2, phase: .paused, rate: 1.5, guestAndHost)
        stage.receive(.room(next, media: .valid(.sample("Other"))))
        #expect(stage.machine.state.player == .loading)
        stage.take(.resolved(2, [OfferedCandidate(key: 2, ref: 1, durationMs: 7_200_000)]))
        #expect(stage.commands(since: mark) == [.pause, .setRate(1.5)])
        #expect(stage.machine.state.player == .ready)

        var own = try Stage.inRoom(.sample(epoch: 0, phase: .idle))
        own.players[1] = StagePlayer()
        own.take(.attachPlayer(1, 9))
        own.take(.setMedia(.sample(), 9, 9, positionMs: 0))
        own.receive(.room(.sample(rev: 2, epoch: 1, phase: .paused), media: .valid(.sample())))
        let before = own.commands().count
        own.receive(.room(.sample(rev: 3, epoch: 2, phase: .paused, rate: 1.5), media: .valid(.sample())))
        #expect(own.commands().dropFirst(before) == [.setRate(1.5)], "own media in two epochs on end")
    }

    @Test("own media is known by its values: unknown members and the order of members do not matter (section 9.1)")
    func ownMediaByValue() throws {
        var stage = try Stage.inRoom(.sample(epoch: 0, phase: .idle))
        var media = Media.sample()
        media.ext = ["com.example": ["a": 1, "b": [true]]]
        stage.take(.setMedia(media, 9, 9, positionMs: 0))
        let text = RelayMessage.room(.sample(rev: 2, epoch: 1), media: .none).text.replacing(
            #""media":null"#,
            with: #""media":{"ext":{"com.example":{"b":[true],"a":1.0}},"new":7,"title":"Heat","durationMs":7.2e6,"#
                + #""kind":"movie","ids":{}}"#
        )
        stage.take(.received(1, text))
        #expect(stage.machine.state.choice == 9)
        stage.receive(.room(.sample(rev: 3, epoch: 1, phase: .paused)))
        #expect(stage.machine.state.choice == 9, "the choice lasts as long as the epoch")
    }

    @Test("what was last sent stays so when the relay refuses it, and through a clearMedia (section 9.1)")
    func ownMediaRefused() throws {
        var stage = try Stage.inRoom(.sample(epoch: 0, phase: .idle))
        stage.take(.setMedia(.sample(), 9, 9, positionMs: 0))
        stage.receive(.error("rate_limited", re: "setMedia"))
        stage.receive(.room(.sample(rev: 2, epoch: 1), media: .valid(.sample())))
        #expect(stage.machine.state.choice == 9)
        stage.take(.clearMedia)
        stage.receive(.room(.sample(rev: 3, epoch: 2, phase: .idle), media: .none))
        #expect(stage.machine.state.choice == nil)
        stage.receive(.room(.sample(rev: 4, epoch: 3), media: .valid(.sample())))
        #expect(stage.machine.state.choice == 9)
        stage.take(.setMedia(.sample("Other"), 8, 8, positionMs: 0))
        stage.receive(.error("rate_limited", re: "setMedia"))
        stage.receive(.room(.sample(rev: 5, epoch: 4), media: .valid(.sample())))
        #expect(stage.machine.state.match == Match(state: .searching), "the last one counts")
    }

    @Test("resolveAgain goes by what the epoch was when it began: own media or another's (section 9.1)")
    func ownAtTheStart() throws {
        var other = try Stage.inRoom(.sample(), .sample(), resolves: false)
        other.take(.resolved(1, []))
        other.take(.setMedia(.sample(), 9, 9, positionMs: 0))
        #expect(other.take(.resolveAgain).contains { if case .resolve = $0 { true } else { false } })

        var own = try Stage.inRoom(.sample(epoch: 0, phase: .idle))
        own.take(.setMedia(.sample(), 9, 9, positionMs: 0))
        own.receive(.room(.sample(rev: 2, epoch: 1), media: .valid(.sample())))
        own.take(.setMedia(.sample("Other"), 8, 8, positionMs: 0))
        #expect(own.take(.resolveAgain) == [])
    }

    @Test("a resolver that takes too long for a new list leaves it empty, and the choice as it is (section 9.1)")
    func againTooLong() throws {
        var stage = try Stage.inRoom(.sample(guestAndHost), .sample())
        stage.take(.resolveAgain)
        stage.advance(by: 30_000)
        #expect(stage.events() == [.resolveFailed(nil)])
        #expect(stage.machine.state.candidates == [])
        #expect(stage.machine.state.choice == 1)
        #expect(stage.machine.state.match == Match(state: .matched, deltaMs: 0))
    }

    @Test("the party's end cancels the resolver and the walk (section 7.4)")
    func endCancels() throws {
        var resolving = try Stage.inRoom(.sample(guestAndHost), .sample(), resolves: false)
        #expect(resolving.take(.leave).contains(.cancelWork(1)))
        var walking = try Stage.inRoom(.sample(guestAndHost), .sample(), resolves: false)
        walking.take(.resolved(1, [OfferedCandidate(key: 1, ref: 1, hasProbe: true)]))
        #expect(walking.take(.leave).contains(.cancelWork(2)))
        #expect(walking.runningTimers.isEmpty)
    }

    @Test("the own entry is the first with the party's peer ID (section 8)")
    func ownEntry() throws {
        let twice = [Participant.peer("a1", host: true), .peer("a1"), .peer("b1")]
        var host = try Stage.inRoom(.sample(twice), .sample())
        #expect(host.take(.lock(true)) == [.send(1, .lock(true))])
        let second = [Participant.peer("a1"), .peer("b1"), .peer("a1", host: true)]
        var guest = try Stage.inRoom(.sample(second), .sample())
        #expect(refusal(guest.take(.lock(true))) == .forbidden)
    }
}
