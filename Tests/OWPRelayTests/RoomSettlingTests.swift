// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPWire
import Testing

@testable import OWPRelay

@Suite("The playback state machine: settling")
struct RoomSettlingTests {
    /// A playing room of two, round trips 100 and 100, that the host has just sought.
    private func sought(rttMs: Int64? = 100) -> RoomHarness {
        var harness = RoomHarness.waiting(guests: 1)
        harness.status("p1", .ready, rttMs: rttMs)
        harness.status("p2", .ready, rttMs: rttMs)
        harness.advance(by: 3000)
        harness.send(.seek(positionMs: 60_000))
        harness.clear()
        return harness
    }

    @Test("A ready that left before the seek arrived says nothing")
    func tooEarly() {
        var harness = sought()
        harness.status("p1", .ready, rttMs: 100)
        #expect(harness.room.waitingOn == ["p2"])
        harness.advance(by: 99)
        harness.status("p2", .ready, rttMs: 100)
        #expect(harness.room.phase == .waiting)
        harness.advance(by: 1)
        harness.status("p2", .ready, rttMs: 100)
        #expect(harness.room.phase == .playing)
    }

    @Test("Without a round trip, 250 ms are reckoned")
    func withoutRoundTrip() {
        var harness = sought(rttMs: nil)
        harness.status("p1", .ready, rttMs: nil)
        harness.advance(by: 249)
        harness.status("p2", .ready, rttMs: nil)
        #expect(harness.room.phase == .waiting)
        harness.advance(by: 1)
        harness.status("p2", .ready, rttMs: nil)
        #expect(harness.room.phase == .playing)
    }

    @Test("From the sender any ready counts")
    func sender() {
        var harness = sought()
        harness.status("p1", .ready, rttMs: 100)
        #expect(harness.member("p1")?.unsettled == nil)
        #expect(harness.member("p2")?.unsettled != nil)
    }

    @Test("Who has nothing to report is settled after 700 ms and its round trip")
    func silence() {
        var harness = sought()
        harness.advance(by: 799)
        #expect(harness.room.phase == .waiting)
        harness.advance(by: 1)
        #expect(harness.room.phase == .playing)
    }

    @Test("Silence settles only while the last status is ready")
    func silenceWhileLoading() {
        var harness = sought()
        harness.advance(by: 200)
        harness.status("p2", .loading, rttMs: 100)
        harness.advance(by: 10_000)
        #expect(harness.room.phase == .waiting)
        #expect(harness.room.waitingOn == ["p2"])
        harness.status("p2", .ready, rttMs: 100)
        #expect(harness.room.phase == .playing)
    }

    @Test("Who does not count is not asked")
    func notAsked() {
        var harness = sought()
        harness.status("p2", .idle)
        harness.status("p1", .ready)
        #expect(harness.room.phase == .playing)
        #expect(harness.member("p2")?.unsettled == nil, "a start settles everyone")
    }

    @Test(
        "A pause unsettles when it moved the position by more than 500 ms",
        arguments: [(2499, true), (2500, false), (3500, false), (3501, true)] as [(Int64, Bool)]
    )
    func pause(positionMs: Int64, unsettles: Bool) {
        var harness = RoomHarness.running(guests: 1)
        harness.advance(by: 2000)
        harness.send(.pause(positionMs: positionMs))
        #expect(harness.room.positionMs == positionMs)
        #expect(harness.room.members.map { $0.unsettled != nil } == [unsettles, unsettles])
    }

    @Test("A seek in a paused room holds the play that follows it")
    func seekThenPlay() {
        var harness = RoomHarness.paused(guests: 1)
        harness.send(.seek(positionMs: 5000))
        harness.advance(by: 100)
        harness.send(.play)
        #expect(harness.room.phase == .waiting)
        harness.advance(by: 639)
        #expect(harness.room.phase == .waiting)
        harness.advance(by: 1)
        #expect(harness.room.phase == .playing)
    }

    @Test("A new epoch settles nobody by itself, since everyone loads")
    func epoch() {
        var harness = sought()
        harness.send(.setMedia(media: RoomHarness.film, positionMs: 0))
        harness.everyone(.ready)
        #expect(harness.room.phase == .playing)
    }
}
