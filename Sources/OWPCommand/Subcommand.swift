// OpenWatchParty for Swift. See LICENSE.

/// One of the things `owp` does.
package protocol Subcommand {
    /// The word after `owp`.
    static var name: String { get }
    /// What it does, in a line of the overview.
    static var summary: String { get }
    /// The forms of the command line, one a line, without `owp`.
    static var usage: [String] { get }
    /// What the help says beyond the options: examples, and what to expect.
    static var discussion: String { get }
    /// Its options; `--help` is added.
    static var options: [Option] { get }
    /// Runs it.
    ///
    /// - Returns: The exit status: 0, or 1 when what was asked for did not happen.
    /// - Throws: ``UsageError`` for bad arguments (exit status 2), ``CommandFailure`` for the rest (1).
    @MainActor static func run(_ arguments: Arguments, console: Console) async throws -> Int32
}

/// What was asked for did not happen; exit status 1.
package struct CommandFailure: Error, Hashable, Sendable {
    /// One line that says what happened and what to do.
    package let message: String
    /// The error code behind it, for programs.
    package let code: String?

    /// Makes a failure.
    package init(_ message: String, code: String? = nil) {
        self.message = message
        self.code = code
    }
}

extension Subcommand {
    /// The text of `owp NAME --help`.
    static var help: String {
        var lines = usage.enumerated().map { ($0 == 0 ? "Usage: " : "       ") + "owp \($1)" }
        lines += ["", summary + ".", ""]
        if !discussion.isEmpty { lines += [discussion, ""] }
        let all = options + [Option("--help", help: "Show this help.")]
        let heads = all.map { option in option.value.map { "\(option.name) \($0)" } ?? option.name }
        let width = heads.map(\.count).max() ?? 0
        lines.append("Options:")
        for (option, head) in zip(all, heads) {
            let padding = String(repeating: " ", count: width - head.count)
            lines.append("  \(head)\(padding)  \(option.help)")
        }
        return lines.joined(separator: "\n")
    }
}
