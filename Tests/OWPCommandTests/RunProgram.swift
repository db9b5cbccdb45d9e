// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OWPTestSupport
import OWPWire
import Testing

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

/// A program that runs until it is ended, such as a relay.
@MainActor
final class RunningProgram {
    private let process = Process()
    private let transcript: URL

    /// Starts the built `owp`.
    ///
    /// - Parameters:
    ///   - words: Its command line.
    ///   - environment: What is added to the environment.
    /// - Throws: What the system says when it cannot be started.
    init(_ words: [String], environment: [String: String] = [:]) throws {
        transcript = FileManager.default.temporaryDirectory.appendingPathComponent("owp-\(UUID().uuidString).txt")
        _ = FileManager.default.createFile(atPath: transcript.path, contents: nil)
        let output = try FileHandle(forWritingTo: transcript)
        process.executableURL = try owpProgram()
        process.arguments = words
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = output
        try process.run()
    }

    deinit {
        if process.isRunning { kill(process.processIdentifier, SIGKILL) }
        try? FileManager.default.removeItem(at: transcript)
    }

    /// Its memory in KiB as Linux counts it; nil elsewhere.
    var residentKiB: Int? {
        let status = try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
        let line = status?.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) }
    }

    /// What it has written so far, standard output and standard error together.
    var output: String { (try? String(contentsOf: transcript, encoding: .utf8)) ?? "" }

    /// The rest of the first whole line that begins so; nil without one.
    func line(after beginning: String) -> String? {
        let whole = output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        return whole.first { $0.hasPrefix(beginning) }.map { String($0.dropFirst(beginning.count)) }
    }

    /// The first event of a name, of a program that writes JSON.
    func event(_ name: String) -> JSONValue? {
        output.split(separator: "\n").lazy.compactMap { try? JSONValue(parsing: String($0)) }
            .first { $0["event"] == .string(name) }
    }

    /// Waits for such a line.
    func waits(forLineAfter beginning: String) async throws -> String {
        _ = await becomesTrue { self.line(after: beginning) != nil || !self.process.isRunning }
        return try #require(line(after: beginning), "\(output)")
    }

    /// Sends a signal, and waits for the end.
    ///
    /// - Returns: The exit status, or the signal's number.
    @discardableResult
    func end(_ signal: Int32 = SIGTERM) async -> Int32 {
        if process.isRunning { kill(process.processIdentifier, signal) }
        _ = await becomesTrue { !self.process.isRunning }
        return process.isRunning ? -1 : process.terminationStatus
    }
}

/// Waits until something is so; false when it is not within 60 s.
@MainActor
func becomesTrue(_ isMet: @MainActor () throws -> Bool) async rethrows -> Bool {
    let end = ContinuousClock.now + .seconds(60)
    while try !isMet() {
        if ContinuousClock.now > end { return false }
        try? await Task.sleep(for: .milliseconds(20))
    }
    return true
}

/// An `owp relay` as a program.
@MainActor
final class RelayProgram {
    /// The port it listens on.
    let port: Int
    /// The program.
    let program: RunningProgram

    /// Starts a relay; it takes connections once this returns.
    init(_ options: [String] = [], port: Int = 0, environment: [String: String] = [:]) async throws {
        program = try RunningProgram(
            ["relay", "--addr", "127.0.0.1:\(port)", "--max-connections-per-ip", "1000", "--max-rooms-per-ip", "1000"]
                + options,
            environment: environment
        )
        let address = try await program.waits(forLineAfter: "listening 127.0.0.1:")
        self.port = try #require(Int(address))
    }

    /// The base URL for `Relays.at`.
    var baseURL: String { "http://127.0.0.1:\(port)" }
}
