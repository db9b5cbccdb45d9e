// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPParty
import OWPSync
import OWPWire
import Testing

@Suite("Answers that come late, or are another's (sections 7.2, 9 and 10.2)")
struct LateAnswerTests {
    private let playing = Room.sample(phase: .playing, positionMs: 0, atMs: 1_000_000, guestAndHost)

    private func probed(_ key: Int) -> OfferedCandidate {
        OfferedCandidate(key: CandidateKey(key), ref: RefKey(key), hasProbe: true)
    }

    // MARK: Attempts

    @Test("the time of a request that was given up is not the next attempt's", arguments: [false, true])
    func oldDeadline(creates: Bool) throws {
        func begin(_ call: CallKey) -> PartyInput {
            creates ? .create(call, onlyRelay) : .join(call, code: "K7MQ2X", create: false, onlyRelay)
        }
        var stage = try Stage()
        stage.take(begin(1))
        stage.take(.opened(1))
        stage.take(.leave)
        stage.advance(to: 5000)
        stage.take(begin(2))
        stage.take(.opened(2))
        stage.advance(to: 10_000)
        #expect(stage.log.contains { $0.effect == .close(1) })
        #expect(stage.machine.state.connection == .connecting)
        stage.advance(to: 15_000)
        #expect(stage.machine.state.connection == .idle)
    }

    @Test("an attempt that has not asked yet is closed when it is cancelled", arguments: [false, true])
    func cancelledEarly(creates: Bool) throws {
        var stage = try Stage()
        stage.take(creates ? .create(1, onlyRelay) : .join(1, code: "K7MQ2X", create: false, onlyRelay))
        #expect(stage.take(.leave).contains(.close(1)))
        #expect(stage.runningTimers.isEmpty)
    }

    @Test("pings go on while the answer is awaited (section 5)", arguments: [false, true])
    func pings(creates: Bool) throws {
        var stage = try Stage()
        stage.take(creates ? .create(1, onlyRelay) : .join(1, code: "K7MQ2X", create: false, onlyRelay))
        stage.take(.opened(1))
        stage.advance(to: 9000)
        let pings: [Int64] = stage.log.compactMap { if case .send(1, .ping) = $0.effect { $0.atMs } else { nil } }
        #expect(pings == [0, 500, 1000, 5000])
    }

    @Test("a connection that an earlier attempt left behind is no part of a resume (section 14)")
    func besideResume() throws {
        var stage = try Stage()
        stage.take(.create(1, onlyRelay))
        stage.take(.opened(1))
        stage.take(.leave)
        stage.take(.join(2, code: "K7MQ2X", create: false, onlyRelay))
        stage.take(.opened(2))
        stage.receive(.joined(.sample(guestAndHost)), on: 2)
        stage.take(.ended(2, closeCode: 1001, nil))
        stage.advance(by: 375)
        stage.take(.opened(3))
        stage.receive(.error("relay_full", re: "create"), on: 1)
        stage.take(.ended(1, closeCode: nil, nil))
        #expect(stage.runningTimers.contains(.deadline(3)), "the attempt goes on")
        stage.receive(.joined(.sample(rev: 2, guestAndHost)), on: 3)
        #expect(stage.machine.state.connection == .connected)
    }

    @Test("what a connection says that was left behind is not the room's, and its time not the resume's")
    func leftBehind() throws {
        var stage = try Stage()
        stage.take(.create(1, onlyRelay))
        stage.take(.opened(1))
        stage.take(.leave)
        stage.take(.join(2, code: "K7MQ2X", create: false, onlyRelay))
        #expect(stage.take(.create(3, onlyRelay)).count == 1)
        guard case .failed(let failure)? = stage.ends().last else { return #expect(Bool(false)) }
        #expect(failure.code == .alreadyInRoom)
        stage.take(.opened(2))
        stage.receive(.joined(.sample(guestAndHost)), on: 2)
        #expect(stage.receive(.room(.sample(rev: 9, guestAndHost)), on: 1) == [])
        #expect(stage.receive(.closed(reason: "ended"), on: 1) == [])
        stage.advance(to: 9000)
        stage.take(.ended(2, closeCode: 1001, nil))
        stage.advance(to: 9375)
        stage.relayOffsetMs = nil
        stage.take(.opened(3))
        stage.advance(to: 10_000)
        #expect(stage.log.contains { $0.effect == .close(1) })
        #expect(!stage.log.contains { $0.effect == .close(3) })
    }

    @Test("the window's end tells the last failure underneath (section 15)")
    func lastFailure() throws {
        var stage = try Stage.inRoom(.sample(guestAndHost), .sample())
        stage.take(.ended(1, closeCode: nil, nil))
        stage.advance(by: 375)
        stage.take(.openFailed(2, 8))
        #expect(stage.machine.failuresInUse == [8])
        stage.advance(by: 300_000)
        #expect(
            stage.events() == [
                .ended(.lost, PartyFailure(.unreachable, "the relay cannot be reached", underlying: 8))
            ]
        )
    }

    // MARK: Matching

    @Test("a search that an epoch of own media cancelled answers nobody")
    func ownEpoch() throws {
        var stage = try Stage.inRoom(.sample(), .sample("Other"), resolves: false)
        stage.take(.setMedia(.sample(), 9, 9, positionMs: 0))
        stage.receive(.room(.sample(rev: 2, epoch: 2), media: .valid(.sample())))
        #expect(stage.take(.resolved(1, [OfferedCandidate(key: 1, ref: 1, durationMs: 7_200_000)])) == [])
        #expect(stage.machine.state.candidates == [])
        #expect(stage.machine.state.choice == 9)
        #expect(!stage.runningTimers.contains(.resolve))
    }

