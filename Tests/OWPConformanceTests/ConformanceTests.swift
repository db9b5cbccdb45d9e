// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OWPConformance
import OWPCore
import OWPWire
import Testing

@MainActor
@Suite("The runner of tables (section 17)")
struct ConformanceTests {
    /// Runs files of these names and texts.
    private func run(_ texts: [String: String]) async throws -> ConformanceReport {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("tables-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for (name, text) in texts {
            try Data(text.utf8).write(to: folder.appendingPathComponent(name))
        }
        return await Conformance.run(files: try Conformance.files(of: folder))
    }

    private func run(_ table: String, _ cases: String...) async throws -> ConformanceReport {
        try await run([
            "\(table).json": #"{"table":"\#(table)","section":"","cases":[\#(cases.joined(separator: ","))]}"#
        ])
    }

    private func timeline(name: String, _ expect: String, now: String = #","now":3"#) -> String {
        let room = #"{"phase":"playing","positionMs":0,"atMs":0,"rate":1}"#
        return #"{"name":"\#(name)","given":{"room":\#(room),"durationMs":5\#(now)},"expect":\#(expect)}"#
    }

    @Test("Cases that pass, that differ and that are faulty are counted, and the differences named")
    func outcomes() async throws {
        let report = try await run(
            "timeline",
            timeline(name: "right", #"{"positionMs":3,"running":true}"#),
            timeline(name: "wrong", #"{"positionMs":4,"running":false}"#),
            timeline(name: "no time", #"{"positionMs":3,"running":true}"#, now: ""),
            #"{"given":{},"expect":{}}"#,
            "7"
        )
        #expect(!report.isClean)
        #expect(report.tables.map { [$0.passed, $0.failed, $0.skipped] } == [[1, 4, 0]])
        #expect(report.failures.map { $0.name } == ["wrong", "no time", "case 4", "case 5"])
        #expect(
            report.failures.map { $0.differences } == [
                ["positionMs: expected 4, got 3", "running: expected false, got true"],
                ["given.now is missing"], ["the case.name is missing"], ["the case must be an object"],
            ]
        )
    }

    @Test("One table may have several files")
    func split() async throws {
        let text = #"{"table":"timeline","cases":[\#(timeline(name: "a", #"{"positionMs":3,"running":true}"#))]}"#
        let report = try await run(["timeline.json": text, "timeline.more.json": text, "README.md": "no table"])
        #expect(report.isClean)
        #expect(report.tables.map { "\($0.name) \($0.passed)" } == ["timeline 2"])
        #expect(report.lines.last == "all            2 passed, 0 failed, 0 skipped")
    }

    @Test("Unknown tables and files that are none fail, and the others still run")
    func faultyFiles() async throws {
        let report = try await run([
            "unheard-of.json": #"{"table":"unheard-of","cases":[]}"#,
            "matching.json": #"{"table":"#,
            "names.json": #"{"table":"matching","cases":[]}"#,
            "same-title.json": #"{"table":"same-title"}"#,
            "timeline.json": #"{"table":"timeline","cases":[]}"#,
        ])
        #expect(
            report.failures.map { $0.file } == ["matching.json", "names.json", "same-title.json", "unheard-of.json"]
        )
        #expect(
            report.failures.map { $0.differences.joined() } == [
                "is not JSON: the text ends inside a value, at byte 9",
                "says table 'matching', but its name says 'names'",
                "the file.cases is missing", "no runner for the table 'unheard-of'",
            ]
        )
    }

    @Test("A folder that is none, or has no table, is an error")
    func noFolder() throws {
        #expect(throws: TableError.self) {
            try Conformance.files(of: URL(fileURLWithPath: "/no/such/folder", isDirectory: true))
        }
        #expect(throws: TableError.self) {
            try Conformance.files(of: URL(fileURLWithPath: #filePath).deletingLastPathComponent())
        }
    }

