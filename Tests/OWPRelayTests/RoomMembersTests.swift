// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPWire
import Testing

@testable import OWPRelay

@Suite("Rooms: participants, host and end")
struct RoomMembersTests {
    @Test("A joiner gets joined first; its room goes to the others only")
    func join() {
        var harness = RoomHarness.waiting(guests: 0)
        harness.clear()
        harness.join()
        guard case .send(.joined(let joined), let receivers) = harness.effects.first else {
            Issue.record("no joined")
            return
        }
        #expect(receivers == [ConnectionID(2)])
        #expect((joined.peerId, joined.code, joined.serverTimeMs) == ("p2", "K7MQ2X", harness.nowMs))
        #expect(joined.media == RoomHarness.film)
        #expect(joined.room == harness.room.snapshot)
        #expect(joined.room.participants.map(\.player) == [.loading, .loading])
        #expect(harness.broadcasts.map(\.receivers) == [[1]])
        #expect(harness.broadcasts[0].message.action == nil)
        #expect(harness.broadcasts[0].message.room == joined.room)
    }

    @Test("Numbers are never reused")
    func numbers() {
        var harness = RoomHarness(guests: 1)
        harness.send(.leave, from: "p2")
        #expect(harness.join() == "p3")
    }

    @Test("A full or locked room refuses joins, and resumes only by its lock never")
    func refusals() {
        var harness = RoomHarness(guests: 1, largestMembers: 2)
        harness.join()
        #expect(harness.errors == ["room_full"])
        harness.send(.lock(true))
        harness.clear()
        harness.join()
        #expect(harness.errors == ["room_locked"])
        harness.drop("p2")
        harness.clear()
        harness.resume("p2")
        #expect(harness.errors == [])
        #expect(harness.joined.map(\.peerId) == ["p2"])
    }

    @Test("A dropped participant keeps its place for 300 s")
    func removal() {
        var harness = RoomHarness(guests: 1)
        harness.drop("p2")
        #expect(harness.room.snapshot.participants.map(\.connected) == [true, false])
        harness.advance(by: 299_999)
        #expect(harness.room.members.count == 2)
        harness.clear()
        harness.advance(by: 1)
        #expect(harness.broadcasts[0].message.room.participants.map(\.peerId) == ["p1"])
        harness.resume("p2")
        #expect(harness.errors == ["resume_failed"])
    }

    @Test("A resume needs the token, which stays the same")
    func resume() {
        var harness = RoomHarness(guests: 1)
        harness.drop("p2")
        harness.clear()
        harness.resume("p2", token: "another")
        harness.resume("p9")
        #expect(harness.errors == ["resume_failed", "resume_failed"])
        harness.clear()
        harness.resume("p2")
        #expect(harness.joined.map(\.token) == [RoomHarness.token("p2").text])
        #expect(harness.broadcasts.map(\.receivers) == [[1]])
        harness.drop("p2")
        harness.clear()
        harness.resume("p2")
        #expect(harness.joined.count == 1)
    }

    @Test("A resume while the old connection stands closes that one with 4000")
    func replace() {
        var harness = RoomHarness(guests: 1)
        let rev = harness.room.rev
        harness.clear()
        let connection = harness.resume("p2")
        #expect(harness.effects.first == .replace(ConnectionID(2)))
        #expect(harness.joined.count == 1)
        #expect(harness.broadcasts.isEmpty)
        #expect(harness.room.rev == rev)
        harness.note(harness.room.connectionDropped(ConnectionID(2), at: harness.nowMs))
        #expect(harness.room.hasMember(on: connection))
    }

    @Test("Who left or was never there is answered not_in_room")
    func notInRoom() {
        var harness = RoomHarness(guests: 1)
        harness.send(.leave, from: "p2")
        #expect(harness.effects.contains(.release(ConnectionID(2))))
        harness.clear()
        harness.send(.play, from: "p2")
        #expect(harness.errors == ["not_in_room"])
    }

    // MARK: The host

    @Test("A host that leaves is followed by the connected participant who joined first")
    func hostLeaves() {
        var harness = RoomHarness(guests: 2)
        harness.drop("p2")
        harness.clear()
        harness.send(.leave)
        #expect(harness.room.snapshot.participants.map(\.host) == [false, true])
        #expect(harness.actions == ["host -"])
        #expect(harness.broadcasts.count == 1)
    }

    @Test("A host that stays disconnected for 30 s is followed")
    func hostGrace() {
        var harness = RoomHarness(guests: 1)
        harness.drop("p1")
        harness.advance(by: 29_999)
        #expect(harness.room.hostNumber == 1)
        harness.clear()
        harness.advance(by: 1)
        #expect(harness.room.hostNumber == 2)
        #expect(harness.actions == ["host -"])
        harness.resume("p1")
        #expect(harness.room.hostNumber == 2)
    }

