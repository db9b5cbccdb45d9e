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
