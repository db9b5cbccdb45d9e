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
    private let finish: @Sendable () -> Void
    private let behind: @Sendable () -> Bool

    /// Makes a console from two sinks, for tests.
    package init(
        isTerminal: Bool = false,
        hasColor: Bool = false,
        outputState: OutputState = OutputState(),
        showsProgress: Bool = false,
        output: @escaping @Sendable (String) -> Void,
        errors: @escaping @Sendable (String) -> Void,
        finish: @escaping @Sendable () -> Void = {},
        behind: @escaping @Sendable () -> Bool = { false }
    ) {
        self.isTerminal = isTerminal
        self.hasColor = hasColor
        self.outputState = outputState
        self.showsProgress = showsProgress
        self.output = output
        self.errors = errors
        self.finish = finish
        self.behind = behind
    }

    /// The process's own standard output and error.
    package static let standard: Console = {
        let environment = ProcessInfo.processInfo.environment
        let terminal = isatty(1) == 1 && environment["TERM"] != "dumb"
        let wantsColor = (environment["NO_COLOR"] ?? "").isEmpty
        let state = OutputState()
        let writer = ConsoleWriter(state)
        return Console(
            isTerminal: terminal,
            hasColor: terminal && wantsColor,
            outputState: state,
            showsProgress: isatty(2) == 1 && environment["TERM"] != "dumb",
            output: { writer.write($0, to: 1) },
            errors: { writer.write($0, to: 2) },
            finish: { writer.finish() },
            behind: { writer.isBehind }
        )
    }()

    /// Writes a line to standard output.
    package func line(_ text: String = "") { output(text + "\n") }

    /// Writes text to standard output as it is.
    package func write(_ text: String) { output(text) }

    /// Writes a line to standard error.
    package func errorLine(_ text: String) { errors(text + "\n") }

    /// Whether the reader of what was written seems to have stopped, so that nothing more should be shown that can wait.
    package var isBehind: Bool { behind() }

    /// Waits until everything has been written, or cannot be.
    package func flush() { finish() }

    /// Shows how far a long job is, in place of what was shown before; nil takes it away.
    package func progress(_ text: String?) {
        if showsProgress { errors("\r\u{1B}[K" + (text ?? "")) }
    }
}
