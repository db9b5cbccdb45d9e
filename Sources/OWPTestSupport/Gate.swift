// OpenWatchParty for Swift. See LICENSE.

/// The one place where a fake suspends: the clock counts its task as waiting, and resumes it as a turn.
///
/// It is for work that the party started; a test's own task does not wait in it.
@MainActor
public final class Gate<Value> {
    private let clock: VirtualClock
    private let heedsCancellation: Bool
    private var outcome: Result<Value, any Error>?
    private var waiting: CheckedContinuation<Void, Never>?

    /// Whether the waiting task was cancelled.
    public private(set) var isCancelled = false

    /// Makes a closed gate.
    ///
    /// - Parameters:
    ///   - clock: Counts and resumes the task.
    ///   - heedsCancellation: Whether cancelling the waiting task opens the gate with a `CancellationError`; false for
    ///     a fake that ignores its cancellation.
    public init(on clock: VirtualClock, heedsCancellation: Bool = true) {
        self.clock = clock
        self.heedsCancellation = heedsCancellation
    }

    /// Whether a task waits here.
    public var isWaiting: Bool { waiting != nil }

    /// Whether the gate was opened or has failed.
    public var isOpen: Bool { outcome != nil }

    /// Waits until the gate is opened; one task at most, once.
    public func wait() async throws -> Value {
        await withTaskCancellationHandler {
            guard outcome == nil else { return }
            await withCheckedContinuation { continuation in
                precondition(waiting == nil, "a gate is for one task")
                waiting = continuation
                clock.park()
            }
        } onCancel: {
            // The party cancels its work on the main actor.
            MainActor.assumeIsolated { cancelled() }
        }
        guard let outcome else { throw CancellationError() }
        return try outcome.get()
    }

    /// Opens the gate with a value; only the first opening counts.
    public func open(_ value: Value) {
        finish(.success(value))
    }

    /// Opens the gate with an error; only the first opening counts.
    public func fail(_ error: any Error) {
        finish(.failure(error))
    }

    private func cancelled() {
        isCancelled = true
        if heedsCancellation { finish(.failure(CancellationError())) }
    }

    private func finish(_ result: Result<Value, any Error>) {
        guard outcome == nil else { return }
        outcome = result
        guard let continuation = waiting else { return }
        waiting = nil
        clock.resume { continuation.resume() }
    }
}

extension Gate where Value == Void {
    /// Opens the gate; only the first opening counts.
    public func open() {
        finish(.success(()))
    }
}

extension VirtualClock {
    /// Suspends a fake for a time in ms of this clock, not at all for 0; throws when its task is cancelled.
    public func sleep(forMs durationMs: Int64) async throws {
        guard durationMs > 0 else { return }
        let gate = Gate<Void>(on: self)
        let cancel = schedule(afterMs: durationMs) { gate.open() }
        defer { cancel() }
        try await gate.wait()
    }
}
