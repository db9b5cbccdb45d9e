// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OWPCore
import OWPRelayCheck
import OWPWire
import Testing

/// What an operator does to a relay, and what disks do: as a program, with real signals and files.
@Suite("owp relay as a program", .serialized)
struct RelayProgramTests {
    private let film = Media(kind: .movie, title: "Nosferatu", durationMs: 5_400_000)

    /// A room of one that plays, and the session to come back with.
    private func playingRoom(_ relay: RelayProgram) throws -> (host: BlockingClient, session: JoinedMessage, room: Room)
    {
        let host = try BlockingClient(webSocketAt: relay.port)
        let session = try host.create()
        try host.send(.setMedia(media: film, positionMs: 60_000))
        _ = try host.nextRoom()
        try host.send(.status(StatusMessage(epoch: 1, player: .ready, match: nil, offsetMs: 0, rttMs: 1)))
        return (host, session, try host.nextRoom("a room that plays") { $0.room.phase == .playing }.room)
    }

    private func resumed(_ session: JoinedMessage, at relay: RelayProgram) throws -> JoinedMessage {
        let client = try BlockingClient(webSocketAt: relay.port)
        try client.send(.resume(code: session.code, peerId: session.peerId, token: session.token))
        return try client.nextJoined()
    }

    @Test("Killed at any moment, it comes back without the last second at most, and a playing room plays on")
    func killed() async throws {
        let folder = try TestFolder()
        let options = ["--state-dir", folder.path + "/state"]
        var relay = try await RelayProgram(options)
        let (host, session, playing) = try playingRoom(relay)
        var client = host
        var latest: Int64 = 0
        try await Task.sleep(for: .milliseconds(1100))
        for round in 0..<6 {
            // A change every 20 ms, each told by the offset, until some moment of the second after the first save.
            var changes: [(offsetMs: Int64, at: ContinuousClock.Instant)] = []
            var delay = Duration.zero
            let until = ContinuousClock.now + .milliseconds(1100 + 170 * round)
            while ContinuousClock.now < until {
                latest += 1
                let status = StatusMessage(epoch: 1, player: .ready, match: nil, offsetMs: latest, rttMs: 1)
                try client.send(.status(status))
                try client.send(.ping(id: latest))
                _ = try client.nextPong()
                // It has been taken now.
                let now = ContinuousClock.now
                changes.append((latest, now))
                try await Task.sleep(for: .milliseconds(20))
                // What this machine keeps a program waiting for, that of the relay as well.
                delay = max(delay, ContinuousClock.now - now - .milliseconds(20))
            }
            let killed = ContinuousClock.now
            await relay.end(SIGKILL)
            relay = try await RelayProgram(options, port: relay.port)
            let restarted = relay
            #expect(await eventually { restarted.log.contains("restored_rooms=1") })
            client = try BlockingClient(webSocketAt: relay.port)
            try client.send(.resume(code: session.code, peerId: session.peerId, token: session.token))
            let joined = try client.nextJoined()
            #expect(joined.room.phase == .playing)
            #expect((joined.room.positionMs, joined.room.atMs) == (playing.positionMs, playing.atMs))
            #expect(joined.media == film)
            let offsetMs = try #require(joined.room.participants.first?.offsetMs)
            let required = changes.last { killed - $0.at > .seconds(1) + delay }?.offsetMs ?? 0
            #expect(offsetMs >= required && offsetMs <= latest, "\(offsetMs) of \(required)...\(latest)")
        }
    }

    @Test("Stopped by SIGTERM it saves everything, ends with 0, and clients hear 1001")
    func stopped() async throws {
        let folder = try TestFolder()
        let options = ["--state-dir", folder.path + "/state"]
        let relay = try await RelayProgram(options)
        let (host, session, playing) = try playingRoom(relay)
        #expect(await relay.end() == 0)
        #expect(try host.closeCode() == 1001)
        let again = try await RelayProgram(options)
        let joined = try resumed(session, at: again)
        #expect((joined.room.phase, joined.room.atMs) == (.playing, playing.atMs))
    }

