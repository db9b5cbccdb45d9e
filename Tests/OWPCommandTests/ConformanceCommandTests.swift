// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OWPCommand
import Testing

@MainActor
@Suite("owp conformance")
struct ConformanceCommandTests {
    /// Runs the command over a folder with one table; gives the exit status and what it printed.
    private func run(positionMs: Int) async throws -> (status: Int32, output: String) {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("command-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let room = #"{"phase":"playing","positionMs":0,"atMs":0,"rate":1}"#
        let given = #"{"room":\#(room),"durationMs":5,"now":3}"#
        let expect = #"{"positionMs":\#(positionMs),"running":true}"#
        let table = #"{"table":"timeline","cases":[{"name":"a case","given":\#(given),"expect":\#(expect)}]}"#
        try Data(table.utf8).write(to: folder.appendingPathComponent("timeline.more.json"))
        return await printed(["conformance", folder.path])
    }

    private func printed(_ words: [String]) async -> (status: Int32, output: String) {
        let said = Said()
        let console = Console(output: { text in said.add(text) }, errors: { text in said.add(text) })
        let status = await runCommand(words, console: console)
        return (status, said.text)
    }

    @Test("A table that passes ends with status 0 and its counts")
    func passes() async throws {
        let (status, output) = try await run(positionMs: 3)
        #expect(status == 0)
        #expect(output.contains("timeline       1 passed, 0 failed, 0 skipped\n"))
    }

    @Test("A difference is printed with its file and case, and ends with status 1")
    func differs() async throws {
        let (status, output) = try await run(positionMs: 4)
        #expect(status == 1)
        #expect(output.hasPrefix("timeline.more.json: a case\n    positionMs: expected 4, got 3\n"))
    }

    @Test("A folder that is none ends with status 1, a missing one in the command line with 2")
    func noFolder() async {
        let missing = await printed(["conformance", "/no/such/folder"])
        #expect(missing.status == 1)
        #expect(missing.output == "owp conformance: /no/such/folder is no folder that can be read\n")
        #expect(await printed(["conformance"]).status == 2)
        #expect(await printed(["conformance", "a", "b"]).status == 2)
    }
}

/// What a command printed; written and read on one thread at a time.
private final class Said: @unchecked Sendable {
    private let lock = NSLock()
    private var written = ""

    /// All of it.
    var text: String { lock.withLock { written } }

    /// Takes more.
    func add(_ more: String) { lock.withLock { written += more } }
}
