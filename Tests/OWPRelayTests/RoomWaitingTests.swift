// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPWire
import Testing

@testable import OWPRelay

@Suite("The playback state machine: who waits for whom")
struct RoomWaitingTests {
    // MARK: Stalls

    @Test("One who buffers for 800 ms on end stops the room")
    func stall() {
        var harness = RoomHarness.running(guests: 1)
        harness.status("p2", .buffering)
        harness.advance(by: 799)
        #expect(harness.room.phase == .playing)
        harness.advance(by: 1)
        #expect((harness.room.phase, harness.room.positionMs) == (.waiting, 1800))
        #expect(harness.actions == ["stall p2"])
        #expect(harness.room.waitingOn == ["p2"])
    }

    @Test("Buffering that ends in time stops nothing, and counts anew")
    func shortBuffering() {
        var harness = RoomHarness.running(guests: 1)
        harness.status("p2", .buffering)
        harness.advance(by: 700)
        harness.status("p2", .ready)
        harness.status("p2", .buffering)
        harness.advance(by: 700)
        harness.status("p2", .buffering)
        #expect(harness.room.phase == .playing)
        harness.advance(by: 100)
        #expect(harness.room.phase == .waiting)
    }

    @Test("A stall counts from the start at the earliest")
    func stallBeforeStart() {
        var harness = RoomHarness.waiting(guests: 1)
        harness.everyone(.ready)
        harness.status("p2", .buffering)
        harness.advance(to: harness.room.atMs + 799)
        #expect(harness.room.phase == .playing)
        harness.advance(by: 1)
        #expect(harness.room.phase == .waiting)
    }

    @Test("Loading never stops a room that plays")
    func loading() {
        var harness = RoomHarness.running(guests: 1)
        harness.status("p2", .loading)
        harness.advance(by: 60_000)
        #expect(harness.room.phase == .playing)
        #expect(harness.member("p2")?.isLate == true)
    }

    // MARK: Who is late

    @Test("Who joins while the room plays is late")
    func joinsLate() {
        var harness = RoomHarness.running(guests: 1)
        let late = harness.join()
        harness.status(late, .buffering)
        harness.advance(by: 5000)
        #expect(harness.room.phase == .playing)
    }

    @Test("Who joins a wait is late after the epoch's first start only")
    func joinsWait() {
        var first = RoomHarness.waiting(guests: 1)
        #expect(first.room.waitingOn == ["p1", "p2"])
        first.join()
        #expect(first.room.waitingOn == ["p1", "p2", "p3"])

        var later = RoomHarness.running(guests: 1)
        later.send(.seek(positionMs: 5000))
        later.join()
        #expect(later.member("p3")?.isLate == true)
        #expect(later.room.waitingOn == ["p1", "p2"])
    }

    @Test("Who resumes or takes a player while the room plays is late")
    func comesBackLate() {
        var harness = RoomHarness.running(guests: 3)
        harness.drop("p2")
        harness.resume("p2")
        harness.status("p3", .idle)
        harness.status("p3", .ready)
        #expect(harness.room.members.map(\.isLate) == [false, true, true, false])
        // p2 kept what it last reported.
        #expect(harness.member("p2")?.player == .ready)
    }

    @Test("Who stalled is late once the room has started again with it")
    func lateAfterStall() {
        var harness = RoomHarness.running(guests: 1)
        harness.status("p2", .buffering)
        harness.advance(by: 800)
        #expect(harness.member("p2")?.isLate == false)
        harness.status("p2", .ready)
        #expect(harness.room.phase == .playing)
        #expect(harness.member("p2")?.isLate == true)
        harness.advance(by: 2000)
        harness.clear()
        harness.status("p2", .buffering)
        harness.advance(by: 4000)
        #expect(harness.room.phase == .playing)
        #expect(harness.actions == [])
    }

