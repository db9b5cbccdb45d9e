// OpenWatchParty for Swift. See LICENSE.

import Foundation
import Testing

@testable import OWPCommand

/// The demo runs as a program of its own: its bounds are real time, which other tests in this process would take away.
@Suite("owp demo", .timeLimit(.minutes(5)))
struct DemoProgramTests {
    @Test("The whole story happens, and is drawn")
    func story() async throws {
        let plot = FileManager.default.temporaryDirectory.appendingPathComponent("owp-demo-\(UUID().uuidString).svg")
        defer { try? FileManager.default.removeItem(at: plot) }
        let run = try await runProgram(["demo", "--plot", plot.path])
        #expect(run.status == 0, "\(run.output)")
        for phase in DemoStory.phases { #expect(run.output.contains("ok   \(phase.name)")) }
        #expect(run.output.contains("All 13 phases happened"))
        #expect(!run.output.contains("\u{1B}"))
        #expect(try String(contentsOf: plot, encoding: .utf8).hasSuffix("</svg>\n"))
    }

    @Test("A phase that is broken on purpose fails the demo, which names it", arguments: DemoStory.phases.map(\.name))
    func broken(phase: String) async throws {
        let run = try await runProgram(["demo", "--break", phase])
        #expect(run.status == 1, "\(run.output)")
        #expect(run.output.contains("The demo failed in phase \(phase): "), "\(run.output)")
        #expect(run.output.contains("FAIL \(phase)"))
    }
}

@Suite("owp demo's command line")
@MainActor
struct DemoArgumentTests {
    @Test(
        "A bad command line is one clear line and exit status 2",
        arguments: [
            ["demo", "--break", "lunch"], ["demo", "--seed", "x"], ["demo", "--plot"], ["demo", "--nonsense"],
        ]
    )
    func usage(words: [String]) async {
        let transcript = Transcript()
        #expect(await runCommand(words, console: transcript.console()) == 2)
        #expect(transcript.errors.hasPrefix("owp demo: ") && transcript.errors.split(separator: "\n").count == 1)
        #expect(transcript.text.isEmpty)
    }

    @Test("A plot that cannot be written is said before the story begins")
    func plot() async {
        let transcript = Transcript()
        #expect(await runCommand(["demo", "--plot", "/nowhere/x.svg"], console: transcript.console()) == 1)
        #expect(transcript.errors.contains("cannot write '/nowhere/x.svg'"))
        #expect(transcript.text.isEmpty)
    }

    @Test("The help names every option and shows an example")
    func help() async {
        let transcript = Transcript()
        #expect(await runCommand(["demo", "--help"], console: transcript.console()) == 0)
        for word in ["--plot FILE.svg", "--break PHASE", "--seed N", "owp demo --plot drift.svg", "Exit status"] {
            #expect(transcript.text.contains(word))
        }
    }

    @Test("Every title fits the table")
    func titles() {
        for phase in DemoStory.phases { #expect(phase.title.count <= 38 && phase.name.count <= 7) }
        #expect(Set(DemoStory.phases.map(\.name)).count == 13)
    }
}
