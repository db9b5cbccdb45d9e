// OpenWatchParty for Swift. See LICENSE.

import Foundation
import Testing

@testable import OWPCommand

/// What becomes of output that cannot be written; through a shell, as people meet it.
@Suite("Output that cannot be written")
struct OutputTests {
    /// Runs a line of the shell in which `owp` stands for the built program; answers with its status and its errors.
    private func shell(_ line: String) async throws -> (status: Int32, errors: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = ["-c", "owp() { \"$OWP\" \"$@\"; }; \(line)"]
        process.environment = ["OWP": try owpProgram().path, "PATH": "/usr/bin:/bin"]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        let errors = Pipe()
        process.standardError = errors
        try process.run()
        let text = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }

    @Test(
        "A full disk, or a closed standard output, is an error of one line",
        .enabled(if: FileManager.default.fileExists(atPath: "/dev/full")),
        arguments: ["--help", "--version", "relay-check --list", "info --help"]
    )
    func full(words: String) async throws {
        for redirection in ["> /dev/full", ">&-"] {
            let run = try await shell("owp \(words) \(redirection)")
            #expect(run.status == 1)
            #expect(run.errors.hasPrefix("owp: cannot write to standard output: "), "\(run.errors)")
            #expect(run.errors.split(separator: "\n").count == 1)
        }
    }

    @Test("A reader that has seen enough is no error", arguments: ["--help", "relay-check --list"])
    func head(words: String) async throws {
        let run = try await shell("owp \(words) | head -n 1; exit ${PIPESTATUS[0]}")
        #expect(run.status == 0)
        #expect(run.errors.isEmpty)
    }

    @Test("Nobody is shown a demo whose reader went away")
    func demo() async throws {
        let start = ContinuousClock.now
        let run = try await shell("owp demo | head -n 2; exit ${PIPESTATUS[0]}")
        #expect(run.status == 141)
        #expect(run.errors.isEmpty)
        #expect(ContinuousClock.now - start < .seconds(35))
    }
}

@MainActor
@Suite("owp relay-check as a program")
struct RelayCheckProgramTests {
    @Test("Ctrl-C ends it together with the relay that it started")
    func interrupted() async throws {
        let folder = try TestFolder()
        let script = folder.path + "/relay"
        try "#!/bin/sh\necho $$ > '\(folder.path)/pid'\nexec '\(owpProgram().path)' relay --addr 127.0.0.1:0\n"
            .write(toFile: script, atomically: true, encoding: .utf8)
        #expect(chmod(script, 0o755) == 0)
        let check = try RunningProgram(["relay-check", "--start", script])
        var relay: Int32?
        #expect(
            await eventually {
                let text = try? String(contentsOfFile: folder.path + "/pid", encoding: .utf8)
                relay = text.flatMap { Int32($0.trimmingCharacters(in: .whitespacesAndNewlines)) }
                return relay != nil
            }
        )
        let pid = try #require(relay)
        #expect(kill(pid, 0) == 0)
        check.signal(SIGINT)
        #expect(await eventually { check.status == 130 }, "\(String(describing: check.status))")
        #expect(await eventually { kill(pid, 0) != 0 })
    }
}
