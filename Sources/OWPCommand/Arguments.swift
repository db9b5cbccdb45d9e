// OpenWatchParty for Swift. See LICENSE.

/// One option of a subcommand.
package struct Option: Sendable {
    /// The name, such as `--addr`.
    package let name: String
    /// What stands for its value in the help, such as `HOST:PORT`; nil for a flag.
    package let value: String?
    /// What it does, in a line.
    package let help: String

    /// Declares an option.
    package init(_ name: String, _ value: String? = nil, help: String) {
        self.name = name
        self.value = value
        self.help = help
    }
}

/// What the user typed cannot be run; exit status 2.
package struct UsageError: Error, Hashable, Sendable {
    /// One line that says what is wrong and what to do.
    package let message: String
    /// Makes an error.
    package init(_ message: String) { self.message = message }
}

/// A command line, split into options and operands.
package struct Arguments: Sendable {
    /// What is neither an option nor an option's value, in order.
    package private(set) var operands: [String] = []
    private var values: [String: String] = [:]
    private var flags: Set<String> = []

    /// Splits a subcommand's words by its options; `--name value` and `--name=value` mean the same, and `--` ends them.
    ///
    /// - Throws: ``UsageError`` for an unknown or repeated option, and for a missing or surplus value.
    package init(_ words: [String], options: [Option]) throws {
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--" {
                operands += rest
                return
            }
            guard word.hasPrefix("-"), word != "-" else {
                operands.append(word)
                continue
            }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            let name = parts[0]
            guard let option = options.first(where: { $0.name == name }) else {
                let hint = nearest(name, of: options.map(\.name) + ["--help"]).map { " (did you mean \($0)?)" } ?? ""
                throw UsageError("there is no option '\(plainText(name))'\(hint)")
            }
            guard values[name] == nil, !flags.contains(name) else {
                throw UsageError("\(name) is given twice")
            }
            if let value = option.value {
                guard let given = parts.count == 2 ? parts[1] : rest.popFirst() else {
                    throw UsageError("\(name) needs a value: \(name) \(value)")
                }
                values[name] = given
            } else if parts.count == 2 {
                throw UsageError("\(name) takes no value")
            } else {
                flags.insert(name)
            }
        }
    }

    /// Whether a flag is given.
    package func has(_ flag: String) -> Bool { flags.contains(flag) }

    /// An option's text, when given.
    package func text(_ name: String) -> String? { values[name] }

    /// An option's whole number, when given.
    ///
    /// - Throws: ``UsageError`` when the value is no whole number of the range.
    package func integer(_ name: String, in range: ClosedRange<Int64>) throws(UsageError) -> Int64? {
        guard let text = values[name] else { return nil }
        guard let value = Int64(text), range.contains(value) else {
            throw UsageError(
                "\(name) takes a whole number from \(range.lowerBound) to \(range.upperBound), not '\(plainText(text))'"
            )
        }
        return value
    }

    /// An option's number, when given.
    ///
    /// - Throws: ``UsageError`` when the value is no number of the range.
    package func number(_ name: String, in range: ClosedRange<Double>) throws(UsageError) -> Double? {
        guard let text = values[name] else { return nil }
        guard let value = Double(text), range.contains(value) else {
            throw UsageError(
                "\(name) takes a number from \(range.lowerBound) to \(range.upperBound), not '\(plainText(text))'"
            )
        }
        return value
    }
}