    @Test("Without a state directory a restart has no rooms, and who resumes is told so")
    func forgets() async throws {
        let relay = try await RelayProgram()
        let session = try playingRoom(relay).session
        await relay.end(SIGKILL)
        let again = try await RelayProgram(port: relay.port)
        let client = try BlockingClient(webSocketAt: again.port)
        try client.send(.resume(code: session.code, peerId: session.peerId, token: session.token))
        #expect(try client.nextError().code == "resume_failed")
        try client.send(.join(code: session.code, name: "B", client: "check/1", create: false))
        #expect(try client.nextError().code == "room_not_found")
    }

    @Test("A state file that is broken, cut or another program's is set aside and named, and the relay serves")
    func setAside() async throws {
        let folder = try TestFolder()
        let state = folder.path + "/rooms.state"
        let options = ["--state-dir", folder.path]
        let relay = try await RelayProgram(options)
        _ = try playingRoom(relay)
        await relay.end()
        let whole = try Data(contentsOf: URL(fileURLWithPath: state))
        let broken = whole.count - 200
        let files = [
            whole.prefix(whole.count / 2), whole[..<broken] + [0xFF] + whole[(broken + 1)...],
            Data("[Desktop Entry]\nName=Films\n".utf8), Data(),
        ]
        for (index, file) in files.enumerated() {
            try file.write(to: URL(fileURLWithPath: state))
            let relay = try await RelayProgram(options)
            let aside = "\(state).unreadable-\(index + 1)"
            let line = "level=warning event=state_set_aside path=\(aside) reason="
            #expect(await eventually { relay.log.contains(line) }, "\(relay.log)")
            #expect(try Data(contentsOf: URL(fileURLWithPath: aside)) == file)
            #expect(try BlockingClient(webSocketAt: relay.port).create().peerId == "p1")
            await relay.end()
        }
    }