    @Test("the probe of choose and that of the walk run beside each other, each with its answer")
    func twoProbes() throws {
        func both() throws -> Stage {
            var stage = try Stage.inRoom(.sample(guestAndHost), .sample(), resolves: false)
            stage.take(.resolved(1, [probed(1)]))
            #expect(stage.take(.choose(5, probed(7))) == [.probe(3, 7)])
            return stage
        }
        var chosen = try both()
        let effects = chosen.take(.probed(3, durationMs: 7_200_000))
        #expect(effects.contains(.cancelWork(2)))
        #expect(chosen.machine.state.choice == 7)
        #expect(!chosen.runningTimers.contains(.probe))
        #expect(chosen.take(.choose(6, probed(8))) == [.probe(4, 8)], "the one that answered is over")

        var walked = try both()
        walked.take(.probed(2, durationMs: 7_200_000))
        #expect(walked.machine.state.choice == 1)
        #expect(!walked.runningTimers.contains(.probe))
        walked.take(.probed(3, durationMs: nil))
        #expect(walked.ends().last == .chose(false))
        #expect(walked.machine.state.choice == 1)
    }

    @Test("choose takes back the offer that waits for the user (section 9.6)")
    func offerTakenBack() throws {
        var stage = try Stage.inRoom(.sample(guestAndHost), .sample(), resolves: false)
        stage.take(.resolved(1, [OfferedCandidate(key: 1, ref: 1, durationMs: 1_000_000)]))
        #expect(stage.machine.state.mismatch != nil)
        stage.take(.choose(5, OfferedCandidate(key: 7, ref: 7, durationMs: 7_200_000)))
        #expect(stage.machine.state.mismatch == nil)
        #expect(stage.take(.acceptMismatch) == [])
        #expect(stage.machine.state.choice == 7)
    }

    @Test("a choose that is cancelled by its call ends with false, once (section 9.6)")
    func cancelledChoose() throws {
        var stage = try Stage.inRoom(.sample(guestAndHost), .sample(), resolves: false)
        stage.take(.resolved(1, []))
        #expect(stage.take(.choose(5, probed(7))) == [.probe(2, 7)])
        #expect(stage.take(.cancelCall(4)) == [])
        #expect(stage.take(.cancelCall(5)) == [.cancelWork(2), .finish(5, .chose(false))])
        #expect(stage.take(.choose(6, probed(8))) == [.probe(3, 8)])
    }

    @Test("a failed search stops its timer, and a party without a resolver never searches, with a choice neither")
    func noSearch() throws {
        var failed = try Stage.inRoom(.sample(guestAndHost), .sample(), resolves: false)
        failed.take(.resolveFailed(1, 9))
        #expect(!failed.runningTimers.contains(.resolve))
        var none = try Stage.inRoom(.sample(guestAndHost), .sample(), hasResolver: false)
        none.take(.choose(5, OfferedCandidate(key: 1, ref: 1, durationMs: 7_200_000)))
        #expect(none.machine.state.choice == 1)
        #expect(none.take(.resolveAgain) == [])
        #expect(none.machine.state.choice == 1)
    }

    // MARK: The player

    @Test("only a play that fails blocks, and only on a bound player of a room that plays (section 10.2)")
    func noBlock() throws {
        /// A bound, paused player whose command runs.
        func commanded(_ positionMs: Int64, _ command: PlayerAction) throws -> Stage {
            var player = StagePlayer()
            player.reading.canSetRate = false
            player.reading.paused = false
            var stage = try Stage.following(playing, player)
            stage.endsCommands = false
            stage.players[1]?.reading.paused = true
            stage.players[1]?.reading.positionMs += positionMs
            stage.take(.playerChanged)
            #expect(stage.commands().last == command)
            return stage
        }
        var seeking = try commanded(60_000, .seek(1250))
        seeking.take(.commandEnded(1, 9))
        #expect(seeking.events().isEmpty)
        var unbound = try commanded(0, .play)
        unbound.take(.choose(5, OfferedCandidate(key: 2, ref: 2, durationMs: 7_200_000)))
        unbound.take(.commandEnded(1, 9))
        #expect(unbound.events().isEmpty)
        var paused = try commanded(0, .play)
        paused.receive(.room(.sample(rev: 2, phase: .paused, positionMs: 1000, guestAndHost)))
        paused.take(.commandEnded(1, 9))
        #expect(paused.events().isEmpty)
    }

    @Test("a player that binds anew to a playing room is loading until a step has compared the two")
    func loadingUntilStep() throws {
        var player = StagePlayer()
        player.reading.paused = false
        var stage = try Stage.following(playing, player)
        #expect(stage.machine.state.player == .ready)
        stage.take(.choose(5, OfferedCandidate(key: 2, ref: 2, durationMs: 7_200_000)))
        stage.endsCommands = false
        stage.take(.choose(6, OfferedCandidate(key: 1, ref: 1, durationMs: 7_200_000)))
        #expect(stage.commands().last == .setRate(1))
        #expect(stage.machine.state.player == .loading)
        stage.take(.commandEnded(1, nil))
        #expect(stage.machine.state.player == .ready)
    }

    @Test("binding takes the room's rate for the applied one, also of a player that cannot change it yet (10.2)")
    func appliedRate() throws {
        var player = StagePlayer()
        player.reading.paused = false
        player.reading.canSetRate = false
        player.rate = 1.5
        var stage = try Stage.following(
            .sample(phase: .playing, positionMs: 0, atMs: 1_000_000, rate: 1.5, guestAndHost),
            player
        )
        stage.players[1]?.reading.canSetRate = true
        stage.advance(by: 2000)
        #expect(stage.commands() == [])
    }
}
