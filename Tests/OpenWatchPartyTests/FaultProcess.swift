// OpenWatchParty for Swift. See LICENSE.

#if canImport(Glibc)
    import Foundation
    import OWPRelay
    import OpenWatchParty
    import Testing

    /// The process of `FaultTests`: no other test runs there, so that what a fault leaves behind can be counted.
    enum FaultProcess {
        private static let variable = "OWP_FAULTS_ALONE"

        /// Whether this is that process.
        static let isThis = ProcessInfo.processInfo.environment[variable] != nil

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

        private static let warmUp = Task { @MainActor in
            // What the system opens once a process, and keeps, is open after this.
            let relay = try EmbeddedRelay.start()
            let party = try WatchParty<String>(relays: .at(relay.baseURL), client: "Test/1.0", name: "Anna")
            _ = try await party.create()
            await party.close().value
            relay.stop()
            try await eventually("the first party's connection has closed") { OpenResources().threads.isEmpty }
        }

        /// Makes the system open what it keeps; to be awaited before the first ``OpenResources``.
        @MainActor
        static func prepare() async throws {
            try await warmUp.value
        }
    }

    @Suite(
        "Faults in a process of their own",
        .enabled(
            if: ProcessInfo.processInfo.environment["OWP_FAULTS"] == "1" && !FaultProcess.isThis,
            "they take two minutes of real time, and run with OWP_FAULTS=1 (.ci/run)"
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
