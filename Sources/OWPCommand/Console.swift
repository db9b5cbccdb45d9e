// OpenWatchParty for Swift. See LICENSE.

import Foundation

/// Where a command writes: standard output for results, standard error for what went wrong.
package struct Console: Sendable {
    /// Whether standard output is a terminal that can redraw.
    package let isTerminal: Bool
    /// Whether colors are wanted: a terminal, and `NO_COLOR` unset or empty.
    package let hasColor: Bool

    private let output: @Sendable (String) -> Void
    private let errors: @Sendable (String) -> Void

    /// Makes a console from two sinks, for tests.
    package init(
        isTerminal: Bool = false,
        hasColor: Bool = false,
        output: @escaping @Sendable (String) -> Void,
        errors: @escaping @Sendable (String) -> Void
    ) {
        self.isTerminal = isTerminal
        self.hasColor = hasColor
        self.output = output
        self.errors = errors
    }

    /// The process's own standard output and error.
    package static let standard: Console = {
        let environment = ProcessInfo.processInfo.environment
        let terminal = isatty(1) == 1 && environment["TERM"] != "dumb"
        let wantsColor = (environment["NO_COLOR"] ?? "").isEmpty
        return Console(
            isTerminal: terminal,
            hasColor: terminal && wantsColor,
            output: { writeAll($0, to: 1) },
            errors: { writeAll($0, to: 2) }
        )
    }()

    /// Writes a line to standard output.
    package func line(_ text: String = "") { output(text + "\n") }

    /// Writes text to standard output as it is.
    package func write(_ text: String) { output(text) }

    /// Writes a line to standard error.
    package func errorLine(_ text: String) { errors(text + "\n") }
}

/// Writes a whole text to a descriptor; a reader that went away ends the writing, not the process.
private func writeAll(_ text: String, to descriptor: Int32) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
        let written = bytes.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
        if written > 0 {
            bytes = bytes.dropFirst(written)
        } else if errno != EINTR && errno != EAGAIN {
            return
        }
    }
}
