// OpenWatchParty for Swift. See LICENSE.

/// What came of one case.
package enum CaseOutcome: Hashable, Sendable {
    /// As expected.
    case passed
    /// Not as expected, in one line for each difference.
    case failed([String])
    /// This language cannot run it.
    case skipped(String)
}

/// What came of a run of tables.
package struct ConformanceReport: Sendable {
    /// One table's counts.
    package struct Table: Hashable, Sendable {
        /// The table's name.
        package let name: String
        /// Cases that came out as expected.
        package fileprivate(set) var passed = 0
        /// Cases and whole files that did not.
        package fileprivate(set) var failed = 0
        /// Cases that this language cannot run.
        package fileprivate(set) var skipped = 0
    }

    /// One case, or a whole file, that failed.
    package struct Failure: Hashable, Sendable {
        /// The file's name.
        package let file: String
        /// The case's name; nil when the file itself is at fault.
        package let name: String?
        /// A line for each difference.
        package let differences: [String]
    }

    /// The counts, in the order in which the tables were run.
    package private(set) var tables: [Table] = []
    /// All that failed, in order.
    package private(set) var failures: [Failure] = []
    /// Whether nothing failed.
    package var isClean: Bool { failures.isEmpty }

    /// Takes an outcome.
    mutating func add(_ outcome: CaseOutcome, of name: String?, in file: String, table: String) {
        let index = tables.firstIndex { $0.name == table } ?? tables.count
        if index == tables.count { tables.append(Table(name: table)) }
        switch outcome {
        case .passed:
            tables[index].passed += 1
        case .skipped:
            tables[index].skipped += 1
        case .failed(let differences):
            tables[index].failed += 1
            failures.append(Failure(file: file, name: name, differences: differences))
        }
    }

    /// The report in lines: every failure with its differences, then the counts of each table and of all.
    package var lines: [String] {
        var lines: [String] = []
        for failure in failures {
            lines.append("\(failure.file): \(failure.name ?? "the file")")
            lines += failure.differences.map { "    \($0)" }
        }
        if !failures.isEmpty { lines.append("") }
        let rows = tables.map { ($0.name, $0.passed, $0.failed, $0.skipped) }
        let total = ("all", rows.map(\.1).reduce(0, +), rows.map(\.2).reduce(0, +), rows.map(\.3).reduce(0, +))
        for (name, passed, failed, skipped) in rows + [total] {
            let padded = name + String(repeating: " ", count: max(0, 14 - name.count))
            lines.append("\(padded) \(passed) passed, \(failed) failed, \(skipped) skipped")
        }
        return lines
    }
}
