// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OWPConformance

/// `owp conformance`: runs conformance tables.
enum ConformanceCommand: Subcommand {
    static let name = "conformance"
    static let summary = "Run the conformance tables of a folder"
    static let usage = ["conformance DIR"]
    static let discussion = """
        Runs every *.json of DIR: a table each, or a part of one, such as timeline.json and timeline.more.json.
        Prints each difference, then for each table how many cases passed, failed and were skipped because Swift
        cannot hold their input. Exit status 1 when anything differs, or a table is unknown or faulty.
        """
    static let options: [Option] = []

    @MainActor static func run(_ arguments: Arguments, console: Console) async throws -> Int32 {
        guard arguments.operands.count == 1 else { throw UsageError("give one folder of tables") }
        let files: [URL]
        do {
            files = try Conformance.files(of: URL(fileURLWithPath: arguments.operands[0], isDirectory: true))
        } catch let error as TableError {
            throw CommandFailure(error.description)
        }
        let report = await Conformance.run(files: files)
        for line in report.lines { console.line(plainText(line, limit: 4000)) }
        return report.isClean ? 0 : 1
    }
}
