// OpenWatchParty for Swift. See LICENSE.

/// The one outcome of work on another thread: who awaits it gets it, or the cancellation, at once.
///
/// The worker sees in `isFinished` that nobody wants its outcome any more.
final class Pending<Value: Sendable>: Sendable {
    private struct State: Sendable {
        var outcome: Result<Value, any Error>?
        var continuation: CheckedContinuation<Value, any Error>?
    }

    private let state = Locked(State())

    /// Whether there is an outcome, which is then final.
    var isFinished: Bool { state.withLock { $0.outcome != nil } }

    /// Sets the outcome; false when there was one already.
    @discardableResult
    func finish(_ outcome: Result<Value, any Error>) -> Bool {
        let (isFirst, continuation) = state.withLock { state in
            guard state.outcome == nil else { return (false, nil as CheckedContinuation<Value, any Error>?) }
            state.outcome = outcome
            defer { state.continuation = nil }
            return (true, state.continuation)
        }
        continuation?.resume(with: outcome)
        return isFirst
    }

    /// Waits for the outcome; only one task may.
    ///
    /// - Parameter cancelled: Runs, on any thread, once the task's cancellation has become the outcome.
    /// - Returns: The value.
    /// - Throws: The error, or `CancellationError`.
    func value(cancelled: @escaping @Sendable () -> Void) async throws -> Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome = state.withLock { state in
                    if state.outcome == nil { state.continuation = continuation }
                    return state.outcome
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            if finish(.failure(CancellationError())) { cancelled() }
        }
    }
}
