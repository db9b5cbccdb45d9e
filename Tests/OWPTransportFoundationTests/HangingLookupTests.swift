// OpenWatchParty for Swift. See LICENSE.

#if canImport(Glibc)
    import COWPSystem
    import Foundation
    import Testing

    @testable import OWPTransportFoundation

    /// A look-up of a name that hangs blocks libcurl's own clean-up until it ends, on the thread that waits for it.
    ///
    /// No name server hangs on demand without touching the system, so the library itself stands still here, where it
    /// would: after its first step libcurl's clean-up returns only when the test lets it.
    @MainActor
    @Suite("A hanging look-up of a name", .serialized, .timeLimit(.minutes(2)))
    struct HangingLookupTests {
        private nonisolated static let started = DispatchSemaphore(value: 0)
        private nonisolated static let mayEnd = DispatchSemaphore(value: 0)
        private nonisolated static let ended = DispatchSemaphore(value: 0)

        /// The system's libcurl, whose transfers never finish and whose clean-up hangs.
        private func hangingLibrary() throws -> CurlLibrary {
            // It lasts as long as the process, like the real one.
            let api = UnsafeMutablePointer<owp_curl>.allocate(capacity: 1)
            api.initialize(to: try CurlLibrary.shared.get().api.pointee)
            api.pointee.multi_perform = { _, running in
                running?.pointee = 1
                HangingLookupTests.started.signal()
                return 0
            }
            api.pointee.multi_remove_handle = { _, _ in
                HangingLookupTests.mayEnd.wait()
                HangingLookupTests.ended.signal()
                return 0
            }
            return CurlLibrary(api: UnsafePointer(api))
        }

        private func expectCancelled(_ work: @escaping @MainActor @Sendable () async throws -> Void) async {
            let task = Task { try await work() }
            await wait(for: Self.started)
            task.cancel()
            // It returns although the clean-up still hangs; else the time limit ends the test.
            let result = await task.result
            #expect(throws: CancellationError.self) { try result.get() }
            await expectHanging()
        }

        /// Expects that the look-up still hangs, and ends it.
        private func expectHanging() async {
            #expect(!take(Self.ended))
            Self.mayEnd.signal()
            await wait(for: Self.ended)
            while take(Self.started) {}
        }

        private func take(_ semaphore: DispatchSemaphore) -> Bool { semaphore.wait(timeout: .now()) == .success }

        private func wait(for semaphore: DispatchSemaphore) async {
            await withCheckedContinuation { next in
                Thread.detachNewThread {
                    semaphore.wait()
                    next.resume()
                }
            }
        }

        @Test("Cancelling a connect is reported at once, and its thread ends by itself")
        func connect() async throws {
            let library = try hangingLibrary()
            await expectCancelled {
                _ = try await SocketConnection.open(
                    "ws://relay.invalid/",
                    messageLimit: 1000,
                    environment: [:],
                    library: library
                )
            }
        }

        @Test("Cancelling a GET is reported at once, and its thread ends by itself")
        func get() async throws {
            let library = try hangingLibrary()
            await expectCancelled {
                _ = try await OWPTransportFoundation.get("http://relay.invalid/", library: library)
            }
        }

        @Test("A GET gives up after 5 s all the same")
        func timeLimit() async throws {
            let library = try hangingLibrary()
            let error = await transportError {
                _ = try await OWPTransportFoundation.get("http://relay.invalid/", library: library)
            }
            #expect(error?.code == .timedOut)
            await expectHanging()
        }
    }
#endif
