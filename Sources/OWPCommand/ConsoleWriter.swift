// OpenWatchParty for Swift. See LICENSE.

import Foundation

/// Writes to the process's standard output and error, in order, while the program goes on.
///
/// A terminal that was stopped with Ctrl-S, or a pager that nobody scrolls, would otherwise hold up the party, and the
/// relay would take it for a lost connection.
final class ConsoleWriter: Sendable {
    /// How much may wait to be written until who writes more waits too, in bytes.
    private static let mostBytes = 1 << 20

    private let state: OutputState
    private let queue = DispatchQueue(label: "console")
    private let waiting = Counter()

    init(_ state: OutputState) {
        self.state = state
    }

    /// Writes a text after those before it.
    func write(_ text: String, to descriptor: Int32) {
        let count = text.utf8.count
        if waiting.add(count) > Self.mostBytes { finish() }
        queue.async { [state, waiting] in
            defer { _ = waiting.add(-count) }
            let isOutput = descriptor == 1
            guard !isOutput || state.failure == nil, let error = writeAll(text, to: descriptor) else { return }
            if isOutput { state.failed(error) }
        }
    }

    /// Whether so much waits to be written that its reader seems to have stopped.
    var isBehind: Bool { waiting.add(0) > 4096 }

    /// Waits until everything has been written, or cannot be.
    func finish() { queue.sync {} }

    /// A number that threads share.
    private final class Counter: @unchecked Sendable {  // `lock` guards it.
        private let lock = NSLock()
        private var value = 0

        func add(_ more: Int) -> Int {
            lock.withLock {
                value += more
                return value
            }
        }
    }
}

/// Writes a whole text to a descriptor, waiting as long as its reader takes; returns why it could not, as an `errno`.
private func writeAll(_ text: String, to descriptor: Int32) -> Int32? {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
        let written = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
        if written >= 0 {
            bytes = bytes.dropFirst(written)
        } else if errno == EAGAIN {
            // Somebody who shares the descriptor made it non-blocking.
            var ready = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            poll(&ready, 1, -1)
        } else if errno != EINTR {
            return errno
        }
    }
    return nil
}
