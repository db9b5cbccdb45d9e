// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OWPWire

/// The version of the command and of the SDK's API.
package let owpVersion = "1.1.0-dev"

/// Every subcommand, in the order of the overview.
@MainActor private let subcommands: [any Subcommand.Type] = [
    WatchCommand.self,
    InfoCommand.self,
    Demo.self,
    SimulateCommand.self,
    ConformanceCommand.self,
    JSONCheckCommand.self,
    RelayCommand.self,
    RelayCheckCommand.self,
]

/// Runs `owp` with the words after its name.
///
/// - Parameters:
///   - words: The words.
///   - console: Where it writes.
/// - Returns: The exit status: 0, 1 when what was asked for did not happen, 2 for a bad command line.
@MainActor
package func runCommand(_ words: [String], console: Console) async -> Int32 {
    let status = await run(words, console: console)
    // A reader that reads no more may hold up the last of the output.
    Signals.release()
    console.flush()
    defer { console.flush() }
    guard let failure = console.outputState.failure, !console.outputState.hasNoReader else { return status }
    console.errorLine("owp: cannot write to standard output: \(String(cString: strerror(failure)))")
    return status == 0 ? 1 : status
}

@MainActor private func run(_ words: [String], console: Console) async -> Int32 {
    guard let first = words.first else {
        console.errorLine(overview)
        return 2
    }
    if ["--help", "-h", "help"].contains(first) {
        guard words.count > 1, !words[1].hasPrefix("-") else {
            console.line(overview)
            return 0
        }
        guard let subcommand = subcommand(words[1], console) else { return 2 }
        console.line(subcommand.help)
        return 0
    }
    if ["--version", "version"].contains(first) {
        console.line("owp \(owpVersion)")
        return 0
    }
    guard let subcommand = subcommand(first, console) else { return 2 }
    let rest = Array(words.dropFirst())
    let options = rest.prefix { $0 != "--" }
    if options.contains("--help") || options.contains("-h") {
        console.line(subcommand.help)
        return 0
    }
    // Programs read standard output alone.
    let failed = { (status: Int32, message: String, code: String?) in
        let text = plainText(message, limit: 4000)
        if options.contains("--json"), subcommand.options.contains(where: { $0.name == "--json" }) {
            var members: [String: JSONValue] = [
                "event": "failed", "status": .number(Double(status)), "text": .string(text),
            ]
            members["code"] = code.map { .plain($0) }
            if let line = try? JSONValue.object(members).text { console.line(line) }
        }
        console.errorLine("owp \(first): \(text)\(status == 2 ? "; 'owp \(first) --help' explains" : "")")
        return status
    }
    do {
        return try await subcommand.run(Arguments(rest, options: subcommand.options), console: console)
    } catch let error as UsageError {
        return failed(2, error.message, nil)
    } catch let error as CommandFailure {
        return failed(1, error.message, error.code)
    } catch {
        return failed(1, "\(error)", nil)
    }
}

/// The subcommand of a name; says so when there is none.
@MainActor private func subcommand(_ name: String, _ console: Console) -> (any Subcommand.Type)? {
    if let found = subcommands.first(where: { $0.name == name }) { return found }
    let hint = nearest(name, of: subcommands.map { $0.name }).map { "did you mean '\($0)'? " } ?? ""
    console.errorLine("owp: there is no command '\(plainText(name))'; \(hint)'owp --help' lists the commands")
    return nil
}

/// The text of `owp --help`.
@MainActor private var overview: String {
    let width = subcommands.map { $0.name.count }.max() ?? 0
    let lines = subcommands.map { "  \($0.name.padding(to: width))  \($0.summary)" }
    return """
        Usage: owp COMMAND [OPTIONS]

        Friends in different places press play once and see the same frame, each from their own copy.

        Commands:
        \(lines.joined(separator: "\n"))

        'owp COMMAND --help' or 'owp help COMMAND' explains one command; 'owp --version' prints the version.

        Exit status: 0 when what was asked for happened, 1 when it did not, 2 for a command line that cannot be run, 130
        after a second Ctrl-C. A reader that has seen enough, such as head, ends a command in order and is no failure,
        but that a demo or a simulation which it cuts short ends with 141; output that cannot be written is a failure.

        Colors and a live display are for terminals only; NO_COLOR, set to anything, does without the colors.
        """
}

extension String {
    /// The text with spaces behind it up to a width in characters.
    package func padding(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
