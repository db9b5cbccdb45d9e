// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OWPConformance
import OWPCore
import OWPWire
import Testing

/// The traces of a whole party in `conformance/vectors/party.*.json`, on the machine and through `WatchParty`
/// (section 17).
@Suite("Traces of a whole party")
@MainActor
struct PartyTraceTests {
    private static func files() throws -> [URL] {
        try Conformance.files(of: VectorTests.folder).filter { Conformance.table(of: $0) == "party" }
    }

    @Test("Every trace goes as the specification says", arguments: TraceRun.allCases)
    func everyTrace(run: TraceRun) async throws {
        for file in try Self.files() {
            for item in try Conformance.cases(in: file) {
                let lines = try await partyTrace(item, on: run)
                #expect(lines.isEmpty, "\(file.lastPathComponent): \(item.name)\n\(lines.joined(separator: "\n"))")
            }
        }
    }

    @Test("There are traces of every section, each with a name of its own")
    func spread() throws {
        var names: [String] = []
        var sections: [String: Int] = [:]
        for file in try Self.files() {
            let value = try JSONValue(parsing: try String(contentsOf: file, encoding: .utf8))
            guard case .array(let traces)? = value["cases"] else { continue }
            for trace in traces {
                guard case .string(let name)? = trace["name"], case .string(let section)? = trace["section"] else {
                    Issue.record("\(file.lastPathComponent) has a trace without name or section")
                    continue
                }
                names.append(name)
                sections[String(section.prefix { $0 != "." }), default: 0] += 1
            }
        }
        #expect(names.count >= 300)
        #expect(Set(names).count == names.count)
        for section in 3...15 { #expect(sections["\(section)", default: 0] >= 6, "section \(section)") }
    }
}
