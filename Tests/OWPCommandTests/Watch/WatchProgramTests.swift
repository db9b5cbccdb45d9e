// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OWPRelay
import OWPTestSupport
import OpenWatchParty
import Testing

@testable import OWPCommand
@testable import OWPPlayerMPV

private let hasMPV = MPVPlayer.find("mpv") != nil

/// `owp watch` as a program: how it ends, and what it leaves behind.
@MainActor
@Suite("owp watch as a program", .serialized, .enabled(if: hasMPV))
struct WatchProgramTests {
    private let relay: EmbeddedRelay
    private let folder: TestFolder
    private let film: String

    init() throws {
        relay = try EmbeddedRelay.start()
        folder = try TestFolder()
        film = folder.path + "/a.y4m"
        try writeTestFilm(film, seconds: 60)
    }

    private func program(_ words: String...) throws -> RunningProgram {
        try RunningProgram(
            ["watch"] + words + ["--relay", relay.baseURL, "--headless", "--json"],
            environment: ["XDG_RUNTIME_DIR": folder.path]
        )
    }

    /// A friend in a program's room, to see when it leaves.
    private func friend(of host: RunningProgram) async throws -> WatchParty<String> {
        #expect(await eventually { host.event("opened") != nil }, "\(host.output) \(host.errors)")
        guard case .string(let code)? = host.event("created")?["code"] else { throw CancellationError() }
        let friend = try WatchParty<String>(relays: Relays.at(relay.baseURL), client: "test/1", name: "Ben")
        try await friend.join(code)
        #expect(friend.state.room?.participants.count == 2)
        return friend
    }

