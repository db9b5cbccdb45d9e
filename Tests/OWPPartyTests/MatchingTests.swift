// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPParty
import OWPSync
import OWPWire
import Testing

@Suite("Matching (section 9)")
struct MatchingTests {
    /// A party in a room with another participant's media, whose resolver has not answered.
    private func searching(_ media: Media = .sample(durationMs: 100_000)) throws -> Stage {
        try Stage.inRoom(.sample(guestAndHost), media, resolves: false)
    }

    private func found(_ key: Int, _ durationMs: Int64?, probe: Bool = false) -> OfferedCandidate {
        OfferedCandidate(key: CandidateKey(key), ref: RefKey(key), durationMs: durationMs, hasProbe: probe)
    }

    private func state(_ stage: Stage) -> PublicState { stage.machine.state }

    // MARK: Epochs

    @Test("new media: searching, one resolver call with 30 s to answer; a match sets the choice (sections 9.1 and 9.6)")
    func matches() throws {
        var stage = try searching()
        #expect(state(stage).match == Match(state: .searching))
        #expect(stage.log.contains { $0.effect == .resolve(1, .sample(durationMs: 100_000)) })
        #expect(stage.log.contains { $0.effect == .startTimer(.resolve, afterMs: 30_000) })
        #expect(state(stage).candidates == [])
        stage.take(.resolved(1, [found(1, nil), found(2, 101_501), found(3, 98_500), found(4, 100_000)]))
        #expect(state(stage).choice == 4)
        #expect(state(stage).match == Match(state: .matched, deltaMs: 0))
        #expect(state(stage).candidates.map(\.candidate) == [4, 3, 2, 1])
        #expect(state(stage).candidates.map(\.deltaMs) == [0, -1500, 1501, nil])
        #expect(!stage.runningTimers.contains(.resolve))
    }

    @Test("no media: match is null, and an attached player is paused once (section 9.1)")
    func noMedia() throws {
        var stage = try Stage.following(.sample())
        let effects = stage.receive(.room(.sample(rev: 2, epoch: 2, phase: .idle), media: .none))
        #expect(effects.contains(.command(1, .pause)))
        #expect(state(stage).match == nil)
        #expect(state(stage).choice == nil)
        #expect(stage.commands(since: stage.nowMs) == [.pause])
        #expect(stage.sent().last == .status(StatusMessage(epoch: 2, player: .idle, match: nil, offsetMs: 0, rttMs: 0)))
    }