    @Test("Results compare exactly: by scalars, by doubles, and null like an absent member")
    func comparison() {
        #expect(differences(["a": 1, "b": nil], from: ["a": 1, "c": nil]) == [])
        #expect(differences("caf\u{e9}", from: "cafe\u{301}") == [#"result: expected "cafe\u0301", got "caf\u00e9""#])
        #expect(differences(["a": [0.1]], from: ["a": [0.10000000000000002]]).count == 1)
        #expect(differences(["a": [1, 2]], from: ["a": [1, 3]]) == ["a[1]: expected 3, got 2"])
        #expect(differences(["a": [1, 2]], from: ["a": [1]]) == ["a: expected [1], got [1,2]"])
        #expect(differences(["a": ["b": 1]], from: ["a": ["b": true]]) == ["a.b: expected true, got 1"])
        #expect(differences([:], from: []).count == 1)
    }

    @Test("Input given as text is read as text; one that Swift cannot hold is skipped")
    func text() async throws {
        let report = try await run(
            "names",
            #"{"name":"text","given":{"nameText":"\"\\u0041nna\""},"expect":{"valid":true}}"#,
            #"{"name":"surrogate","given":{"nameText":"\"A\\ud800\""},"expect":{"valid":false}}"#,
            #"{"name":"pair","given":{"nameText":"\"\\ud83d\\ude00\""},"expect":{"valid":true}}"#,
            #"{"name":"client","given":{"clientText":"\"a\\/b\""},"expect":{"valid":true}}"#,
            #"{"name":"no JSON","given":{"nameText":"Anna"},"expect":{"valid":true}}"#,
            #"{"name":"no string","given":{"name":5},"expect":{"valid":false}}"#
        )
        #expect(report.tables.map { [$0.passed, $0.failed, $0.skipped] } == [[4, 1, 1]])
        #expect(
            report.failures.map { $0.differences } == [["given.nameText: a byte that cannot stand here, at byte 0"]]
        )
    }

    @Test("Checks get a text as it is: repeated names, unpaired surrogates, numbers beyond every double")
    func rawText() async throws {
        let movie = #"{\"kind\":\"movie\",\"title\":\"A\",\"durationMs\":1"#
        let media = { (name: String, rest: String, expect: String) in
            #"{"name":"\#(name)","given":{"mediaText":"\#(movie)\#(rest)}"},"expect":\#(expect)}"#
        }
        let refused = #"{"received":false,"sent":false}"#
        let taken = #"{"received":true,"sent":true,"encoded":"{\"kind\":\"movie\",\"title\":\"A\",\"durationMs\":1}"}"#
        let report = try await run(
            "media-check",
            media("plain", "", taken),
            media("repeated", #",\"title\":\"B\""#, refused),
            media("surrogate", #",\"ids\":{\"imdb\":\"\\ud800\"}"#, refused),
            media("surrogate in an unknown member", #",\"x\":\"\\ud800\""#, taken),
            media("huge year", #",\"year\":1e400"#, refused),
            #"{"name":"null","given":{"media":null},"expect":\#(refused)}"#,
            #"{"name":"nothing","given":{},"expect":\#(refused)}"#
        )
        #expect(report.failures.map { $0.differences } == [["given.media is missing"]])
    }

    @Test("A message is judged as what it is said to be")
    func messages() async throws {
        let report = try await run(
            "room-check",
            #"{"name":"pong","given":{"message":{"type":"pong","id":1,"serverTime":5.0},"as":"pong"},"expect":{"valid":true}}"#,
            #"{"name":"bad","given":{"message":{"type":"pong","id":1,"serverTime":-1},"as":"pong"},"expect":{"valid":false}}"#,
            #"{"name":"text","given":{"messageText":"{\"type\":\"closed\",\"reason\":\"x\"}","as":"closed"},"expect":{"valid":true}}"#,
            #"{"name":"array","given":{"message":[],"as":"room"},"expect":{"valid":false}}"#,
            #"{"name":"kind","given":{"message":{},"as":"parcel"},"expect":{"valid":false}}"#
        )
        #expect(report.failures.map { $0.differences } == [["given.as: 'parcel' is not known"]])
    }
}
