// OpenWatchParty for Swift. See LICENSE.

import Foundation

/// Where a command writes: standard output for results, standard error for what went wrong.
package struct Console: Sendable {
    /// Whether standard output is a terminal that can redraw.
    package let isTerminal: Bool
    /// Whether colors are wanted: a terminal, and `NO_COLOR` unset or empty.
    package let hasColor: Bool

    /// What became of standard output.
    package let outputState: OutputState

    private let output: @Sendable (String) -> Void
    private let errors: @Sendable (String) -> Void
    /// Whether standard error is a terminal, which progress is shown on.
    private let showsProgress: Bool

    /// Makes a console from two sinks, for tests.
    package init(
        isTerminal: Bool = false,
        hasColor: Bool = false,
        outputState: OutputState = OutputState(),
        showsProgress: Bool = false,
        output: @escaping @Sendable (String) -> Void,
        errors: @escaping @Sendable (String) -> Void
    ) {
        self.isTerminal = isTerminal
        self.hasColor = hasColor
        self.outputState = outputState
        self.showsProgress = showsProgress
        self.output = output
        self.errors = errors
    }

    /// The process's own standard output and error.
    package static let standard: Console = {
        let environment = ProcessInfo.processInfo.environment
        let terminal = isatty(1) == 1 && environment["TERM"] != "dumb"
        let wantsColor = (environment["NO_COLOR"] ?? "").isEmpty
        let state = OutputState()
        return Console(
            isTerminal: terminal,
            hasColor: terminal && wantsColor,
            outputState: state,
            showsProgress: isatty(2) == 1 && environment["TERM"] != "dumb",
            output: { text in
                guard state.failure == nil, let error = writeAll(text, to: 1) else { return }
                state.failed(error)
            },
            errors: { _ = writeAll($0, to: 2) }
        )
    }()

    /// Writes a line to standard output.
    package func line(_ text: String = "") { output(text + "\n") }

    /// Writes text to standard output as it is.
    package func write(_ text: String) { output(text) }

    /// Writes a line to standard error.
    package func errorLine(_ text: String) { errors(text + "\n") }

    /// Shows how far a long job is, in place of what was shown before; nil takes it away.
    package func progress(_ text: String?) {
        if showsProgress { errors("\r\u{1B}[K" + (text ?? "")) }
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
