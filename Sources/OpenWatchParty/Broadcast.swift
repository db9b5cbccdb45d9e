// OpenWatchParty for Swift. See LICENSE.

/// Gives every subscriber its own stream, which holds all that was sent since it subscribed, in order (section 15).
@MainActor
final class Broadcast<Element: Sendable> {
    private var subscribers: [AsyncStream<Element>.Continuation] = []
    private var isFinished = false

    /// A new stream of everything sent from now on; a finished one after ``finish()``.
    func stream() -> AsyncStream<Element> {
        let (stream, subscriber) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: .unbounded)
        if isFinished { subscriber.finish() } else { subscribers.append(subscriber) }
        return stream
    }

    /// Hands an element to every subscriber, and forgets those who have gone.
    func send(_ element: Element) {
        subscribers.removeAll { subscriber in
            if case .terminated = subscriber.yield(element) { true } else { false }
        }
    }

    /// Ends every stream after what was sent before.
    func finish() {
        isFinished = true
        for subscriber in subscribers { subscriber.finish() }
        subscribers = []
    }
}