    /// The folders of players in the test's own one.
    private var playerFolders: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).filter { $0.hasPrefix("owp-mpv-") }
    }

    @Test("A killed owp takes its mpv along, and the next one tidies up after it")
    func killed() async throws {
        let host = try program("--create", film)
        #expect(await eventually { host.event("opened") != nil }, "\(host.errors)")
        guard case .string(let socket)? = host.event("player")?["ipcSocket"] else {
            Issue.record("no player: \(host.output)")
            return
        }
        let outside = try await MPVPlayer.attach(to: socket)
        host.signal(SIGKILL)
        #expect(await eventually { outside.hasEnded })
        #expect(playerFolders.count == 1)
        // Ours, and living: it stays.
        let living = try #require(OwnFolder(in: folder.path))
        let next = try RunningProgram(["info", film], environment: ["XDG_RUNTIME_DIR": folder.path])
        #expect(await eventually { next.status == 0 })
        #expect(await eventually { self.playerFolders.map { self.folder.path + "/" + $0 } == [living.path] })
        living.remove()
        relay.stop()
    }

    @Test(
        "One Ctrl-C that arrives twice leaves the room, in order",
        arguments: [[SIGINT, SIGINT], [SIGINT, SIGTERM]]
    )
    func twice(signals: [Int32]) async throws {
        let host = try program("--create", film)
        let friend = try await friend(of: host)
        for number in signals { host.signal(number) }
        #expect(await eventually { host.status == 0 }, "\(String(describing: host.status))")
        #expect(await eventually { friend.state.room?.participants.count == 1 })
        #expect(host.event("ended")?["reason"] == "left")
        #expect(playerFolders.isEmpty)
        await friend.close().value
        relay.stop()
    }

    @Test("Who leaves without a player has said so before the process is gone, every time")
    func leavesInTime() async throws {
        let empty = folder.path + "/empty"
        try FileManager.default.createDirectory(atPath: empty, withIntermediateDirectories: true)
        let host = try program("--create", film)
        let friend = try await friend(of: host)
        let code = try #require(friend.state.room?.code)
        var wasAway = false
        friend.observer = { output in
            guard case .state(let state) = output else { return }
            wasAway = wasAway || state.room?.participants.contains { !$0.connected } ?? false
        }
        for _ in 0..<12 {
            let guest = try program(code, empty)
            #expect(await eventually { friend.state.room?.participants.count == 3 })
            #expect(await eventually { guest.event("unavailable") != nil })
            guest.signal(SIGTERM)
            #expect(await eventually { guest.status == 0 })
            #expect(await eventually { friend.state.room?.participants.count == 2 })
        }
        #expect(!wasAway)
        await friend.close().value
        host.signal(SIGTERM)
        #expect(await eventually { host.status == 0 })
        relay.stop()
    }

    @Test("Who gives up while the relay answers leaves again when the answer has come")
    func givesUpWhileJoining() async throws {
        let host = try program("--create", film)
        let friend = try await friend(of: host)
        let code = try #require(friend.state.room?.code)
        var wasAway = false
        friend.observer = { output in
            guard case .state(let state) = output else { return }
            wasAway = wasAway || state.room?.participants.contains { !$0.connected } ?? false
        }
        var faults = TcpProxy.Faults()
        faults.delayMs = 400
        let proxy = TcpProxy(to: relay.port, faults: faults)
        let guest = try RunningProgram(
            ["watch", code, film, "--relay", "http://127.0.0.1:\(proxy.port)", "--headless", "--json"],
            environment: ["XDG_RUNTIME_DIR": folder.path]
        )
        // The relay has let it in, and it does not know yet.
        #expect(await eventually { friend.state.room?.participants.count == 3 })
        #expect(guest.event("joined") == nil)
        guest.signal(SIGTERM)
        #expect(await eventually { friend.state.room?.participants.count == 2 })
        #expect(!wasAway)
        #expect(await eventually { guest.status == 1 })
        #expect(await eventually { guest.event("failed")?["code"] == "cancelled" })
        await friend.close().value
        host.signal(SIGTERM)
        #expect(await eventually { host.status == 0 })
        relay.stop()
    }

    @Test("A reader that goes away ends it in order, and quietly")
    func closedPipe() async throws {
        let host = try program("--create", film)
        let friend = try await friend(of: host)
        host.closeOutput()
        // Something to say.
        let another = try WatchParty<String>(relays: Relays.at(relay.baseURL), client: "test/1", name: "Cleo")
        try await another.join(try #require(friend.state.room?.code))
        #expect(await eventually { host.status == 0 }, "\(String(describing: host.status))")
        #expect(host.errors.isEmpty)
        #expect(await eventually { friend.state.room?.participants.count == 2 })
        await another.close().value
        await friend.close().value
        relay.stop()
    }

    @Test("Output that nobody reads holds up neither the party nor its end")
    func stoppedReader() async throws {
        let host = try program("--create", film, "--everyone")
        let friend = try await friend(of: host)
        friend.detachPlayer()
        host.stopReading()
        var actions = 0
        friend.observer = { output in
            if case .event(let event) = output, event is ActionEvent { actions += 1 }
        }
        for count in 1...100 {
            try friend.seek(to: Int64(count) * 100)
            #expect(await eventually { actions >= count })
            // Within what the relay takes of a connection.
            try? await Task.sleep(for: .milliseconds(55))
        }
        host.signal(SIGTERM)
        #expect(await eventually { friend.state.room?.participants.count == 1 })
        host.signal(SIGKILL)
        await friend.close().value
        relay.stop()
    }

    @Test("What cannot be entered is a line of JSON with its code, and one on standard error")
    func failed() async throws {
        let missing = try program("K7MQ2X", film)
        #expect(await eventually { missing.status == 1 })
        #expect(await eventually { missing.event("failed")?["code"] == "room_not_found" }, "\(missing.output)")
        #expect(await eventually { missing.errors.hasPrefix("owp watch: the room K7M-Q2X does not exist") })
        relay.stop()
        let down = try program("K7MQ2X", film)
        #expect(await eventually { down.status == 1 })
        #expect(await eventually { down.event("failed")?["code"] == "unreachable" }, "\(down.output)")
    }
}
