// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OWPWire

/// An `owp` that runs, with what it has written so far.
final class RunningProgram: @unchecked Sendable {  // `lock` guards what changes.
    let process = Process()
    private let lock = NSLock()
    private var written: [String: String] = [:]

    /// Starts the built `owp`, without a terminal.
    ///
    /// - Parameters:
    ///   - words: The words after its name.
    ///   - environment: What is set beyond ours.
    /// - Throws: What the system says when it cannot be started.
    init(_ words: [String], environment: [String: String] = [:]) throws {
        process.executableURL = try owpProgram()
        process.arguments = words
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe("out")
        process.standardError = pipe("err")
        try process.run()
    }

    /// What it wrote to standard output.
    var output: String { lock.withLock { written["out"] ?? "" } }
    /// What it wrote to standard error.
    var errors: String { lock.withLock { written["err"] ?? "" } }
    /// Its exit status, or the signal that ended it as a negative number; nil while it runs.
    var status: Int32? {
        guard !process.isRunning else { return nil }
        return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    }

    /// The first line of JSON with an event's name.
    func event(_ name: String) -> JSONValue? {
        output.split(separator: "\n").lazy.compactMap { try? JSONValue(parsing: String($0)) }
            .first { $0["event"] == .string(name) }
    }

    func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    /// Closes the pipe that it writes its output to, as a reader does that has seen enough.
    func closeOutput() {
        let handle = (process.standardOutput as? Pipe)?.fileHandleForReading
        handle?.readabilityHandler = nil
        try? handle?.close()
    }

    /// Reads no more of its output, as a stopped terminal does; the pipe is soon full.
    func stopReading() {
        guard let handle = (process.standardOutput as? Pipe)?.fileHandleForReading else { return }
        handle.readabilityHandler = nil
        #if canImport(Glibc)
            // F_SETPIPE_SZ: as small as it can be.
            _ = fcntl(handle.fileDescriptor, 1031, 4096)
        #endif
    }

    private func pipe(_ name: String) -> Pipe {
        let pipe = Pipe()
        pipe.fileHandleForReading.readabilityHandler = { [weak self] handle in
            // `availableData` ends the process when a read fails.
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = read(handle.fileDescriptor, &buffer, buffer.count)
            let bytes = buffer.prefix(max(0, count))
            if bytes.isEmpty { handle.readabilityHandler = nil }
            self?.lock.withLock { self?.written[name, default: ""] += String(decoding: bytes, as: UTF8.self) }
        }
        return pipe
    }
}

/// Waits until something is so; false when it is not within the limit.
@MainActor
func eventually(withinMs limitMs: Int = 90_000, _ isMet: @MainActor () -> Bool) async -> Bool {
    let end = ContinuousClock.now + .milliseconds(limitMs)
    while !isMet() {
        if ContinuousClock.now > end { return false }
        try? await Task.sleep(for: .milliseconds(5))
    }
    return true
}
