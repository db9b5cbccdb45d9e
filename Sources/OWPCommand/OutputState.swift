// OpenWatchParty for Swift. See LICENSE.

import Foundation

/// Whether what is written to standard output still arrives.
package final class OutputState: @unchecked Sendable {  // `lock` guards what changes.
    /// Yields once, when a write has failed for the first time; one reader.
    package let failures: AsyncStream<Void>

    private let lock = NSLock()
    private let failing: AsyncStream<Void>.Continuation
    private var error: Int32?

    /// Makes the state of an output that nothing has been written to.
    package init() {
        (failures, failing) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    /// Why nothing arrives any more, as an `errno`; nil while it does.
    package var failure: Int32? { lock.withLock { error } }

    /// Whether the reader went away, as `head` does when it has seen enough: no failure, but nobody listens.
    package var hasNoReader: Bool { failure == EPIPE }

    /// Takes that a write failed; only the first counts.
    package func failed(_ number: Int32) {
        lock.withLock { error = error ?? number }
        failing.yield()
    }
}