    @Test("Who was late counts again after 5 s of ready on end in the running room")
    func countsAgain() {
        var harness = RoomHarness.running(guests: 1)
        let late = harness.join()
        harness.status(late, .ready)
        harness.advance(by: 4999)
        #expect(harness.member(late)?.isLate == true)
        harness.advance(by: 1)
        #expect(harness.member(late)?.isLate == false)
    }

    @Test("The 5 s begin with the start, and anew with each ready")
    func countsAgainOnEnd() {
        var harness = RoomHarness.running(guests: 1)
        harness.status("p2", .buffering)
        harness.advance(by: 800)
        harness.status("p2", .ready)
        let startMs = harness.room.atMs
        harness.advance(to: startMs + 4999)
        #expect(harness.member("p2")?.isLate == true)
        harness.status("p2", .buffering)
        harness.status("p2", .ready)
        harness.advance(by: 4999)
        #expect(harness.member("p2")?.isLate == true)
        harness.send(.rate(1.5))
        harness.advance(by: 1)
        #expect(harness.member("p2")?.isLate == false)
    }

    @Test("Ready in another phase, and a play that leaves paused, end lateness")
    func latenessEnds() {
        var harness = RoomHarness.running(guests: 1)
        let late = harness.join()
        harness.send(.pause(positionMs: nil))
        #expect(harness.member(late)?.isLate == true)
        harness.status(late, .ready)
        #expect(harness.member(late)?.isLate == false)

        var other = RoomHarness.running(guests: 1)
        let slow = other.join()
        other.send(.pause(positionMs: nil))
        other.send(.play)
        #expect(other.member(slow)?.isLate == false)
        #expect(other.room.waitingOn == [slow])
    }

    @Test("A seek ends the lateness of those who were ready once in this epoch")
    func seekEndsLateness() {
        var harness = RoomHarness.running(guests: 1)
        let never = harness.join()
        let once = harness.join()
        harness.status(never, .loading)
        harness.status(once, .ready)
        harness.status(once, .loading)
        harness.send(.seek(positionMs: 9000))
        #expect(harness.member(never)?.isLate == true)
        #expect(harness.member(once)?.isLate == false)
        #expect(harness.room.waitingOn == ["p1", "p2", once])
    }

    @Test("A new epoch ends lateness and excuses")
    func epochEndsLateness() {
        var harness = RoomHarness.running(guests: 1)
        harness.join()
        harness.send(.setMedia(media: RoomHarness.film, positionMs: 0))
        #expect(harness.room.members.map(\.isLate) == [false, false, false])
        #expect(harness.room.waitingOn == ["p1", "p2", "p3"])
    }

    @Test("When all are late, they count")
    func allLate() {
        var harness = RoomHarness.running(guests: 1)
        harness.drop("p1")
        harness.drop("p2")
        harness.resume("p1")
        harness.status("p1", .buffering)
        harness.advance(by: 800)
        #expect(harness.actions.last == "stall p1")
        #expect(harness.room.waitingOn == ["p1"])
    }

    @Test("Who is late and has been buffering stalls the room at once when all others take no part any more")
    func lateAlone() {
        var harness = RoomHarness.running(guests: 1)
        let late = harness.join()
        harness.status(late, .buffering)
        harness.advance(by: 3000)
        harness.status("p1", .idle)
        #expect(harness.room.phase == .playing)
        harness.status("p2", .idle)
        #expect(harness.actions.last == "stall \(late)")
    }

    // MARK: The wait limit

    @Test("Until the epoch's first start, a room waits at most 120 s")
    func firstWaitLimit() {
        var harness = RoomHarness.waiting(guests: 2)
        harness.status("p1", .ready)
        harness.status("p3", .idle)
        harness.advance(by: 119_999)
        #expect(harness.room.phase == .waiting)
        harness.advance(by: 1)
        #expect(harness.room.phase == .playing)
        #expect(harness.room.members.map(\.isExcused) == [false, true, false])
    }

