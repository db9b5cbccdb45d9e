// OpenWatchParty for Swift. See LICENSE.

package import Foundation
import OWPCore

/// Runs the tables of a folder against this implementation (section 17).
@MainActor
package enum Conformance {
    /// Runs a case; returns a line for each difference, none when it passes.
    ///
    /// Throws ``SkippedCase`` when this language cannot run the case, ``TableError`` when the case is faulty.
    package typealias CaseRunner = @MainActor (TableCase) async throws -> [String]

    /// Every table there is a runner for.
    package static let runners: [String: CaseRunner] = [
        "timeline": comparing(timeline),
        "clock-sync": comparing(clockSync),
        "reconcile": comparing(reconciliation),
        "matching": comparing(matching),
        "same-title": comparing(sameTitles),
        "code-routing": comparing(codeRouting),
        "relay-list": comparing(relayList),
        "names": comparing(names),
        "media-check": comparing(mediaCheck),
        "room-check": comparing(roomCheck),
        "party": partyTrace(_:),
    ]

    /// The files of a folder whose names end in `.json`, in the order of their names.
    ///
    /// - Parameter folder: The folder.
    /// - Returns: The files.
    /// - Throws: ``TableError`` when the folder cannot be read or has no such file.
    package static func files(of folder: URL) throws -> [URL] {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        } catch {
            throw TableError("\(folder.path) is no folder that can be read")
        }
        let files = names.filter { $0.hasSuffix(".json") }.sorted()
        guard !files.isEmpty else { throw TableError("\(folder.path) has no table: no file ends in .json") }
        return files.map { folder.appendingPathComponent($0) }
    }

    /// The table that a file belongs to: its name up to the first dot.
    package static func table(of file: URL) -> String {
        String(file.lastPathComponent.prefix { $0 != "." })
    }

    /// The cases of a file.
    ///
    /// - Parameter file: The file.
    /// - Returns: The cases in their order.
    /// - Throws: ``TableError`` for a file or a case that is faulty.
    package static func cases(in file: URL) throws -> [TableCase] {
        try readCases(of: table(of: file), at: file).map { try $0.get() }
    }

    /// Runs tables, and reports what came of each.
    package static func run(files: [URL]) async -> ConformanceReport {
        var report = ConformanceReport()
        for file in files { await run(file: file, into: &report) }
        return report
    }

    private static func run(file url: URL, into report: inout ConformanceReport) async {
        let name = url.lastPathComponent
        let table = table(of: url)
        guard let runner = runners[table] else {
            return report.add(.failed(["no runner for the table '\(table)'"]), of: nil, in: name, table: table)
        }
        let cases: [Result<TableCase, TableError>]
        do {
            cases = try readCases(of: table, at: url)
        } catch {
            return report.add(.failed(["\(error)"]), of: nil, in: name, table: table)
        }
        for (index, item) in cases.enumerated() {
            var caseName = "case \(index + 1)"
            let outcome: CaseOutcome
            do {
                let item = try item.get()
                caseName = item.name
                let differences = try await runner(item)
                outcome = differences.isEmpty ? .passed : .failed(differences)
            } catch let skip as SkippedCase {
                outcome = .skipped(skip.reason)
            } catch {
                outcome = .failed(["\(error)"])
            }
            report.add(outcome, of: caseName, in: name, table: table)
        }
    }

    /// A runner that computes a result from what is given, and compares it with what is expected.
    private static func comparing(_ result: @escaping @MainActor (CaseInput) throws -> JSONValue) -> CaseRunner {
        { differences(try result($0.given), from: $0.expect) }
    }
}
