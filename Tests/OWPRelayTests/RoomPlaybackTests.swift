// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPWire
import Testing

@testable import OWPRelay

@Suite("The playback state machine: commands and starts")
struct RoomPlaybackTests {
    @Test("A room starts idle, with its maker as host")
    func beginning() {
        let harness = RoomHarness()
        let room = harness.room.snapshot
        #expect(room.rev == 1)
        #expect((room.epoch, room.phase, room.positionMs, room.rate) == (0, .idle, 0, 1))
        #expect((room.control, room.locked, room.waitingOn) == (.host, false, []))
        #expect(room.participants.map(\.host) == [true])
        #expect(room.participants.map(\.player) == [.idle])
        #expect(harness.joined.map(\.peerId) == ["p1"])
        #expect(harness.joined.first?.media == nil)
    }

    @Test("New media begins an epoch, waits for everyone, and carries the media once")
    func newMedia() {
        var harness = RoomHarness(guests: 1)
        harness.clear()
        harness.send(.setMedia(media: RoomHarness.film, positionMs: 5000))
        let message = harness.broadcasts[0].message
        #expect(message.action == RoomAction(kind: "media", by: "p1"))
        #expect(message.media == .valid(RoomHarness.film))
        #expect((message.room.epoch, message.room.phase, message.room.positionMs) == (1, .waiting, 5000))
        #expect(message.room.participants.map(\.player) == [.loading, .loading])
        #expect(message.room.waitingOn == ["p1", "p2"])
        harness.send(.setControl(.everyone))
        #expect(harness.broadcasts[1].message.media == .absent)
    }

    @Test("New media plays by itself as soon as everyone is ready")
    func startsByItself() {
        var harness = RoomHarness.waiting(guests: 1)
        harness.status("p1", .ready)
        #expect(harness.room.phase == .waiting)
        harness.clear()
        harness.status("p2", .ready)
        #expect(harness.room.phase == .playing)
        #expect(harness.room.atMs == harness.nowMs + 300)
        // A change of phase goes out at once, with what was gathered, and without an action.
        #expect(harness.broadcasts.map(\.message.action) == [nil])
        #expect(harness.broadcasts[0].message.room.participants.map(\.player) == [.ready, .ready])
    }

    @Test(
        "The lead is 150 ms and one and a half times the largest round trip, within 300 and 2000",
        arguments: [
            (rtts: [40, 40], lead: 300), ([100, 40], 300), ([101, 40], 301), ([400, 10], 750), ([1000, 10], 1650),
            ([5000, 10], 1650), ([nil, 10], 525),
        ] as [(rtts: [Int64?], lead: Int64)]
    )
    func lead(rtts: [Int64?], lead: Int64) {
        var harness = RoomHarness.waiting(guests: 1)
        harness.status("p1", .ready, rttMs: rtts[0])
        harness.status("p2", .ready, rttMs: rtts[1])
        #expect(harness.room.atMs == harness.nowMs + lead)
    }

    @Test("Who does not count does not lengthen the lead")
    func leadOfThoseWhoCount() {
        var harness = RoomHarness.waiting(guests: 2)
        harness.status("p3", .idle, rttMs: 1000)
        harness.status("p1", .ready)
        harness.status("p2", .ready)
        #expect(harness.room.atMs == harness.nowMs + 300)
    }

    @Test(
        "Alone, the lead is half the round trip",
        arguments: [(400, 200), (41, 20), (nil, 0)] as [(Int64?, Int64)]
    )
    func leadAlone(rttMs: Int64?, lead: Int64) {
        var harness = RoomHarness.waiting(guests: 1)
        harness.drop("p2")
        harness.status("p1", .ready, rttMs: rttMs)
        #expect(harness.room.phase == .playing)
        #expect(harness.room.atMs == harness.nowMs + lead)
    }

    @Test("A start stands: loading before it does not take it back")
    func startStands() {
        var harness = RoomHarness.waiting(guests: 1)
        harness.everyone(.ready)
        let atMs = harness.room.atMs
        harness.status("p2", .loading)
        harness.advance(by: 5000)
        #expect(harness.room.phase == .playing)
        #expect(harness.room.atMs == atMs)
        #expect(harness.member("p2")?.isLate == false)
    }