    @Test("A host that comes back in time stays")
    func hostReturns() {
        var harness = RoomHarness(guests: 1)
        harness.drop("p1")
        harness.advance(by: 29_999)
        harness.resume("p1")
        harness.advance(by: 60_000)
        #expect(harness.room.hostNumber == 1)
    }

    @Test("With nobody to follow, the next who connects does")
    func hostLater() {
        var harness = RoomHarness(guests: 1)
        harness.drop("p1")
        harness.drop("p2")
        harness.advance(by: 60_000)
        #expect(harness.room.hostNumber == 1)
        harness.clear()
        harness.resume("p2")
        #expect(harness.joined[0].room.participants.map(\.host) == [false, true])
    }

    @Test("A host that leaves a deserted room leaves exactly one host behind")
    func hostLeavesDeserted() {
        var harness = RoomHarness(guests: 2)
        harness.drop("p2")
        harness.drop("p3")
        harness.send(.leave)
        #expect(harness.room.snapshot.participants.map(\.host) == [true, false])
        harness.advance(by: 30_000)
        harness.resume("p3")
        #expect(harness.room.snapshot.participants.map(\.host) == [false, true])
    }

    @Test("The host hands its role on, also to one who dropped")
    func transfer() {
        var harness = RoomHarness(guests: 2)
        harness.clear()
        harness.send(.transferHost(peerId: "p2"))
        #expect(harness.actions == ["host p1"])
        #expect(harness.room.snapshot.participants.map(\.host) == [false, true, false])
        harness.advance(by: 40_000)
        harness.drop("p3")
        harness.advance(by: 100_000)
        harness.send(.transferHost(peerId: "p3"), from: "p2")
        harness.advance(by: 29_999)
        #expect(harness.room.hostNumber == 3)
        harness.advance(by: 1)
        #expect(harness.room.hostNumber == 1)
        harness.clear()
        harness.send(.transferHost(peerId: "p9"))
        #expect(harness.errors == ["invalid_message"])
        harness.send(.transferHost(peerId: "p1"))
        #expect(harness.actions == ["host p1"])
    }

    @Test("The host removes others, not itself")
    func kick() {
        var harness = RoomHarness(guests: 1)
        harness.clear()
        harness.send(.kick(peerId: "p1"))
        harness.send(.kick(peerId: "p7"))
        #expect(harness.errors == ["invalid_message", "invalid_message"])
        harness.clear()
        harness.send(.kick(peerId: "p2"))
        #expect(harness.effects[0] == .send(.closed(reason: "kicked"), to: [ConnectionID(2)]))
        #expect(harness.effects[1] == .dismiss(ConnectionID(2)))
        #expect(harness.broadcasts[0].receivers == [1])
        harness.clear()
        harness.resume("p2")
        #expect(harness.errors == ["resume_failed"])
    }

    // MARK: The end

    @Test("The last participant's leaving ends the room")
    func lastLeaves() {
        var harness = RoomHarness()
        harness.clear()
        harness.send(.leave)
        #expect(harness.effects == [.release(ConnectionID(1)), .forget])
        #expect(harness.room.nextTimerMs == nil)
    }

    @Test("A dropped participant keeps the room when the last connected one leaves")
    func keepsForDropped() {
        var harness = RoomHarness(guests: 1)
        harness.drop("p2")
        harness.advance(by: 1000)
        harness.send(.leave)
        #expect(!harness.effects.contains(.forget))
        harness.advance(by: 299_000)
        #expect(harness.effects.contains(.forget))
    }

    @Test("The host ends the room for everyone")
    func end() {
        var harness = RoomHarness(guests: 1)
        harness.clear()
        harness.send(.end)
        #expect(
            harness.effects == [
                .send(.closed(reason: "ended"), to: [ConnectionID(1), ConnectionID(2)]), .dismiss(ConnectionID(1)),
                .dismiss(ConnectionID(2)), .forget,
            ]
        )
    }

    @Test("A room nobody is connected to ends after 300 s")
    func deserted() {
        var harness = RoomHarness(guests: 1)
        harness.drop("p2")
        harness.advance(by: 100_000)
        harness.drop("p1")
        harness.advance(by: 299_999)
        #expect(!harness.effects.contains(.forget))
        harness.advance(by: 1)
        #expect(harness.effects.last == .forget)
    }

    @Test("A room expires at its greatest age")
    func expires() {
        var harness = RoomHarness()
        harness.clear()
        harness.advance(by: 86_399_999)
        #expect(harness.effects.isEmpty)
        harness.advance(by: 1)
        #expect(harness.effects.first == .send(.closed(reason: "expired"), to: [ConnectionID(1)]))
    }
}
