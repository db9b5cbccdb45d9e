// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OWPCore
import OWPRelayCheck
import OWPWire
import Testing

@testable import OWPRelay

@Suite("Persistence", .serialized)
struct StateTests {
    /// A directory that is gone after its test.
    final class Folder {
        let path = NSTemporaryDirectory() + "owp-state-\(UUID().uuidString)"
        deinit { try? FileManager.default.removeItem(atPath: path) }

        var names: [String] {
            ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).filter { $0 != "lock" }.sorted()
        }

        func read(_ name: String) -> String? {
            FileManager.default.contents(atPath: path + "/" + name).map { String(decoding: $0, as: UTF8.self) }
        }

        func write(_ name: String, _ text: String) throws {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            try text.write(toFile: path + "/" + name, atomically: false, encoding: .utf8)
        }
    }

    /// A room in which as much as possible differs from a new one.
    private func storiedRoom() -> RelayRoom {
        var harness = RoomHarness.running(guests: 3, at: 5000)
        harness.send(.setControl(.everyone))
        harness.send(.lock(true))
        harness.send(.rate(1.3))
        harness.status("p2", .buffering, rttMs: 77, offsetMs: -900)
        harness.advance(by: 800)
        harness.status("p2", .ready)
        harness.send(.seek(positionMs: 70_000))
        harness.drop("p3")
        harness.send(.transferHost(peerId: "p2"))
        harness.send(.leave, from: "p4")
        return harness.room
    }

    private func load(_ store: StateStore) throws -> StateStore.Loaded {
        try store.load(times: RoomTimes(), largestMembers: 50) { $0 }
    }

    @Test("A room comes back as it was, with everyone disconnected")
    func roundTrip() throws {
        let room = storiedRoom()
        let text = room.saved
        let saved = try JSONValue(parsing: text)
        let restored = try RelayRoom(restoring: saved, times: RoomTimes(), largestMembers: 50, at: 5_000_000)
        var expected = room
        expected.rev += 1
        expected.gatheredUntilMs = nil
        expected.dropEveryone(at: 5_000_000)
        #expect(restored == expected)
        #expect(restored.media == RoomHarness.film)
        #expect(!text.contains("token"))
    }

    @Test("Restored rooms are restored the same again")
    func twice() throws {
        let folder = Folder()
        let store = try StateStore(directory: folder.path)
        store.finish(["K7MQ2X": storiedRoom(), "222222": nil], at: 1_020_000)
        let again = try StateStore(directory: folder.path)
        guard case .rooms(let rooms) = try load(again) else {
            Issue.record("nothing restored")
            return
        }
        #expect(rooms.map(\.code) == ["K7MQ2X"])
        #expect(rooms[0].desertedSinceMs == 1_020_000)
        #expect(folder.names == ["rooms.state"])
    }

    @Test("A cut file is set aside, wherever it is cut, and never overwritten")
    func truncated() throws {
        let folder = Folder()
        let store = try StateStore(directory: folder.path)
        store.finish(["K7MQ2X": storiedRoom()], at: 1_020_000)
        let whole = try #require(folder.read("rooms.state"))
        var asides = 0
        for length in stride(from: 0, to: whole.utf8.count, by: 97) + [whole.utf8.count - 1] {
            let cut = String(decoding: whole.utf8.prefix(length), as: UTF8.self)
            try folder.write("rooms.state", cut)
            guard case .setAside(let path, let reason) = try load(store) else {
                Issue.record("a file cut at \(length) was restored")
                continue
            }
            asides += 1
            #expect(path.hasSuffix("rooms.state.unreadable-\(asides)"))
            #expect(!reason.isEmpty)
            #expect(folder.read("rooms.state.unreadable-\(asides)") == cut)
            #expect(folder.read("rooms.state") == nil)
        }
        #expect(asides > 5)
    }

    @Test(
        "What no relay has saved is set aside",
        arguments: [
            "", "hello", "{}", "{\"format\":\"another\",\"version\":1,\"savedAtMs\":1}\n{\"rooms\":0}\n",
            "{\"format\":\"openwatchparty-relay-state\",\"version\":2,\"savedAtMs\":1}\n{\"rooms\":0}\n",
            "{\"format\":\"openwatchparty-relay-state\",\"version\":1,\"savedAtMs\":1}\n{}\n{\"rooms\":1}\n",
        ]
    )
    func foreign(text: String) throws {
        let folder = Folder()
        try folder.write("rooms.state", text)
        let store = try StateStore(directory: folder.path)
        guard case .setAside = try load(store) else {
            Issue.record("it was restored")
            return
        }
        #expect(folder.read("rooms.state.unreadable-1") == text)
    }

    @Test("A room that contradicts itself is refused, whichever member is wrong")
    func contradictions() throws {
        guard case .object(let members) = try JSONValue(parsing: storiedRoom().saved) else { return }
        let wrong: [String: JSONValue] = [
            "code": "0OOOOO", "rev": 0, "epoch": -1, "phase": "dancing", "positionMs": -1, "atMs": 0.5, "rate": 3,
            "control": "nobody", "locked": 1, "media": [:], "host": 99, "next": 2, "members": [],
        ]
        for (name, value) in wrong {
            var changed = members
            changed[name] = value
            for bad in [changed, members.filter { $0.key != name || name == "media" }] where bad != members {
                #expect(throws: StateError.self, "\(name)") {
                    try RelayRoom(restoring: .object(bad), times: RoomTimes(), largestMembers: 50, at: 0)
                }
            }
        }
    }

    @Test("A directory serves one relay at a time")
    func locked() throws {
        let folder = Folder()
        let store = try StateStore(directory: folder.path)
        #expect(throws: RelayStartError.self) { try StateStore(directory: folder.path) }
        store.finish([:], at: 0)
        _ = try StateStore(directory: folder.path)
    }

    @Test("A save that fails is told, and the old file stays")
    func failure() throws {
        let folder = Folder()
        let store = try StateStore(directory: folder.path)
        store.finish(["K7MQ2X": storiedRoom()], at: 1)
        let before = folder.read("rooms.state")
        let obstacle = folder.path + "/rooms.state.new"
        try FileManager.default.createDirectory(atPath: obstacle, withIntermediateDirectories: false)
        store.finish(["K7MQ2X": nil], at: 2)
        #expect(store.failure != nil)
        #expect(folder.read("rooms.state") == before)
        try FileManager.default.removeItem(atPath: obstacle)
        store.finish([:], at: 3)
        #expect(store.failure == nil)
        #expect(folder.read("rooms.state") != before)
    }

    @Test("A playing room plays on across a restart, and everyone resumes")
    func restart() throws {
        let folder = Folder()
        var configuration = RelayConfiguration()
        configuration.stateDirectory = folder.path
        var relay = try EmbeddedRelay.start(configuration)
        let host = try BlockingClient(webSocketAt: relay.port)
        let session = try host.create()
        try host.send(.setMedia(media: RoomHarness.film, positionMs: 60_000))
        _ = try host.nextRoom()
        try host.send(.status(StatusMessage(epoch: 1, player: .ready, match: nil, offsetMs: 0, rttMs: 10)))
        let playing = try host.nextRoom().room
        #expect(playing.phase == .playing)
        relay.stop()
        relay = try EmbeddedRelay.start(configuration)
        defer { relay.stop() }
        let again = try BlockingClient(webSocketAt: relay.port)
        try again.send(.resume(code: session.code, peerId: session.peerId, token: session.token))
        let resumed = try again.nextJoined()
        #expect(resumed.room.phase == .playing)
        #expect((resumed.room.positionMs, resumed.room.atMs) == (playing.positionMs, playing.atMs))
        #expect(resumed.serverTimeMs >= playing.atMs)
        #expect(resumed.media == RoomHarness.film)
        let text = try #require(folder.read("rooms.state"))
        #expect(!text.contains(session.token))
        #expect(!text.contains("127.0.0.1"))
    }

    @Test("A change is on disk within a second, while the relay runs")
    func promptly() throws {
        let folder = Folder()
        var configuration = RelayConfiguration()
        configuration.stateDirectory = folder.path
        let relay = try EmbeddedRelay.start(configuration)
        defer { relay.stop() }
        let host = try BlockingClient(webSocketAt: relay.port)
        let code = try host.create().code
        let start = ContinuousClock.now
        while folder.read("rooms.state")?.contains(code) != true, ContinuousClock.now - start < .seconds(20) {
            try host.send(.ping(id: 1))
            _ = try host.nextEvent()
        }
        // A kill at this moment: what stands on disk is what the next relay finds.
        let copy = Folder()
        try copy.write("rooms.state", try #require(folder.read("rooms.state")))
        guard case .rooms(let rooms) = try load(StateStore(directory: copy.path)) else {
            Issue.record("nothing restored")
            return
        }
        #expect(rooms.map(\.code) == [code])
    }

    @Test("Relay time goes on after the wall clock was set back")
    func relayTime() {
        let ahead = Int64(Date().timeIntervalSince1970 * 1000) + 5_000_000
        #expect(RelayTime(notBeforeMs: ahead).nowMs >= ahead)
        #expect(RelayTime(notBeforeMs: 5).nowMs < ahead)
    }
}
