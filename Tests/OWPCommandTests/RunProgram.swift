// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OWPTestSupport

/// What a run of `owp` wrote and how it ended.
struct ProgramRun: Sendable {
    let status: Int32
    /// Standard output and standard error together.
    let output: String
}

/// Runs the built `owp` to its end, without a terminal.
func runProgram(_ words: [String]) async throws -> ProgramRun {
    let transcript = FileManager.default.temporaryDirectory.appendingPathComponent("owp-\(UUID().uuidString).txt")
    _ = FileManager.default.createFile(atPath: transcript.path, contents: nil)
    defer { try? FileManager.default.removeItem(at: transcript) }
    let output = try FileHandle(forWritingTo: transcript)
    let process = Process()
    process.executableURL = try owpProgram()
    process.arguments = words
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = output
    let status = try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Int32, any Error>) in
        process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
        do { try process.run() } catch { continuation.resume(throwing: error) }
    }
    return ProgramRun(status: status, output: try String(contentsOf: transcript, encoding: .utf8))
}

/// The program that was built with these tests.
func owpProgram() throws -> URL { try builtProgram("owp") }
