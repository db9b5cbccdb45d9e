// OpenWatchParty for Swift. See LICENSE.

import Foundation
import Testing

/// An `owp relay` as a program; it is killed with its owner.
final class RelayProgram: Sendable {
    /// The port it listens on.
    let port: Int
    private let program: RunningProgram

    /// Starts a relay; it takes connections once this returns.
    init(_ options: [String] = [], port: Int = 0, environment: [String: String] = [:]) async throws {
        let program = try RunningProgram(
            ["relay", "--addr", "127.0.0.1:\(port)", "--max-connections-per-ip", "1000", "--max-rooms-per-ip", "1000"]
                + options,
            environment: environment
        )
        let beginning = "listening 127.0.0.1:"
        var address: Substring? { program.output.split(separator: "\n").first { $0.hasPrefix(beginning) } }
        _ = await eventually { address != nil || program.status != nil }
        self.program = program
        self.port = try #require(address.flatMap { Int($0.dropFirst(beginning.count)) }, "\(program.errors)")
    }

    deinit { if program.status == nil { program.signal(SIGKILL) } }

    /// The base URL for `Relays.at`.
    var baseURL: String { "http://127.0.0.1:\(port)" }

    /// What it has logged so far.
    var log: String { program.errors }

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