    @Test("Play in a paused room starts it when everyone is ready")
    func play() {
        var harness = RoomHarness.paused(guests: 1)
        harness.send(.play)
        #expect(harness.room.phase == .playing)
        #expect(harness.room.positionMs == 600_000)
        #expect(harness.actions == ["play p1"])
        #expect(harness.broadcasts.count == 1)
    }

    @Test("Play waits for who is not ready")
    func playWaits() {
        var harness = RoomHarness.paused(guests: 1)
        harness.status("p2", .loading)
        harness.send(.play)
        #expect(harness.room.phase == .waiting)
        #expect(harness.room.waitingOn == ["p2"])
        harness.status("p2", .ready)
        #expect(harness.room.phase == .playing)
    }

    @Test("Play while waiting or playing is nothing but its action, with a rev of its own")
    func playAgain() {
        for harness in [RoomHarness.waiting(guests: 1), .running(guests: 1)] {
            var harness = harness
            harness.clear()
            let before = harness.room.snapshot
            harness.send(.play)
            #expect(harness.actions == ["play p1"])
            var expected = before
            expected.rev += 1
            #expect(harness.room.snapshot == expected)
        }
    }

    @Test("Play at the end starts from 0 as after a seek")
    func playFromEnd() {
        var harness = RoomHarness.paused(guests: 1, at: 7_200_000)
        harness.send(.play)
        #expect((harness.room.phase, harness.room.positionMs) == (.waiting, 0))
        #expect(harness.room.waitingOn == ["p1", "p2"])
        harness.advance(by: 740)
        #expect(harness.room.phase == .playing)
    }

    @Test("Play with nobody who has a player leaves the room paused")
    func playAllIdle() {
        var harness = RoomHarness.paused(guests: 1)
        harness.everyone(.idle)
        harness.clear()
        harness.send(.play)
        #expect(harness.room.phase == .paused)
        #expect(harness.actions == ["play p1"])
    }

    @Test(
        "A pause takes the given position when it is near enough, else the room's own",
        arguments: [
            (nil, 601_000), (601_500, 601_500), (603_000, 603_000), (603_001, 601_000), (599_000, 599_000),
            (598_999, 601_000), (9_000_000, 601_000),
        ] as [(Int64?, Int64)]
    )
    func pause(given: Int64?, expected: Int64) {
        var harness = RoomHarness.running(guests: 1, at: 600_000)
        harness.send(.pause(positionMs: given))
        #expect((harness.room.phase, harness.room.positionMs) == (.paused, expected))
        #expect(harness.room.atMs == harness.nowMs)
        #expect(harness.actions == ["pause p1"])
    }

    @Test("A pause of a waiting or paused room stays there and carries its action")
    func pauseElsewhere() {
        var harness = RoomHarness.waiting(guests: 1, at: 9000)
        harness.send(.pause(positionMs: nil))
        #expect((harness.room.phase, harness.room.positionMs, harness.room.waitingOn) == (.paused, 9000, []))
        let atMs = harness.room.atMs
        harness.advance(by: 100)
        harness.clear()
        harness.send(.pause(positionMs: nil))
        #expect(harness.room.atMs == atMs)
        #expect(harness.actions == ["pause p1"])
    }

    @Test("A seek of a paused room stays paused; of a playing or waiting one, it waits")
    func seek() {
        var paused = RoomHarness.paused(guests: 1)
        paused.send(.seek(positionMs: 90_000))
        #expect((paused.room.phase, paused.room.positionMs) == (.paused, 90_000))
        for harness in [RoomHarness.waiting(guests: 1), .running(guests: 1)] {
            var harness = harness
            harness.clear()
            harness.everyone(.ready)
            harness.send(.pause(positionMs: nil))
            harness.send(.play)
            harness.send(.seek(positionMs: 90_000))
            #expect((harness.room.phase, harness.room.positionMs) == (.waiting, 90_000))
            #expect(harness.room.waitingOn == ["p1", "p2"])
            #expect(harness.actions.last == "seek p1")
        }
    }

    @Test("Positions are clamped to the media", arguments: [(-1, 0), (7_200_001, 7_200_000)] as [(Int64, Int64)])
    func clamps(given: Int64, expected: Int64) {
        var harness = RoomHarness.paused(guests: 0)
        harness.send(.seek(positionMs: given))
        #expect(harness.room.positionMs == expected)
        harness.send(.setMedia(media: RoomHarness.film, positionMs: given))
        #expect(harness.room.positionMs == expected)
        harness.send(.seek(positionMs: .max))
        #expect(harness.room.positionMs == 7_200_000)
    }

