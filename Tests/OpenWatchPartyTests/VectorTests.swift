// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OWPConformance
import OWPCore
import OWPWire
import Testing

/// Every table of `conformance/vectors` but `party.json`, which `PartyTraceTests` runs (section 17).
@MainActor
@Suite("VectorTests")
struct VectorTests {
    nonisolated static let folder = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("conformance/vectors", isDirectory: true)

    /// The tables that section 17 lists.
    private static let tables: Set = [
        "timeline", "clock-sync", "reconcile", "matching", "same-title", "code-routing", "relay-list", "names",
        "media-check", "room-check",
    ]

    private static func files() throws -> [URL] {
        try Conformance.files(of: folder).filter { Conformance.table(of: $0) != "party" }
    }

    @Test("There is a runner for every table, and a table for every runner")
    func everyTableRuns() throws {
        let tables = Set(try Self.files().map(Conformance.table(of:)))
        #expect(tables.subtracting(Conformance.runners.keys) == [])
        #expect(Self.tables.subtracting(tables) == [])
    }

    @Test("Every case of every table comes out as expected")
    func everyCasePasses() async throws {
        let report = await Conformance.run(files: try Self.files())
        #expect(report.isClean, "\(report.lines.joined(separator: "\n"))")
        for table in report.tables {
            #expect(table.passed >= 60, "\(table.name) has too few cases")
            #expect(table.skipped == 0 || table.name == "names")
        }
    }

    @Test("Every file is in the tables' form: its table, printable ASCII, names that no other case has")
    func form() throws {
        for file in try Self.files() {
            let text = try String(contentsOf: file, encoding: .utf8)
            #expect(text.utf8.allSatisfy { (0x20..<0x7F).contains($0) || $0 == 0x0A }, "\(file.lastPathComponent)")
            let value = try JSONValue(parsing: text)
            #expect(value["table"] == .string(Conformance.table(of: file)))
            guard case .array(let cases)? = value["cases"] else {
                Issue.record("\(file.lastPathComponent) has no cases")
                continue
            }
            #expect(Set(cases.map { $0["name"] }).count == cases.count, "\(file.lastPathComponent) repeats a name")
        }
    }
}
