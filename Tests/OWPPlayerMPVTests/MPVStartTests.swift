// OpenWatchParty for Swift. See LICENSE.

import Foundation
import Testing

@testable import OWPPlayerMPV

/// Starting the program and connecting to it.
@MainActor
@Suite("Starting mpv is not a race (FR-30)", .serialized)
struct MPVStartTests {
    /// A program that says its process ID in a file and does what the words after say.
    private func program(_ words: String) throws -> (path: String, pidFile: String) {
        let path = "/tmp/owp-program-\(UUID().uuidString.prefix(8))"
        let pidFile = path + ".pid"
        try "#!/bin/sh\necho $$ > \(pidFile)\n\(words)\n".write(toFile: path, atomically: true, encoding: .utf8)
        #expect(chmod(path, 0o755) == 0)
        return (path, pidFile)
    }

    /// Whether the process that a program said it was has gone.
    private func hasGone(_ pidFile: String) -> Bool {
        guard let text = try? String(contentsOfFile: pidFile, encoding: .utf8),
            let pid = Int32(text.trimmingCharacters(in: .whitespacesAndNewlines))
        else { return true }
        return kill(pid, 0) != 0
    }

    @Test("FR-30: a stale socket does no harm, and a listener that comes late is found")
    func lateListener() async throws {
        let fake = FakeMPV()
        fake.listen()
        fake.stop()  // Leaves the file behind, without a listener.
        let sleeper = try program("exec sleep 60")
        var options = MPVPlayer.Options()
        options.program = sleeper.path
        options.socketPath = fake.path
        let late = FakeMPV(path: fake.path)
        Thread {
            usleep(1_500_000)
            late.listen()
        }.start()
        let before = monotonicMs()
        let player = try await MPVPlayer.start(options)
        #expect(monotonicMs() - before >= 1400)
        late.sayLoaded()
        #expect(await eventually { player.firstFrameShown })
        await player.close()
        #expect(await eventually { hasGone(sleeper.pidFile) })
    }

    @Test("FR-30: a socket that a live player listens on is left alone")
    func liveSocket() async throws {
        let fake = FakeMPV()
        fake.listen()
        var options = MPVPlayer.Options()
        options.socketPath = fake.path
        options.program = try program("exec sleep 60").path
        await #expect(throws: MPVError.socketInUse(fake.path)) { try await MPVPlayer.start(options) }
        #expect(FileManager.default.fileExists(atPath: fake.path))
        fake.stop()
    }

    @Test("FR-30: a file that is no socket is never removed")
    func ordinaryFile() async throws {
        let path = "/tmp/owp-ordinary-\(UUID().uuidString.prefix(8))"
        try "precious".write(toFile: path, atomically: true, encoding: .utf8)
        var options = MPVPlayer.Options()
        options.socketPath = path
        await #expect(throws: MPVError.badSocketPath(path)) { try await MPVPlayer.start(options) }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
        unlink(path)
    }

    @Test("FR-30: a socket in a folder that is missing, or in a file, is refused before the player starts")
    func missingFolder() async throws {
        let program = try program("exec sleep 60")
        for path in ["/nonexistent/mpv.sock", program.path + "/mpv.sock"] {
            var options = MPVPlayer.Options()
            options.program = program.path
            options.socketPath = path
            await #expect(throws: MPVError.badSocketPath(path)) { try await MPVPlayer.start(options) }
        }
        #expect(!FileManager.default.fileExists(atPath: program.pidFile))
    }

    @Test("FR-30: a program that ends at once is one clear error")
    func endsAtOnce() async throws {
        var options = MPVPlayer.Options()
        options.program = try program("exit 3").path
        await #expect(throws: MPVError.exitedAtStart(status: 3)) { try await MPVPlayer.start(options) }
    }

    @Test("FR-30: a program that never answers is given up, and ended")
    func neverAnswers() async throws {
        let sleeper = try program("exec sleep 60")
        var options = MPVPlayer.Options()
        options.program = sleeper.path
        options.answersWithinMs = 700
        await #expect(throws: MPVError.noAnswer(afterMs: 700)) { try await MPVPlayer.start(options) }
        #expect(await eventually { hasGone(sleeper.pidFile) })
    }

    @Test("FR-30: a program that listens and says nothing is given up, and ended")
    func staysSilent() async throws {
        let fake = FakeMPV { _, _ in }
        let sleeper = try program("exec sleep 60")
        var options = MPVPlayer.Options()
        options.program = sleeper.path
        options.socketPath = fake.path
        options.commandWithinMs = 500
        Thread {
            usleep(200_000)
            fake.listen()
        }.start()
        await #expect(throws: MPVError.self) { try await MPVPlayer.start(options) }
        #expect(await eventually { hasGone(sleeper.pidFile) })
    }

    @Test("FR-30: a missing program is one clear error", arguments: ["owp-no-such-player", "/nowhere/mpv"])
    func missing(_ name: String) async {
        var options = MPVPlayer.Options()
        options.program = name
        await #expect(throws: MPVError.programNotFound(name)) { try await MPVPlayer.start(options) }
    }
}