    @Test(
        "A full disk is told once, nobody notices, and rooms are saved again once there is room",
        .enabled(if: canMount)
    )
    func fullDisk() async throws {
        let disk = try SmallDisk()
        let relay = try await RelayProgram(["--state-dir", disk.path + "/state"])
        let (host, session, _) = try playingRoom(relay)
        let state = disk.path + "/state/rooms.state"
        func isSaved(_ text: String) -> Bool {
            (try? String(contentsOfFile: state, encoding: .utf8))?.contains(text) == true
        }
        #expect(await eventually { isSaved(session.code) })
        try disk.fill()
        let other = try BlockingClient(webSocketAt: relay.port)
        let late = try other.create()
        #expect(
            await eventually { relay.log.contains("event=save_failed reason=\"No space left on device\"") }
        )
        // Everyone is served, for more than one failing save.
        let until = ContinuousClock.now + .seconds(2)
        while ContinuousClock.now < until {
            for client in [host, other] {
                try client.send(.ping(id: 1))
                _ = try client.nextPong()
            }
            try await Task.sleep(for: .milliseconds(100))
        }
        #expect(isSaved(session.code) && !isSaved(late.code), "the last good file stands")
        try disk.makeRoom()
        #expect(await eventually { relay.log.contains("event=saved_again") })
        #expect(isSaved(session.code) && isSaved(late.code))
        #expect(relay.log.components(separatedBy: "event=save_failed").count == 2)
        await relay.end(SIGKILL)
        let again = try await RelayProgram(["--state-dir", disk.path + "/state"])
        #expect(try resumed(late, at: again).room.code == late.code)
        await again.end()
    }

    @Test(
        "FR-38: floods, endless messages, half-sent heads and deaf clients leave the memory flat and the others served"
    )
    func hostile() async throws {
        let relay = try await RelayProgram()
        let (host, _, _) = try playingRoom(relay)
        let clock = ContinuousClock()
        var answers: [Duration] = []
        func ping() throws {
            let start = clock.now
            try host.send(.ping(id: Int64(answers.count + 1)))
            _ = try host.nextPong()
            answers.append(clock.now - start)
        }
        let piece = [UInt8]([0x00, 0xFE, 0x10, 0x00, 0, 0, 0, 0]) + [UInt8](repeating: 0x61, count: 4096)
        func attack() throws {
            var attackers: [BlockingClient] = []
            for _ in 0..<8 {
                let head = try BlockingClient(port: relay.port)
                try head.send(Array("GET /v1/ws HTTP/1.1\r\nX: \(String(repeating: "x", count: 7000))".utf8))
                let endless = try BlockingClient(webSocketAt: relay.port)
                try endless.send([0x01, 0x80, 0, 0, 0, 0])
                // Ends in an error once the relay has closed.
                for _ in 0..<1000 where (try? endless.send(piece)) == nil { break }
                let flood = try BlockingClient(webSocketAt: relay.port)
                for id in 1...500 { try flood.send(.ping(id: Int64(id))) }
                let deaf = try BlockingClient(webSocketAt: relay.port, receiveBuffer: 4096)
                _ = try deaf.create()
                for _ in 0..<60 { try deaf.send(text: String(repeating: "[", count: 16_000)) }
                attackers += [head, endless, flood, deaf]
                try ping()
            }
        }
        try attack()
        let before = relay.residentKiB
        for _ in 0..<5 { try attack() }
        if let before, let after = relay.residentKiB {
            #expect(after - before < 4096, "\(before) KiB, then \(after) KiB")
        }
        #expect(answers.sorted()[answers.count / 2] < .milliseconds(100), "\(answers)")
        try ping()
    }

    @Test("Without descriptors left newcomers are refused, those inside are served, and it goes on afterwards")
    func descriptors() async throws {
        let relay = try await RelayProgram()
        let (host, session, _) = try playingRoom(relay)
        guard try relay.limitDescriptors(to: 40) else {
            print("SKIPPED: no prlimit here, so no relay runs out of descriptors")
            return
        }
        var others = (0..<60).compactMap { _ in try? BlockingClient(port: relay.port) }
        for id in 1...5 as ClosedRange<Int64> {
            try host.send(.ping(id: id))
            _ = try host.nextPong()
        }
        // Those that were refused read an end; those before them wait for their turn to speak.
        #expect(try others.removeLast().readToEnd() == "")
        others = []
        // The relay has yet to see that those have gone.
        var guest: BlockingClient?
        for _ in 0..<200 where guest == nil {
            guest = try? BlockingClient(webSocketAt: relay.port)
            if guest == nil { usleep(50_000) }
        }
        #expect(try #require(guest).join(session.code).peerId == "p2")
    }

    @Test(
        "What cannot be is one clear line and status 1",
        arguments: [
            (["--state-dir", "/proc/owp"], "cannot make the state directory /proc/owp: No such file or directory"),
            (["--state-dir", "/dev/null"], "cannot write to the state directory /dev/null: Not a directory"),
            (["--addr", "192.0.2.1:0"], "cannot listen on 192.0.2.1:0: "),
            (["--addr", "no.such.host.invalid:0"], "no.such.host.invalid is no address of this machine"),
        ]
    )
    func impossible(words: [String], reason: String) async throws {
        let run = try await runProgram(["relay"] + (words[0] == "--addr" ? [] : ["--addr", "127.0.0.1:0"]) + words)
        #expect(run.status == 1)
        let line = run.output.split(separator: "\n").filter { !$0.hasPrefix("level=") }
        #expect(line.count == 1 && line[0].hasPrefix("owp relay: \(reason)"), "\(run.output)")
    }
}

/// Whether this process may mount; without it a disk cannot be filled.
private let canMount: Bool = {
    guard let disk = try? SmallDisk() else {
        print("SKIPPED: no file system can be mounted here (root is needed), so no full disk is tried")
        return false
    }
    return FileManager.default.fileExists(atPath: disk.path)
}()

/// A file system of 256 KiB in memory, gone with its owner.
private final class SmallDisk {
    let path: String
    private let folder: TestFolder

    init() throws {
        folder = try TestFolder()
        path = folder.path
        let mount = try Process.run(
            URL(fileURLWithPath: "/usr/bin/env"),
            arguments: ["mount", "-t", "tmpfs", "-o", "size=256k", "owp", folder.path]
        )
        mount.waitUntilExit()
        guard mount.terminationStatus == 0 else { throw CocoaError(.fileWriteNoPermission) }
    }

    deinit {
        let unmount = try? Process.run(URL(fileURLWithPath: "/usr/bin/env"), arguments: ["umount", "-l", path])
        unmount?.waitUntilExit()
    }

    /// Takes up all that is left.
    func fill() throws {
        let file = open(path + "/ballast", O_WRONLY | O_CREAT, 0o600)
        defer { close(file) }
        let block = [UInt8](repeating: 1, count: 4096)
        while write(file, block, block.count) > 0 {}
    }

    func makeRoom() throws { try FileManager.default.removeItem(atPath: path + "/ballast") }
}
