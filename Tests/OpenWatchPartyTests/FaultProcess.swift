// OpenWatchParty for Swift. See LICENSE.

#if canImport(Glibc)
    import Foundation
    import OWPRelay
    import OpenWatchParty
    import Testing

    /// The process of `FaultTests`: no other test runs there, so that what a fault leaves behind can be counted.
    @MainActor
    enum FaultProcess {
        private nonisolated static let variable = "OWP_FAULTS_ALONE"

        /// Whether this is that process.
        nonisolated static let isThis = ProcessInfo.processInfo.environment[variable] != nil

        /// Runs this test program anew, with nothing but `FaultTests`.
        ///
        /// - Returns: Its status, and what it wrote.
        static func run() async throws -> (status: Int32, output: String) {
            let transcript = FileManager.default.temporaryDirectory.appendingPathComponent("owp-\(UUID().uuidString)")
            _ = FileManager.default.createFile(atPath: transcript.path, contents: nil)
            defer { try? FileManager.default.removeItem(at: transcript) }
            let output = try FileHandle(forWritingTo: transcript)
            let process = Process()
            process.executableURL = URL(
                fileURLWithPath: try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            )
            process.arguments = ["--testing-library", "swift-testing", "--filter", "OpenWatchPartyTests.FaultTests/"]
            process.environment = ProcessInfo.processInfo.environment.merging([variable: "1"]) { $1 }
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = output
            process.standardError = output
            let status = try await withCheckedThrowingContinuation {
                (continuation: CheckedContinuation<Int32, any Error>) in
                process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
                do { try process.run() } catch { continuation.resume(throwing: error) }
            }
            return (status, try String(contentsOf: transcript, encoding: .utf8))
        }

        /// The open descriptors, by what they stand for.
        static var descriptors: [String] {
            let folder = "/proc/self/fd"
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            // The one that the listing itself needed is closed again.
            return names.compactMap { try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)") }
                .sorted()
        }

        /// The threads by name, those apart that the system's pool keeps for any task.
        static var threads: [String] {
            let folder = "/proc/self/task"
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            return names.compactMap { try? String(contentsOfFile: "\(folder)/\($0)/comm", encoding: .utf8) }.sorted()
        }

        private static let baseline = Task<(descriptors: [String], threads: [String]), any Error> { @MainActor in
            // Whatever is opened once a process is open after this.
            let relay = try EmbeddedRelay.start()
            let party = try WatchParty(
                relays: .at(relay.baseURL),
                client: "Test/1.0",
                name: "Anna",
                resolver: Resolver<String> { _ in [] }
            )
            _ = try await party.create()
            await party.close().value
            relay.stop()
            try await eventually("the first party's sockets are closed") {
                !descriptors.contains { $0.hasPrefix("socket:") }
            }
            return (descriptors: descriptors, threads: threads)
        }

        /// Prepares the counting; no fault may begin before.
        static func prepare() async throws { _ = try await baseline.value }

        /// Waits until no more is open and running than before the first fault, which is when all tests have ended.
        static func nothingIsLeft() async throws {
            let before = try await baseline.value
            let clock = SystemClock()
            while descriptors.count > before.descriptors.count || threads.count > before.threads.count {
                let (descriptors, threads) = (descriptors, threads)
                try #require(clock.nowMs() < 60_000, "left: \(descriptors) \(threads), before: \(before)")
                await withCheckedContinuation { next in _ = clock.schedule(afterMs: 100) { next.resume() } }
            }
        }
    }

    @Suite(
        "Faults in a process of their own",
        .enabled(
            if: ProcessInfo.processInfo.environment["OWP_FAULTS"] == "1" && !FaultProcess.isThis,
            "they count descriptors and threads in real time, and run with OWP_FAULTS=1 (.ci/run --long)"
        )
    )
    struct FaultProcessTests {
        @Test("FR-16, FR-35, FR-36, FR-37 and the faults of networks: FaultTests pass, and leave nothing behind")
        func alone() async throws {
            let (status, output) = try await FaultProcess.run()
            let isPassed = status == 0 && output.contains("Suite FaultTests passed")
            #expect(isPassed, "status \(status): \(output)")
        }
    }
#endif