    @Test("A rate takes the position along, and leaves a start to come alone")
    func rate() {
        var harness = RoomHarness.running(guests: 1)
        harness.send(.rate(1.5))
        #expect((harness.room.phase, harness.room.positionMs) == (.playing, 1000))
        #expect((harness.room.atMs, harness.room.rate) == (harness.nowMs, 1.5))
        #expect(harness.actions == ["rate p1"])
        harness.advance(by: 1000)
        #expect(harness.positionMs == 2500)

        var early = RoomHarness.waiting(guests: 1)
        early.everyone(.ready)
        let atMs = early.room.atMs
        early.send(.rate(0.5))
        #expect((early.room.atMs, early.room.positionMs) == (atMs, 0))
    }

    @Test("The rate stays across epochs")
    func rateStays() {
        var harness = RoomHarness.running(guests: 0)
        harness.send(.rate(2))
        harness.send(.setMedia(media: RoomHarness.film, positionMs: 0))
        #expect(harness.room.rate == 2)
    }

    @Test("Media can be cleared: a new epoch, idle at 0")
    func clearMedia() {
        var harness = RoomHarness.running(guests: 1)
        harness.send(.clearMedia)
        let message = harness.broadcasts[0].message
        #expect((message.room.epoch, message.room.phase, message.room.positionMs) == (2, .idle, 0))
        #expect(message.action == RoomAction(kind: "media", by: "p1"))
        #expect(message.media == ReceivedMedia.none)
        #expect(message.room.participants.map(\.player) == [.idle, .idle])
        #expect(message.room.participants.map(\.match) == [nil, nil])
    }

    @Test("The end of the media pauses the room there", arguments: [1.0, 0.7, 1.3, 2.0])
    func end(rate: Double) {
        var harness = RoomHarness.waiting(guests: 1, at: 7_190_001)
        harness.send(.rate(rate))
        harness.everyone(.ready)
        harness.clear()
        harness.advance(by: 20_000)
        #expect(harness.actions == ["ended -"])
        #expect((harness.room.phase, harness.room.positionMs) == (.paused, 7_200_000))
        let end = harness.broadcasts[0]
        #expect(end.message.room.atMs == end.atMs)
    }

    @Test("A start at the end lasts until its time and ends there")
    func startAtEnd() {
        var harness = RoomHarness.waiting(guests: 1, at: 7_200_000)
        harness.everyone(.ready)
        #expect(harness.room.phase == .playing)
        let atMs = harness.room.atMs
        harness.advance(to: atMs - 1)
        #expect(harness.room.phase == .playing)
        harness.advance(to: atMs)
        #expect(harness.room.phase == .paused)
    }

    @Test("Playback needs media, then control, of which a guest may have none")
    func refusals() {
        var harness = RoomHarness(guests: 1)
        harness.clear()
        for message in [ClientMessage.play, .pause(positionMs: nil), .seek(positionMs: 0), .rate(1)] {
            harness.send(message)
            harness.send(message, from: "p2")
        }
        #expect(harness.errors == [String](repeating: "invalid_message", count: 8))
        harness.send(.setMedia(media: RoomHarness.film, positionMs: 0))
        harness.clear()
        let before = harness.room
        for message in [ClientMessage.play, .pause(positionMs: nil), .seek(positionMs: 0), .rate(1)] {
            harness.send(message, from: "p2")
        }
        #expect(harness.errors == [String](repeating: "forbidden", count: 4))
        #expect(harness.room == before)
        harness.send(.setControl(.everyone))
        harness.send(.pause(positionMs: nil), from: "p2")
        #expect(harness.actions == ["pause p2"])
    }

    @Test("Host commands are the host's alone")
    func hostCommands() {
        var harness = RoomHarness(guests: 1)
        harness.send(.setControl(.everyone))
        harness.clear()
        let before = harness.room
        let messages: [ClientMessage] = [
            .setMedia(media: RoomHarness.film, positionMs: 0), .clearMedia, .setControl(.host),
            .transferHost(peerId: "p2"), .kick(peerId: "p1"), .lock(true), .end,
        ]
        for message in messages { harness.send(message, from: "p2") }
        #expect(harness.errors == [String](repeating: "forbidden", count: messages.count))
        #expect(harness.room == before)
    }
}
