// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OWPRelay
import OWPTestSupport
import OpenWatchParty
import Testing

/// A fresh relay on 127.0.0.1 for one test, with its waiting times at a tenth and its limits raised.
///
/// `OWP_RELAY_BIN` names another relay to run: a program that takes the options below and prints
/// `listening HOST:PORT`. Without it the relay of this package runs within the test.
@MainActor
final class RelayHarness {
    /// The relay's base URL.
    let baseURL: String
    /// The port it listens on.
    let port: Int
    private let embedded: EmbeddedRelay?
    private let process: Process?

    init() throws {
        guard let program = ProcessInfo.processInfo.environment["OWP_RELAY_BIN"] else {
            var configuration = RelayConfiguration()
            configuration.timerScale = 0.1
            configuration.maxConnectionsPerIP = 1000
            configuration.maxRoomsPerIP = 1000
            configuration.messagesPerSecond = 1000
            let relay = try EmbeddedRelay.start(configuration)
            embedded = relay
            process = nil
            baseURL = relay.baseURL
            port = relay.port
            return
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments =
            (program.hasSuffix("/owp") ? ["relay"] : []) + [
                "--addr", "127.0.0.1:0", "--timer-scale", "0.1", "--max-connections-per-ip", "1000",
                "--max-rooms-per-ip", "1000", "--messages-per-second", "1000",
            ]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        var line = ""
        while !line.hasSuffix("\n"), let byte = try output.fileHandleForReading.read(upToCount: 1), !byte.isEmpty {
            line += String(decoding: byte, as: UTF8.self)
        }
        self.process = process
        embedded = nil
        let address = try #require(line.split(whereSeparator: \.isWhitespace).last, "the relay says where it listens")
        baseURL = "http://\(address)"
        port = try #require(address.split(separator: ":").last.flatMap { Int($0) })
    }

    /// Ends the relay.
    func stop() {
        embedded?.stop()
        guard let process else { return }
        process.terminate()
        process.waitUntilExit()
    }

    /// A party on the relay, or on what stands in front of it, with the default transport and clock.
    func party(
        _ name: String,
        through baseURL: String? = nil,
        files: [Candidate<String>] = []
    ) throws -> WatchParty<String> {
        try WatchParty(
            relays: .at(baseURL ?? self.baseURL),
            client: "Test/1.0",
            name: name,
            resolver: Resolver { _ in files }
        )
    }
}

/// A player of real time.
@MainActor
final class LivePlayer: PlayerAdapter {
    private let clock = SystemClock()
    private var baseMs: Int64 = 0
    private var basePositionMs: Int64 = 0

    private(set) var rate = 1.0
    private(set) var paused = true
    var durationMs: Int64? = 7_200_000
    let buffering = false
    let firstFrameShown = true
    let canSetRate = true

    var positionMs: Int64 {
        paused ? basePositionMs : basePositionMs + Int64(Double(clock.nowMs() - baseMs) * rate)
    }

    func play() async throws { change { paused = false } }
    func pause() async throws { change { paused = true } }
    func setRate(_ rate: Double) async throws { change { self.rate = rate } }
    func seek(to positionMs: Int64) async throws {
        change {}
        basePositionMs = positionMs
    }

    private func change(_ edit: () -> Void) {
        basePositionMs = positionMs
        baseMs = clock.nowMs()
        edit()
    }
}

/// Waits until a condition of real time holds, looking every 20 ms; fails the test after 30 s.
@MainActor
func eventually(
    _ what: Comment,
    at location: SourceLocation = #_sourceLocation,
    _ condition: @MainActor () -> Bool
) async throws {
    let clock = SystemClock()
    while !condition() {
        try #require(clock.nowMs() < 30_000, what, sourceLocation: location)
        await withCheckedContinuation { resumption in
            _ = clock.schedule(afterMs: 20) { resumption.resume() }
        }
    }
}
