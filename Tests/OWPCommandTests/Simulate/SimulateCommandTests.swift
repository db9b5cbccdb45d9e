// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OWPCommand
import OWPWire
import Testing

@MainActor
@Suite("owp simulate")
struct SimulateCommandTests {
    private struct Said {
        var status: Int32
        var output: String
        var errors: String
    }

    private func run(_ words: [String], showsProgress: Bool = false) async -> Said {
        let (output, errors) = (Lines(), Lines())
        let console = Console(
            showsProgress: showsProgress,
            output: { output.add($0) },
            errors: { errors.add($0) }
        )
        let status = await runCommand(["simulate"] + words, console: console)
        return Said(status: status, output: output.text, errors: errors.text)
    }

    private static let small = ["--parties", "2", "--minutes", "2", "--people", "2"]

    @Test("It prints distances, starts, corrections, stalls and its speed, the same for a seed but for the speed")
    func report() async {
        let said = await run(Self.small + ["--profile", "4g", "--seed", "5"])
        #expect(said.status == 0)
        #expect(said.errors == "")
        let lines = said.output.split(separator: "\n").map(String.init)
        #expect(lines.first == "2 parties of 2, 2 min each, seed 5")
        for head in ["distance in ms", "  settled", "  playing", "  new title", "corrections", "stalls", "stood still"]
        {
            #expect(lines.contains { $0.hasPrefix(head) }, "\(head)")
        }
        let again = await run(Self.small + ["--profile=4g", "--seed=5", "--threads", "1"])
        #expect(again.output.split(separator: "\n").dropLast().map(String.init) == lines.dropLast())
    }

    @Test("All profiles make a table of ten lines, or ten JSON objects with their faults counted")
    func profiles() async throws {
        let table = await run(Self.small + ["--profile", "all"])
        #expect(table.status == 0)
        #expect(table.output.split(separator: "\n").count == 13)
        let json = await run(Self.small + ["--profile", "all", "--json"])
        let objects = try json.output.split(separator: "\n").map { try JSONValue(parsing: String($0)) }
        #expect(objects.count == 10)
        for object in objects {
            #expect(object["roomsStoodStill"] == .number(0))
            #expect(object["settledMs"]?["p95"] != nil)
            #expect(object["complete"] == .bool(true))
        }
    }

    @Test("A relay that waits for ever ends with status 1, and the room is named")
    func broken() async {
        let words = ["--parties", "6", "--minutes", "8", "--people", "3", "--stalls", "30", "--acts", "5"]
        let said = await run(words + ["--break", "wait-limit"])
        #expect(said.status == 1)
        #expect(said.errors.contains("stood still after 2:10") || said.errors.contains("stood still after 0:40"))
    }

    @Test("Progress is shown on a terminal alone, and taken away")
    func progress() async {
        #expect(await run(Self.small).errors.isEmpty)
        let said = await run(Self.small, showsProgress: true)
        let shown = said.errors.components(separatedBy: "\r\u{1B}[K")
        #expect((shown.first, shown.last) == ("", ""), "each replaces the one before it, and nothing stays")
        #expect(shown.count > 2)
        // How many were done whenever it was looked at is chance.
        #expect(shown.dropFirst().dropLast().allSatisfy { (0...2).map { "\($0) of 2 parties" }.contains($0) })
    }

    @Test("The log tells one party's story, as it is among the others")
    func log() async {
        let said = await run(Self.small + ["--log", "2"])
        #expect(said.output.contains("relay: waiting at 0, media by person 1, waiting for person 1"))
        #expect(said.output.contains("1 party of 2, 2 min each"))
    }

    @Test(
        "Bad input is refused with status 2 and a line that says what is right",
        arguments: [
            (["--profile", "moon"], "there is no profile 'moon'; there are lan, fibre, dsl,"),
            (["--parties", "0"], "--parties takes a whole number from 1 to 1000000, not '0'"),
            (["--people", "51"], "--people takes a whole number from 1 to 50, not '51'"),
            (["--minutes", "ten"], "--minutes takes a whole number from 1 to 1440, not 'ten'"),
            (["--loss", "5%"], "--loss takes a number from 0.0 to 0.5, not '5%'"),
            (["--latency", "nan"], "--latency takes a number from 0.0 to 5000.0, not 'nan'"),
            (["--latency", "-1"], "--latency takes a number from 0.0 to 5000.0, not '-1'"),
            (["--profile", "mixed", "--latency", "5"], "mixed means different networks"),
            (["--break", "glass"], "--break takes 'wait-limit', not 'glass'"),
            (["--log", "1", "--json"], "--log and --json exclude each other"),
            (["film.mkv"], "'film.mkv' is not understood; everything is an option"),
            (["--speed", "2"], "there is no option '--speed'"),
        ]
    )
    func refusals(words: [String], message: String) async {
        let said = await run(words)
        #expect(said.status == 2)
        // Programs are told on standard output.
        #expect(said.output.isEmpty != words.contains("--json"))
        #expect(said.errors.contains(message), "\(said.errors)")
    }

    @Test("The help explains every figure and names every profile")
    func help() async {
        let said = await run(["--help"])
        #expect(said.status == 0)
        for word in ["settled", "common start", "corrections", "stood still", "hotel", "mixed", "--hide-seek-cost"] {
            #expect(said.output.contains(word), "\(word)")
        }
        for line in said.output.split(separator: "\n") { #expect(line.count <= 120, "\(line)") }
    }
}

/// Text from several threads.
///
/// `@unchecked`: the lock guards it.
private final class Lines: @unchecked Sendable {
    private let lock = NSLock()
    private var written = ""

    /// All of it.
    var text: String { lock.withLock { written } }
    /// Adds to it.
    func add(_ text: String) { lock.withLock { written += text } }
}
