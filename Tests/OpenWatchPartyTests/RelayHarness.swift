// OpenWatchParty for Swift. See LICENSE.

#if os(macOS) || os(Linux)
    import Foundation
    import OWPRelay
    import OWPTestSupport
    import OpenWatchParty
    import Testing

    /// A fresh relay on 127.0.0.1 for one test, with its waiting times at a tenth and its limits raised.
    ///
    /// `OWP_RELAY_BIN` names another relay to run: a program that takes the options below and prints
    /// `listening HOST:PORT`. Without it the relay of this package runs within the test; one whose rooms have to outlive it
    /// runs as a program, since only a program can be killed.
    @MainActor
    final class RelayHarness {
        /// The port it listens on.
        private(set) var port = 0
        private let program: URL?
        private let stateDirectory: String?
        private var embedded: EmbeddedRelay?
        private var process: Process?

        /// Starts a relay, whose rooms may outlive its restart.
        init(keepsState: Bool = false) throws {
            let directory = FileManager.default.temporaryDirectory.appendingPathComponent("owp-\(UUID().uuidString)")
            stateDirectory = keepsState ? directory.path : nil
            let other = ProcessInfo.processInfo.environment["OWP_RELAY_BIN"].map { URL(fileURLWithPath: $0) }
            program = try other ?? (keepsState ? builtProgram("owp") : nil)
            try start()
        }

        /// The relay's base URL.
        var baseURL: String { "http://127.0.0.1:\(port)" }

        /// Ends the relay, for good.
        func stop() {
            end()
            if let stateDirectory { try? FileManager.default.removeItem(atPath: stateDirectory) }
        }

        /// Kills the relay, a program with no time to save anything, and starts it anew on the same port.
        func killAndRestart() throws {
            try #require(process != nil, "only a program can be killed")
            end()
            try start()
        }

        private func start() throws {
            if let program { return try run(program) }
            var configuration = RelayConfiguration()
            configuration.port = port
            configuration.timerScale = 0.1
            configuration.maxConnectionsPerIP = 1000
            configuration.maxRoomsPerIP = 1000
            configuration.messagesPerSecond = 1000
            // At a tenth it would be shorter than the SDK's pings are apart.
            configuration.clientTimeoutMs = 600_000
            let relay = try EmbeddedRelay.start(configuration)
            embedded = relay
            port = relay.port
        }

        private func run(_ program: URL) throws {
            let process = Process()
            process.executableURL = program
            process.arguments =
                (program.lastPathComponent == "owp" ? ["relay", "--client-timeout-ms", "600000"] : []) + [
                    "--addr", "127.0.0.1:\(port)", "--timer-scale", "0.1", "--max-connections-per-ip", "1000",
                    "--max-rooms-per-ip", "1000", "--messages-per-second", "1000",
                ] + (stateDirectory.map { ["--state-dir", $0] } ?? [])
            let output = Pipe()
            process.standardOutput = output
            try process.run()
            self.process = process
            var line = ""
            while !line.hasSuffix("\n"), let byte = try output.fileHandleForReading.read(upToCount: 1), !byte.isEmpty {
                line += String(decoding: byte, as: UTF8.self)
            }
            port = try #require(line.split { ": \n".contains($0) }.last.flatMap { Int($0) }, "it says where it listens")
        }

        private func end() {
            embedded?.stop()
            embedded = nil
            guard let process else { return }
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
            self.process = nil
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

    /// Waits until a condition of real time holds, looking every 20 ms; fails the test after 30 s, or another limit.
    @MainActor
    func eventually(
        _ what: Comment,
        limitMs: Int64 = 30_000,
        at location: SourceLocation = #_sourceLocation,
        _ condition: @MainActor () -> Bool
    ) async throws {
        let clock = SystemClock()
        while !condition() {
            try #require(clock.nowMs() < limitMs, what, sourceLocation: location)
            await withCheckedContinuation { resumption in
                _ = clock.schedule(afterMs: 20) { resumption.resume() }
            }
        }
    }
#endif
