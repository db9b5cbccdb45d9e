// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPWire
import Testing

@testable import OWPRelay

@Suite("Broadcasts: gathered, at once, or none")
struct RoomBroadcastTests {
    @Test("Changes by status are gathered for 50 ms and 5 ms a participant")
    func gathers() {
        var harness = RoomHarness.paused(guests: 3)
        let rev = harness.room.rev
        harness.status("p2", .loading)
        harness.advance(by: 30)
        harness.status("p3", .loading)
        harness.advance(by: 39)
        #expect(harness.broadcasts.isEmpty)
        harness.advance(by: 1)
        #expect(harness.broadcasts.count == 1)
        #expect(harness.broadcasts[0].message.action == nil)
        #expect(harness.broadcasts[0].receivers == [1, 2, 3, 4])
        #expect(harness.broadcasts[0].message.room.rev == rev + 2)
        harness.advance(by: 5000)
        #expect(harness.broadcasts.count == 1)
    }

    @Test("Fifty participants are gathered for 300 ms")
    func gathersFifty() {
        var harness = RoomHarness.paused(guests: 49)
        for number in 1...50 { harness.status("p\(number)", .loading) }
        harness.advance(by: 299)
        #expect(harness.broadcasts.isEmpty)
        harness.advance(by: 1)
        #expect(harness.broadcasts.count == 1)
    }

    @Test("A status that changes nothing shown sends nothing and raises no rev")
    func heartbeat() {
        var harness = RoomHarness.paused(guests: 1)
        let rev = harness.room.rev
        harness.status("p2", .ready)
        harness.status("p2", .ready, rttMs: 90)
        harness.advance(by: 5000)
        #expect(harness.broadcasts.isEmpty)
        #expect(harness.room.rev == rev)
    }

    @Test("A command takes along what was gathered")
    func takesAlong() {
        var harness = RoomHarness.paused(guests: 1)
        harness.status("p2", .loading)
        harness.send(.rate(1.5))
        harness.advance(by: 5000)
        #expect(harness.broadcasts.count == 1)
        #expect(harness.broadcasts[0].message.room.participants.map(\.player) == [.ready, .loading])
    }

    @Test("A drop goes out at once, and rev grows by one")
    func drop() {
        var harness = RoomHarness(guests: 2)
        let rev = harness.room.rev
        harness.clear()
        harness.drop("p3")
        #expect(harness.broadcasts.map(\.message.room.rev) == [rev + 1])
        #expect(harness.broadcasts[0].receivers == [1, 2])
    }

    @Test("A status of another epoch is ignored")
    func otherEpoch() {
        var harness = RoomHarness.waiting(guests: 0)
        let before = harness.room
        for epoch: Int64 in [0, 2, -1, .max] {
            harness.send(
                .status(StatusMessage(epoch: epoch, player: .ready, match: nil, offsetMs: 5, rttMs: 7))
            )
        }
        #expect(harness.room == before)
    }

    @Test("What a status says is shown")
    func shows() {
        var harness = RoomHarness.waiting(guests: 0)
        let match = Match(state: .mismatched, deltaMs: -900)
        harness.send(
            .status(StatusMessage(epoch: 1, player: .loading, match: match, offsetMs: -900, rttMs: 7))
        )
        let entry = harness.room.snapshot.participants[0]
        #expect((entry.player, entry.match, entry.offsetMs) == (.loading, match, -900))
    }

    @Test("Lock and control go out at once")
    func settings() {
        var harness = RoomHarness(guests: 1)
        harness.clear()
        harness.send(.lock(true))
        harness.send(.setControl(.everyone))
        #expect(harness.broadcasts.map(\.message.room.locked) == [true, true])
        #expect(harness.broadcasts.map(\.message.room.control) == [.host, .everyone])
        #expect(harness.actions.isEmpty)
    }

    @Test("A room asked late decides as one asked in time")
    func lateTimers() {
        var harness = RoomHarness.running(guests: 1)
        harness.status("p2", .buffering)
        harness.nowMs += 5000
        harness.send(.pause(positionMs: nil))
        #expect(harness.actions == ["stall p2", "pause p1"])
    }
}
