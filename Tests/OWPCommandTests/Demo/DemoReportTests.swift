// OpenWatchParty for Swift. See LICENSE.

import Foundation
import Testing

@testable import OWPCommand

@Suite("The demo's report")
struct DemoReportTests {
    /// A run of three players: they start, one jumps ahead for a moment, one is put off and nudged back.
    static func run(failing: Bool = false) -> DemoReport {
        var report = DemoReport(
            names: ["Anna", "Ben", "Cleo"],
            copies: ["film.mkv", "Film (Director's <Cut>).mp4", "film & more.webm"],
            phaseCount: 7
        )
        let phases: [(String, Int64)] = [
            ("create", 40), ("join", 60), ("match", 500), ("start", 2500), ("seek", 3000), ("drift", 18_000),
            ("end", 150),
        ]
        var time: Int64 = 1000
        for (name, length) in phases {
            report.results.append(
                PhaseResult(
                    name: name,
                    title: "Something happens",
                    boundMs: 3000,
                    startMs: time,
                    endMs: time + length,
                    tookMs: length
                )
            )
            time += length
        }
        for at in stride(from: Int64(1000), through: time, by: 20) {
            let room = max(0, at - 1600)
            var players: [DemoSample.Player?] = [nil, nil, nil]
            if room > 0 {
                let wobble = at / 700 % 5 * 4
                let off = at > 8000 ? min(-800 + (at - 8000) / 25, -140) : 0
                let jump: Int64 = at > 4500 && at < 5000 ? 30_000 : 0
                players = [-15 + wobble, 20 - wobble + jump, off].map { .init(positionMs: room + $0) }
            }
            report.log.append(DemoSample(atMs: at, players: players, roomMs: room > 0 ? room : nil))
        }
        report.results[3].distances = report.log.distances(fromMs: 2000, toMs: 4000)
        if failing { report.results[6].failure = "Ben did not hear of it (after 3 s)" }
        return report
    }

    @Test("The summary names every phase, its time, its bound and the distances")
    func summary() {
        let lines = Self.run().summary(color: false)
        #expect(lines.contains { $0.hasPrefix("ok   create") && $0.contains("40 ms of") && $0.contains("3 s") })
        #expect(lines.contains { $0.hasPrefix("ok   start") && $0.hasSuffix(" ms") })
        #expect(lines.last?.hasPrefix("All 7 phases happened, in 24.3 s.") == true)
        #expect(!lines.joined().contains("\u{1B}"))
    }

    @Test("Every line fits a terminal of 80 columns")
    func width() {
        for phase in DemoStory.phases {
            let result = PhaseResult(
                name: phase.name,
                title: phase.title,
                boundMs: phase.boundMs,
                startMs: 0,
                endMs: 18_000,
                tookMs: 16_600,
                distances: Distances([128, 142, 146])
            )
            #expect(result.line(color: false).count < 80, "\(phase.name)")
        }
        #expect(Self.run().summary(color: false).allSatisfy { $0.count <= 80 })
    }

    @Test("The summary of a run that failed names the phase and says what was missing")
    func failure() {
        let report = Self.run(failing: true)
        #expect(report.failed?.name == "end")
        let lines = report.summary(color: false)
        #expect(lines.contains { $0.hasPrefix("FAIL end") })
        #expect(lines.last == "The demo failed in phase end: Ben did not hear of it (after 3 s)")
    }

    @Test("The plot has every phase and participant, escaped, and its elements are closed")
    func plot() throws {
        let svg = DemoPlot(Self.run(failing: true)).svg
        for word in ["create", "join", "match", "start", "seek", "drift", "end", "Anna: film.mkv", "ms apart"] {
            #expect(svg.contains(">\(word)") || svg.contains(word))
        }
        #expect(svg.contains("Film (Director's &lt;Cut&gt;).mp4") && svg.contains("film &amp; more.webm"))
        #expect(svg.contains("failed in phase end"))
        #expect(svg.components(separatedBy: "<text").count == svg.components(separatedBy: "</text>").count)
        #expect(svg.hasPrefix("<svg") && svg.hasSuffix("</svg>\n"))
        #expect(!svg.contains("nan") && !svg.contains("inf"))
        // Three players and the distance between them.
        #expect(svg.components(separatedBy: "<path").count - 1 == 4)
    }

    @Test("An empty run can be drawn and summarised")
    func empty() {
        let report = DemoReport(names: [], copies: [], phaseCount: 0)
        #expect(DemoPlot(report).svg.hasSuffix("</svg>\n"))
        #expect(!report.summary(color: true).isEmpty)
    }

    @Test(
        "Times are written as people read them",
        arguments: [(0, "0 ms"), (999, "999 ms"), (1000, "1 s"), (1249, "1.2 s"), (1250, "1.3 s"), (61_000, "61 s")]
    )
    func durations(ms: Int64, text: String) {
        #expect(duration(ms) == text)
    }

    @Test(
        "Positions are written as players show them",
        arguments: [(0, "0:00:00.000"), (61_007, "0:01:01.007"), (36_610_345, "10:10:10.345"), (-20, "-0:00:00.020")]
    )
    func timecodes(ms: Int64, text: String) {
        #expect(timecode(ms) == text)
    }
}