    @Test("without a resolver others' media is unavailable at once, in the first status too (section 9.2)")
    func noResolver() throws {
        var stage = try Stage.inRoom(.sample(guestAndHost), .sample(), hasResolver: false)
        let unavailable = Match(state: .unavailable)
        #expect(
            stage.sent().last
                == .status(StatusMessage(epoch: 1, player: .idle, match: unavailable, offsetMs: 0, rttMs: 0))
        )
        #expect(stage.take(.resolveAgain) == [])
    }

    @Test("a resolver that throws or takes too long means no candidates, and is an event (section 9.2)")
    func resolverFails() throws {
        var throwing = try searching()
        throwing.take(.resolveFailed(1, 9))
        #expect(throwing.events() == [.resolveFailed(9)])
        #expect(state(throwing).match == Match(state: .unavailable))
        var slow = try searching()
        slow.advance(by: 30_000)
        #expect(slow.log.contains { $0.effect == .cancelWork(1) })
        #expect(slow.events() == [.resolveFailed(nil)])
        #expect(state(slow).match == Match(state: .unavailable))
        #expect(slow.take(.resolved(1, [found(1, 100_000)])) == [], "a late answer is dropped")
    }

    @Test("FR-07: rapid media changes cancel the old searches, whose answers are ignored (section 9.1)")
    func rapidChanges() throws {
        var stage = try Stage.inRoom(.sample(epoch: 100, phase: .idle, guestAndHost))
        for index in 1...20 {
            stage.receive(
                .room(
                    .sample(rev: Int64(index) + 1, epoch: Int64(index), guestAndHost),
                    media: .valid(.sample("Title \(index)", durationMs: 100_000))
                )
            )
            stage.advance(by: 50)
        }
        for index in (1...20).reversed() {
            stage.take(.resolved(WorkKey(index), [found(index, 100_000)]))
        }
        stage.players[1] = StagePlayer()
        stage.take(.attachPlayer(1, 3))
        stage.advance(by: 1000)
        let resolves = stage.log.filter { if case .resolve = $0.effect { true } else { false } }
        let cancels = stage.log.filter { if case .cancelWork = $0.effect { true } else { false } }
        #expect(resolves.count == 20)
        #expect(cancels.map(\.effect) == (1...19).map { .cancelWork(WorkKey($0)) })
        #expect(state(stage).choice == 20)
        #expect(state(stage).candidates.map(\.candidate) == [20])
        #expect(stage.commands() == [], "a player with another file gets no command")
        #expect(stage.events() == [])
    }

    @Test("FR-31: hash, size and name rank before a closer duration (sections 9.4 and 9.5)")
    func sameNameOtherFile() throws {
        var media = Media(kind: .video, title: "Deleted Scenes", durationMs: 421_000)
        media.file = MediaFile(name: "Deleted Scenes.mkv", sizeBytes: 421_000_000)
        var stage = try searching(media)
        let a = OfferedCandidate(
            key: 1,
            ref: 1,
            durationMs: 300_000,
            sizeBytes: 300_000_000,
            name: "Deleted Scenes.mkv"
        )
        let b = OfferedCandidate(
            key: 2,
            ref: 2,
            durationMs: 421_300,
            sizeBytes: 421_000_000,
            name: "deleted scenes.MKV"
        )
        stage.take(.resolved(1, [a, b]))
        #expect(state(stage).choice == 2)
        #expect(state(stage).candidates == [.init(2, deltaMs: 300), .init(1, deltaMs: -121_000)])
    }

    // MARK: Probes

    @Test("probes run one at a time from a budget of 60 s, and are cancelled 1 ms past it (section 9.5)")
    func probes() throws {
        var stage = try searching()
        let effects = stage.take(.resolved(1, [found(1, nil, probe: true), found(2, nil, probe: true)]))
        #expect(effects.contains(.probe(2, 1)))
        #expect(effects.contains(.startTimer(.probe, afterMs: 60_001)))
        stage.advance(by: 20_000)
        let next = stage.take(.probed(2, durationMs: 130_000))
        #expect(next.contains(.probe(3, 2)))
        #expect(next.contains(.startTimer(.probe, afterMs: 40_001)))
        #expect(state(stage).candidates == [.init(1, deltaMs: 30_000), .init(2, deltaMs: nil)])
        stage.advance(by: 40_001)
        #expect(stage.log.contains { $0.effect == .cancelWork(3) })
        #expect(state(stage).match == Match(state: .searching, deltaMs: 30_000))
        #expect(state(stage).mismatch == .init(1, deltaMs: 30_000))
    }

    @Test("a probe that threw anything, and a bad answer, skip the candidate and count (section 9.2)")
    func failedProbes() throws {
        var stage = try searching()
        stage.take(.resolved(1, (1...6).map { found($0, nil, probe: true) }))
        for (work, duration) in [(2, nil), (3, 0), (4, 604_800_001), (5, -1)] as [(Int, Int64?)] {
            stage.take(.probed(WorkKey(work), durationMs: duration))
        }
        #expect(state(stage).match == Match(state: .unavailable), "4 probes at most")
        #expect(!stage.log.contains { $0.effect == .probe(6, 5) })
    }

    @Test("a new epoch cancels a running probe (section 9.1)")
    func cancelsProbe() throws {
        var stage = try searching()
        stage.take(.resolved(1, [found(1, nil, probe: true)]))
        let effects = stage.receive(.room(.sample(rev: 2, epoch: 2, phase: .idle, guestAndHost), media: .none))
        #expect(effects.contains(.cancelWork(2)))
        #expect(effects.contains(.cancelTimer(.probe)))
        #expect(stage.take(.probed(2, durationMs: 100_000)) == [])
    }

    // MARK: Mismatches

    @Test("FR-32: a longer cut is offered, accepted and shifted (sections 9.6, 12 and 13)")
    func mismatch() throws {
        let room = Room.sample(rev: 1, phase: .paused, positionMs: 600_000, hostAndGuest)
        var stage = try Stage.inRoom(room, .sample(), resolves: false)
        stage.take(.resolved(1, [found(1, 7_295_000)]))
        #expect(state(stage).mismatch == .init(1, deltaMs: 95_000))
        #expect(state(stage).match == Match(state: .searching, deltaMs: 95_000))
        #expect(state(stage).player == .loading)
        stage.take(.setOffset(7))
        stage.take(.acceptMismatch)
        #expect(state(stage).offsetMs == 7, "accepting leaves the offset")
        #expect(state(stage).match == Match(state: .mismatched, deltaMs: 95_000))
        #expect(state(stage).mismatch == nil)
        #expect(state(stage).choice == 1)
        stage.players[1] = StagePlayer(reading: .init(positionMs: 0, paused: true, durationMs: 7_295_000))
        stage.take(.attachPlayer(1, 1))
        stage.advance(by: 5000)
        stage.take(.setOffset(95_000))
        stage.advance(by: 500)
        #expect(stage.players[1]?.reading.positionMs == 695_000)
        stage.take(.seek(700_000))
        #expect(stage.sent(since: stage.nowMs).contains(.seek(positionMs: 605_000)))
        #expect(refusal(stage.take(.setOffset(604_800_001))) == .invalidMessage)
        #expect(state(stage).offsetMs == 95_000)
        stage.receive(.room(.sample(rev: 2, epoch: 2, hostAndGuest), media: .valid(.sample("Other"))))
        #expect(state(stage).offsetMs == 0)
    }

    @Test("a declined offer is unavailable, keeps its delta and takes the party out of the wait (sections 9.6, 10.3)")
    func decline() throws {
        var stage = try searching()
        stage.take(.resolved(1, [found(1, 200_000)]))
        stage.advance(by: 1000)
        stage.take(.declineMismatch)
        #expect(state(stage).match == Match(state: .unavailable, deltaMs: 100_000))
        #expect(state(stage).mismatch == nil)
        #expect(state(stage).choice == nil)
        #expect(state(stage).candidates == [.init(1, deltaMs: 100_000)], "the list survives")
        #expect(stage.statuses().last == StatusAt(stage.nowMs, .idle))
        #expect(stage.take(.acceptMismatch) == [])
        #expect(stage.take(.declineMismatch) == [])
    }

    // MARK: Own media

    @Test("the descriptor last sent is own media: matched, chosen, not searched, nothing paused (section 9.1)")
    func ownMedia() throws {
        var stage = try Stage.inRoom(.sample(epoch: 0, phase: .idle))
        stage.players[1] = StagePlayer()
        stage.take(.attachPlayer(1, 5))
        let pauses = stage.commands().count
        stage.take(.setMedia(.sample(), 9, 5, positionMs: 7))
        #expect(stage.sent().last == .setMedia(media: .sample(), positionMs: 7))
        stage.advance(by: 1000)
        stage.receive(.room(.sample(rev: 2, epoch: 1), media: .valid(.sample())))
        #expect(state(stage).match == Match(state: .matched, deltaMs: 0))
        #expect(state(stage).choice == 9)
        #expect(stage.commands().dropFirst(pauses) == [.setRate(1)])
        #expect(!stage.log.contains { if case .resolve = $0.effect { true } else { false } })
        #expect(stage.statuses().last?.player == .ready)
        #expect(stage.take(.resolveAgain) == [], "own media is not searched again")
        // Equality is by value, and outlives others' media.
        stage.receive(.room(.sample(rev: 3, epoch: 2, guestAndHost), media: .valid(.sample("Other"))))
        stage.receive(.room(.sample(rev: 4, epoch: 3, guestAndHost), media: .valid(.sample())))
        #expect(state(stage).choice == 9)
    }

    @Test("what was last sent is forgotten at the party's end (section 9.1)")
    func ownMediaForgotten() throws {
        var stage = try Stage.inRoom(.sample(epoch: 0, phase: .idle))
        stage.take(.setMedia(.sample(), 9, 5, positionMs: 0))
        stage.take(.leave)
        stage.take(.create(2, onlyRelay))
        stage.take(.opened(2))
        stage.receive(.joined(.sample(), .sample()), on: 2)
        #expect(state(stage).match == Match(state: .searching))
    }

    @Test("composed and decomposed titles are different media (section 9.1)")
    func ownMediaByScalars() throws {
        var stage = try Stage.inRoom(.sample(epoch: 0, phase: .idle))
        stage.take(.setMedia(.sample("Am\u{E9}lie"), 9, 5, positionMs: 0))
        stage.receive(.room(.sample(rev: 2, epoch: 1), media: .valid(.sample("Ame\u{301}lie"))))
        #expect(state(stage).match == Match(state: .searching))
    }

    // MARK: Choosing

    @Test("choose without media is false, and so is a candidate with neither duration nor probe (section 9.6)")
    func chooseNothing() throws {
        var idle = try Stage.inRoom(.sample(epoch: 0, phase: .idle))
        #expect(idle.take(.choose(5, found(1, 100_000))) == [.finish(5, .chose(false))])
        var stage = try searching()
        #expect(stage.take(.choose(5, found(1, nil))) == [.finish(5, .chose(false))])
        #expect(stage.take(.choose(6, found(1, 604_800_001))) == [.finish(6, .chose(false))])
    }

    @Test("choose cancels the walk and the prompt, and sets the match by its duration (section 9.6)")
    func choose() throws {
        var stage = try searching()
        stage.take(.resolved(1, [found(1, nil, probe: true)]))
        let effects = stage.take(.choose(5, found(7, 101_500)))
        #expect(effects.contains(.cancelWork(2)))
        #expect(effects.last == .startTimer(.status, afterMs: 250))
        #expect(stage.ends().last == .chose(true))
        #expect(state(stage).choice == 7)
        #expect(state(stage).match == Match(state: .matched, deltaMs: 1500))
        #expect(state(stage).candidates == [.init(1, deltaMs: nil)], "the list survives")
        stage.take(.choose(6, found(8, 101_501)))
        #expect(state(stage).choice == 8)
        #expect(state(stage).match == Match(state: .mismatched, deltaMs: 1501))
        #expect(stage.take(.probed(2, durationMs: 100_000)) == [])
    }

    @Test("choose before the resolver answers keeps its list, and no walk follows (section 9.6)")
    func chooseEarly() throws {
        var stage = try searching()
        stage.take(.choose(5, found(7, 100_000)))
        stage.take(.resolved(1, [found(1, 100_000), found(2, nil, probe: true)]))
        #expect(state(stage).choice == 7)
        #expect(state(stage).candidates.map(\.candidate) == [1, 2])
        #expect(!stage.log.contains { if case .probe = $0.effect { true } else { false } })
    }

    @Test("one probe without a deadline; the latest choose wins; a new epoch ends it with false (section 9.6)")
    func chooseProbes() throws {
        var stage = try searching()
        stage.take(.resolved(1, [found(1, 100_000)]))
        #expect(stage.take(.choose(5, found(7, nil, probe: true))) == [.probe(2, 7)])
        stage.advance(by: 120_000)
        #expect(state(stage).choice == 1)
        #expect(
            stage.take(.choose(6, found(8, nil, probe: true))) == [
                .cancelWork(2), .probe(3, 8), .finish(5, .chose(false)),
            ]
        )
        #expect(stage.take(.probed(2, durationMs: 100_000)) == [])
        stage.take(.probed(3, durationMs: 90_000))
        #expect(stage.ends().last == .chose(true))
        #expect(state(stage).match == Match(state: .mismatched, deltaMs: -10_000))
        stage.take(.choose(7, found(9, nil, probe: true)))
        stage.take(.probed(4, durationMs: nil))
        #expect(stage.ends().last == .chose(false))
        #expect(state(stage).choice == 8)
        stage.take(.choose(8, found(9, nil, probe: true)))
        stage.receive(.room(.sample(rev: 2, epoch: 2, phase: .idle, guestAndHost), media: .none))
        #expect(stage.ends().last == .chose(false))
    }

    @Test("choose works on own media, and a new ref of the same candidate replaces the old one (section 9.6)")
    func chooseOwn() throws {
        var stage = try Stage.inRoom(.sample(epoch: 0, phase: .idle))
        stage.take(.setMedia(.sample(), 9, 5, positionMs: 0))
        stage.receive(.room(.sample(rev: 2, epoch: 1), media: .valid(.sample())))
        stage.players[1] = StagePlayer()
        stage.take(.attachPlayer(1, 5))
        stage.advance(by: 1000)
        let commands = stage.commands().count
        stage.take(.choose(6, OfferedCandidate(key: 9, ref: 6, durationMs: 7_200_000)))
        stage.advance(by: 1000)
        #expect(stage.ends().last == .chose(true))
        #expect(stage.statuses().last?.player == .loading, "unbound, without a pause")
        #expect(stage.commands().count == commands)
    }

    // MARK: Searching again

    @Test("resolveAgain without a choice searches anew, and leaves offset and player alone (section 9.1)")
    func again() throws {
        var stage = try searching()
        stage.take(.resolved(1, [found(1, 200_000)]))
        stage.take(.setOffset(50))
        stage.players[1] = StagePlayer()
        stage.take(.attachPlayer(1, 4))
        stage.take(.resolveAgain)
        #expect(state(stage).mismatch == nil)
        #expect(state(stage).candidates == [])
        #expect(state(stage).match == Match(state: .searching))
        stage.take(.resolved(2, [found(2, 100_000)]))
        #expect(state(stage).choice == 2)
        #expect(state(stage).offsetMs == 50)
        #expect(stage.commands() == [])
    }

    @Test("resolveAgain with a choice brings a new list alone; a failed one leaves it empty (section 9.1)")
    func againWithChoice() throws {
        var stage = try searching()
        stage.take(.resolved(1, [found(1, 100_000)]))
        stage.take(.resolveAgain)
        #expect(state(stage).candidates.map(\.candidate) == [1])
        stage.take(.resolved(2, [found(2, nil, probe: true), found(3, 100_001)]))
        #expect(state(stage).candidates == [.init(3, deltaMs: 1), .init(2, deltaMs: nil)])
        #expect(state(stage).choice == 1)
        #expect(state(stage).match == Match(state: .matched, deltaMs: 0))
        stage.take(.resolveAgain)
        stage.take(.resolveFailed(3, 4))
        #expect(state(stage).candidates == [])
        #expect(state(stage).choice == 1)
        #expect(stage.events() == [.resolveFailed(4)])
    }

    @Test("resolveAgain cancels what is in flight, a choose too; without media it does nothing (section 9.1)")
    func againCancels() throws {
        var stage = try searching()
        stage.take(.choose(5, found(7, nil, probe: true)))
        let effects = stage.take(.resolveAgain)
        #expect(effects.contains(.cancelWork(1)))
        #expect(effects.contains(.cancelWork(2)))
        #expect(stage.ends().last == .chose(false))
        var idle = try Stage.inRoom(.sample(epoch: 0, phase: .idle))
        #expect(idle.take(.resolveAgain) == [])
    }
}
