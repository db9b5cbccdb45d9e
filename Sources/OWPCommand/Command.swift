// OpenWatchParty for Swift. See LICENSE.

/// The version of the command and of the SDK's API.
package let owpVersion = "1.1.0-dev"

/// Every subcommand, in the order of the overview.
@MainActor private let subcommands: [any Subcommand.Type] = [
    WatchCommand.self,
    InfoCommand.self,
    Demo.self,
    ConformanceCommand.self,
    JSONCheckCommand.self,
    RelayCommand.self,
    RelayCheckCommand.self,
]

/// Runs `owp` with the words after its name.
///
/// - Returns: The exit status: 0, 1 when what was asked for did not happen, 2 for a bad command line.
@MainActor
package func runCommand(_ words: [String], console: Console) async -> Int32 {
    guard let first = words.first else {
        console.errorLine(overview)
        return 2
    }
    if ["--help", "-h", "help"].contains(first) {
        if words.count > 1, let subcommand = subcommands.first(where: { $0.name == words[1] }) {
            console.line(subcommand.help)
        } else {
            console.line(overview)
        }
        return 0
    }
    if first == "--version" {
        console.line("owp \(owpVersion)")
        return 0
    }
    guard let subcommand = subcommands.first(where: { $0.name == first }) else {
        console.errorLine("owp: unknown command '\(first)'; 'owp --help' lists the commands")
        return 2
    }
    let rest = Array(words.dropFirst())
    if rest.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" }) {
        console.line(subcommand.help)
        return 0
    }
    do {
        return try await subcommand.run(Arguments(rest, options: subcommand.options), console: console)
    } catch let error as UsageError {
        console.errorLine("owp \(first): \(error.message); 'owp \(first) --help' explains")
        return 2
    } catch let error as CommandFailure {
        console.errorLine("owp \(first): \(error.message)")
        return 1
    } catch {
        console.errorLine("owp \(first): \(error)")
        return 1
    }
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

        'owp COMMAND --help' explains one command; 'owp --version' prints the version.
        """
}

extension String {
    /// The text with spaces behind it up to a width in characters.
    package func padding(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
