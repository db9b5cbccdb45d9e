// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPWire
import Testing

@testable import OWPRelay

/// What users of similar systems reported, where it is the relay that has to get it right.
@Suite("Field reports, the relay's side")
struct FieldReportTests {
    @Test("FR-01: play after ten minutes of pause starts the room at once")
    func longPause() throws {
        var harness = RoomHarness.paused(guests: 2)
        for _ in 0..<40 {
            harness.advance(by: 15_000)
            harness.everyone(.ready)
        }
        #expect(harness.broadcasts.isEmpty, "heartbeats say nothing new")
        harness.send(.play)
        let answer = try #require(harness.broadcasts.first)
        #expect(answer.message.room.phase == .playing)
        #expect((300...2000).contains(answer.message.room.atMs - harness.nowMs))
        #expect(harness.positionMs == 600_000)
    }

    @Test("FR-02: who closes the player leaves the wait at once, and who joins late never stops the others")
    func closedPlayer() {
        var harness = RoomHarness.waiting(guests: 1)
        harness.status("p1", .ready)
        #expect(harness.room.waitingOn == ["p2"])
        harness.status("p2", .idle)
        #expect(harness.room.phase == .playing)

        var playing = RoomHarness.running(guests: 1)
        let late = playing.join()
        playing.status(late, .loading)
        playing.status(late, .idle)
        playing.advance(by: 60_000)
        #expect(playing.broadcasts.allSatisfy { $0.message.room.phase == .playing })
    }

    @Test("FR-03: a stall names who holds the room, and its end empties the list")
    func stall() throws {
        var harness = RoomHarness.running(guests: 1)
        harness.status("p2", .buffering)
        harness.advance(by: 800)
        let stall = try #require(harness.broadcasts.last?.message)
        #expect(stall.action == RoomAction(kind: "stall", by: "p2"))
        #expect((stall.room.phase, stall.room.waitingOn) == (.waiting, ["p2"]))
        harness.clear()
        harness.status("p2", .ready)
        let end = try #require(harness.broadcasts.last?.message)
        #expect((end.room.phase, end.room.waitingOn) == (.playing, []))
        #expect(end.action == nil)
    }

    @Test("FR-05: who has no player open is taken along into the next title, and not waited for")
    func nextTitle() {
        var harness = RoomHarness.running(guests: 1)
        harness.status("p2", .idle)
        harness.send(.setMedia(media: RoomHarness.film, positionMs: 0))
        #expect(harness.room.waitingOn == ["p1", "p2"])
        harness.status("p2", .idle)
        harness.status("p1", .ready)
        #expect(harness.room.phase == .playing)
        #expect(harness.room.members.count == 2)
    }

    @Test("FR-06: a late joiner is told where the room is, which plays on")
    func lateJoin() throws {
        var harness = RoomHarness.running(guests: 0, at: 600_000)
        let (positionMs, atMs) = (harness.room.positionMs, harness.room.atMs)
        harness.advance(by: 30_000)
        harness.join()
        let joined = try #require(harness.joined.last)
        #expect((joined.room.phase, joined.room.positionMs, joined.room.atMs) == (.playing, positionMs, atMs))
        #expect(joined.media == RoomHarness.film)
        #expect(harness.isPlayingOn(from: positionMs, at: atMs))
    }

    @Test("FR-07: of twenty titles in a second only the last one's readiness counts")
    func rapidTitles() {
        var harness = RoomHarness.running(guests: 1)
        let stale = StatusMessage(epoch: harness.room.epoch, player: .ready, match: nil, offsetMs: 0, rttMs: 10)
        for _ in 0..<20 {
            harness.send(.setMedia(media: RoomHarness.film, positionMs: 0))
            harness.send(.status(stale), from: "p2")
            harness.advance(by: 50)
        }
        #expect(harness.room.epoch == stale.epoch + 20)
        #expect((harness.room.phase, harness.room.waitingOn) == (.waiting, ["p1", "p2"]))
        #expect(harness.broadcasts.filter { $0.message.media == .valid(RoomHarness.film) }.count == 20)
    }

