// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OWPRelayCheck
import Testing

/// An `owp relay` as a program; it is killed with its owner.
final class RelayProgram: Sendable {
    /// The port it listens on.
    let port: Int
    /// The port of its metrics.
    private let adminPort: Int
    private let program: RunningProgram

    /// Starts a relay; it takes connections once this returns.
    init(_ options: [String] = [], port: Int = 0, environment: [String: String] = [:]) async throws {
        let started = try RunningProgram(
            [
                "relay", "--addr", "127.0.0.1:\(port)", "--admin-addr", "127.0.0.1:0", "--max-connections-per-ip",
                "1000",
                "--max-rooms-per-ip", "1000",
            ] + options,
            environment: environment
        )
        func number(after beginning: String) -> Int? {
            let line = started.output.split(separator: "\n").first { $0.hasPrefix(beginning) }
            return line.flatMap { Int($0.dropFirst(beginning.count)) }
        }
        _ = await eventually { number(after: "metrics 127.0.0.1:") != nil || started.status != nil }
        program = started
        self.port = try #require(number(after: "listening 127.0.0.1:"), "\(started.errors)")
        adminPort = try #require(number(after: "metrics 127.0.0.1:"))
    }

    deinit { if program.status == nil { program.signal(SIGKILL) } }

    /// The base URL for `Relays.at`.
    var baseURL: String { "http://127.0.0.1:\(port)" }

    /// What it has logged so far.
    var log: String { program.errors }

    /// A metric by its name without `owp_`.
    func metric(_ name: String) throws -> Int? {
        let client = try BlockingClient(port: adminPort)
        try client.send(Array("GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
        let line = try client.readToEnd().split(separator: "\n").first { $0.hasPrefix("owp_\(name) ") }
        return line?.split(separator: " ").last.flatMap { Int($0) }
    }

    /// Leaves it so many descriptors, with Linux's `prlimit`; false where that is missing.
    func limitDescriptors(to count: Int) throws -> Bool {
        let words = ["prlimit", "--pid", "\(program.process.processIdentifier)", "--nofile=\(count):\(count)"]
        let run = try Process.run(URL(fileURLWithPath: "/usr/bin/env"), arguments: words)
        run.waitUntilExit()
        return run.terminationStatus == 0
    }

    /// Its memory in KiB as Linux counts it; nil elsewhere.
    var residentKiB: Int? {
        let path = "/proc/\(program.process.processIdentifier)/status"
        let status = try? String(contentsOfFile: path, encoding: .utf8)
        let line = status?.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
        return line?.split { $0 == " " || $0 == "\t" }.dropFirst().first.flatMap { Int($0) }
    }

    /// Sends a signal, and waits for the end.
    ///
    /// - Returns: The exit status, or the number of the signal that ended it as a negative number; nil when it goes on.
    @discardableResult
    func end(_ signal: Int32 = SIGTERM) async -> Int32? { await program.end(signal) }
}

extension RunningProgram {
    /// Sends a signal, and waits for the end.
    ///
    /// - Returns: The status; nil when it goes on.
    func end(_ number: Int32 = SIGTERM) async -> Int32? {
        if status == nil { signal(number) }
        _ = await eventually { status != nil }
        return status
    }
}