    @Test("Later it waits at most 30 s, from the last seek on")
    func waitLimit() {
        var harness = RoomHarness.running(guests: 1)
        harness.status("p2", .buffering)
        harness.advance(by: 800 + 20_000)
        harness.send(.seek(positionMs: 5000))
        harness.status("p2", .buffering)
        harness.status("p1", .ready)
        harness.advance(by: 29_999)
        #expect(harness.room.phase == .waiting)
        harness.advance(by: 1)
        #expect(harness.room.phase == .playing)
    }

    @Test("Who was excused is late once it is ready in the playing room")
    func excuseEnds() {
        var harness = RoomHarness.running(guests: 1)
        harness.status("p2", .buffering)
        harness.advance(by: 30_800)
        #expect(harness.room.phase == .playing)
        harness.status("p2", .buffering)
        harness.advance(by: 60_000)
        #expect(harness.room.phase == .playing)
        harness.status("p2", .ready)
        #expect(harness.member("p2")?.isExcused == false)
        #expect(harness.member("p2")?.isLate == true)
    }

    @Test("With nobody left who counts the room waits on, and the first who is ready starts it")
    func nobodyCounts() {
        var harness = RoomHarness.waiting(guests: 2)
        harness.status("p3", .idle)
        harness.advance(by: 600_000)
        #expect(harness.room.phase == .waiting)
        #expect(harness.room.waitingOn == ["p1", "p2"])
        let newcomer = harness.join()
        #expect(harness.room.waitingOn == ["p1", "p2", newcomer])
        harness.status("p2", .ready)
        #expect(harness.room.phase == .playing)
    }

    @Test("A play excuses nobody any more")
    func playEndsExcuses() {
        var harness = RoomHarness.waiting(guests: 1)
        harness.status("p1", .ready)
        harness.advance(by: 120_000)
        harness.send(.pause(positionMs: nil))
        harness.send(.play)
        #expect(harness.room.phase == .waiting)
        #expect(harness.room.waitingOn == ["p2"])
    }

    // MARK: Nobody there

    @Test("When everyone who is connected is idle, a waiting room pauses")
    func allIdle() {
        var harness = RoomHarness.waiting(guests: 1, at: 7000)
        harness.status("p1", .idle)
        #expect(harness.room.phase == .waiting)
        harness.status("p2", .idle)
        #expect((harness.room.phase, harness.room.positionMs) == (.paused, 7000))
    }

    @Test("With nobody connected for 15 s the room pauses where it then is")
    func deserted() {
        var harness = RoomHarness.running(guests: 1)
        harness.drop("p1")
        harness.drop("p2")
        harness.advance(by: 14_999)
        #expect(harness.room.phase == .playing)
        harness.advance(by: 1)
        #expect((harness.room.phase, harness.room.positionMs) == (.paused, 16_000))
        #expect(harness.room.atMs == harness.nowMs)
    }

    @Test("A wait survives a short absence of everybody")
    func waitsOn() {
        var harness = RoomHarness.waiting(guests: 0)
        harness.drop("p1")
        harness.advance(by: 14_999)
        #expect(harness.room.phase == .waiting)
        harness.resume("p1")
        harness.advance(by: 20_000)
        #expect(harness.room.phase == .waiting)
        harness.status("p1", .ready)
        #expect(harness.room.phase == .playing)
    }

    @Test("A wait with nobody connected pauses after 15 s")
    func waitDeserted() {
        var harness = RoomHarness.waiting(guests: 0)
        harness.drop("p1")
        harness.advance(by: 15_000)
        #expect(harness.room.phase == .paused)
    }

    @Test("A holder that drops or leaves holds no longer")
    func holderGoes() {
        var harness = RoomHarness.waiting(guests: 1)
        harness.status("p1", .ready)
        harness.drop("p2")
        #expect(harness.room.phase == .playing)
        var other = RoomHarness.waiting(guests: 1)
        other.status("p1", .ready)
        other.send(.kick(peerId: "p2"))
        #expect(other.room.phase == .playing)
    }
}