    @Test("FR-08: a new title starts at its own position")
    func ownPosition() {
        var harness = RoomHarness.running(guests: 1, at: 1_340_000)
        harness.send(.setMedia(media: RoomHarness.film, positionMs: 0))
        #expect((harness.room.phase, harness.positionMs) == (.waiting, 0))
        harness.everyone(.ready)
        #expect((harness.room.phase, harness.positionMs) == (.playing, 0))
    }

    @Test("FR-09, FR-12: a drop and its resume move nothing, and nobody leaves")
    func reconnect() {
        var harness = RoomHarness.running(guests: 2, at: 1_300_000)
        let (positionMs, atMs) = (harness.room.positionMs, harness.room.atMs)
        harness.drop("p2")
        harness.advance(by: 4000)
        harness.resume("p2")
        #expect(
            harness.broadcasts.map { $0.message.room.participants.map(\.connected) } == [
                [true, false, true], [true, true, true],
            ]
        )
        #expect(harness.broadcasts.allSatisfy { $0.message.action == nil })
        #expect(harness.isPlayingOn(from: positionMs, at: atMs))
    }

    @Test("FR-10, FR-13: without control a command is an error to its sender and nothing to the others")
    func control() {
        var harness = RoomHarness.paused(guests: 1)
        harness.send(.setControl(.everyone))
        harness.send(.play, from: "p2")
        #expect(harness.actions == ["play p2"])
        harness.send(.setControl(.host))
        harness.clear()
        harness.send(.seek(positionMs: 5), from: "p2")
        #expect(harness.errors == ["forbidden"])
        #expect(harness.broadcasts.isEmpty)
        #expect(harness.room.members.count == 2)
    }

    @Test("FR-18: a connection that pings every 5 s stands in a quiet room, and one that is silent for 30 s does not")
    func quiet() {
        var harness = HubTests.Harness()
        let pinging = harness.open()
        let silent = harness.open(from: 2)
        let code = harness.create(from: pinging)
        _ = harness.create(from: silent)
        var closed: [ConnectionID] = []
        for id in 1...120 {
            harness.send(.ping(id: Int64(id)), from: pinging)
            harness.advance(to: harness.nowMs + 5000)
            closed += harness.asked.compactMap { if case .close(let id, 1008) = $0 { id } else { nil } }
        }
        #expect(closed == [silent])
        #expect(code.flatMap { harness.hub.rooms[$0] } != nil)
    }

    @Test("FR-22: a player that never gets ready holds the room for 30 s at most")
    func neverReady() {
        var harness = RoomHarness.running(guests: 1)
        harness.send(.seek(positionMs: 600_000))
        harness.status("p1", .ready, rttMs: 0)
        harness.status("p2", .loading)
        harness.advance(by: 29_999)
        #expect(harness.room.phase == .waiting)
        harness.advance(by: 1)
        #expect(harness.room.phase == .playing)
    }

    @Test("FR-25: pause and play in one breath both happen, and both are told")
    func pauseAndPlay() {
        var harness = RoomHarness.running(guests: 1)
        harness.send(.pause(positionMs: harness.positionMs))
        harness.advance(by: 100)
        harness.send(.play)
        #expect(harness.actions == ["pause p1", "play p1"])
        #expect(harness.room.phase == .playing)
        harness.send(.play)
        #expect(harness.actions == ["pause p1", "play p1", "play p1"], "also where nothing changes")
    }
}

extension RoomHarness {
    /// Whether the room still plays on the line that it was on.
    fileprivate func isPlayingOn(from positionMs: Int64, at atMs: Int64) -> Bool {
        room.phase == .playing && room.positionMs == positionMs && room.atMs == atMs
    }
}
