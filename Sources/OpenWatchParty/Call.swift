// OpenWatchParty for Swift. See LICENSE.

/// The result of an asynchronous call that was started synchronously.
///
/// The public `async` methods await one; tests start a call, move their clock, and look at ``result``.
@MainActor
package final class Call<Value: Sendable> {
    /// The outcome, once there is one.
    package private(set) var result: Result<Value, any Error>?

    // A stream without elements, since its iteration ends with the stream or with the waiting task's cancellation,
    // whichever comes first, from whatever thread cancels it.
    private let ended: AsyncStream<Never>
    private let end: AsyncStream<Never>.Continuation
    private let abandon: @MainActor () -> Void

    /// Makes a call; `abandon` is called when the task that waits for it is cancelled.
    init(abandon: @escaping @MainActor () -> Void = {}) {
        self.abandon = abandon
        (ended, end) = AsyncStream.makeStream(of: Never.self, bufferingPolicy: .unbounded)
    }

    /// Sets the outcome; only the first counts.
    func finish(_ outcome: Result<Value, any Error>) {
        guard result == nil else { return }
        result = outcome
        end.finish()
    }

    /// Waits for the outcome.
    ///
    /// - Returns: What the call returns.
    /// - Throws: What the call throws; `CancellationError` when the waiting task is cancelled first.
    func value() async throws -> Value {
        for await _ in ended {}
        if let result { return try result.get() }
        abandon()
        throw CancellationError()
    }
}
