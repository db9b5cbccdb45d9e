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

    init() {
        (ended, end) = AsyncStream.makeStream(of: Never.self, bufferingPolicy: .unbounded)
    }

    /// Sets the outcome; only the first counts.
    func finish(_ outcome: Result<Value, any Error>) {
        guard result == nil else { return }
        result = outcome
        end.finish()
    }

    /// Waits for the outcome; nil when the waiting task was cancelled before there was one.
    func outcome() async -> Result<Value, any Error>? {
        for await _ in ended {}
        return result
    }
}
