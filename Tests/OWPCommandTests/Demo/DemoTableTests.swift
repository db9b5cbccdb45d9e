// OpenWatchParty for Swift. See LICENSE.

import Foundation
import Testing

@testable import OWPCommand

/// Collects what a command writes.
final class Transcript: Sendable {
    private let lock = NSLock()
    // Only touched under the lock.
    nonisolated(unsafe) private var written = ""
    nonisolated(unsafe) private var complaints = ""

    var text: String { lock.withLock { written } }
    var errors: String { lock.withLock { complaints } }

    func console(isTerminal: Bool = false, hasColor: Bool = false) -> Console {
        Console(
            isTerminal: isTerminal,
            hasColor: hasColor,
            output: { text in self.lock.withLock { self.written += text } },
            errors: { text in self.lock.withLock { self.complaints += text } }
        )
    }
}

@Suite("The demo's live table")
struct DemoTableTests {
    private func table(elapsedMs: Int64 = 12_345) -> DemoTable {
        DemoTable(
            code: "K7M-Q2X",
            elapsedMs: elapsedMs,
            phaseNumber: 10,
            phaseCount: 13,
            phaseTitle: "Cleo runs dry for 3 s: the room waits",
            rows: [
                .init(
                    name: "Anna",
                    role: "host",
                    state: "paused",
                    positionMs: 61_007,
                    distanceMs: 3,
                    isWaitedFor: false
                ),
                .init(name: "Ben", role: "gone", state: "-", positionMs: nil, distanceMs: nil, isWaitedFor: false),
                .init(
                    name: "Cleo",
                    role: "guest",
                    state: "buffering",
                    positionMs: 60_190,
                    distanceMs: -814,
                    isWaitedFor: true
                ),
            ]
        )
    }

    @Test("Shows participant, state, position, distance and who is waited for, within 80 columns")
    func lines() throws {
        let lines = table().lines(color: false)
        #expect(lines.contains { $0.contains("K7M-Q2X") && $0.contains("12 s") })
        #expect(lines.contains("Phase 10 of 13: Cleo runs dry for 3 s: the room waits"))
        let anna = try #require(lines.first { $0.contains("Anna") })
        for part in ["host", "paused", "0:01:01.007", "+3 ms"] { #expect(anna.contains(part)) }
        #expect(lines.contains { $0.contains("Cleo") && $0.contains("buffering") && $0.contains("-814 ms") })
        #expect(lines.last == "  waiting for Cleo")
        #expect(lines.allSatisfy { $0.count <= 80 })
        #expect(table().plainLine.hasSuffix("Cleo buffering 0:01:00.190 -814 ms | waiting for Cleo"))
    }

    @Test("The scale has its middle at 0 and keeps what is far off at its ends")
    func gauge() {
        #expect(DemoTable.gauge(nil) == "──────────┼──────────")
        #expect(DemoTable.gauge(0) == "──────────●──────────")
        #expect(DemoTable.gauge(.min).hasPrefix("●─"))
        #expect(DemoTable.gauge(.max).hasSuffix("─●"))
        #expect(DemoTable.gauge(-500) == "─────●────┼──────────")
    }

    @Test("Elsewhere than on a terminal there are plain lines, one a second, and no control characters")
    func plain() {
        let transcript = Transcript()
        var screen = DemoScreen(console: transcript.console())
        for at in stride(from: Int64(0), to: 3000, by: 20) { screen.show(table(elapsedMs: at)) }
        screen.note("ok   pause")
        screen.erase()
        #expect(transcript.text.split(separator: "\n").count == 4)
        #expect(!transcript.text.contains("\u{1B}") && !transcript.text.contains("\r"))
    }

    @Test("A terminal is redrawn in place, with colors only where they are wanted")
    func terminal() {
        let transcript = Transcript()
        var screen = DemoScreen(console: transcript.console(isTerminal: true))
        screen.show(table(elapsedMs: 0))
        screen.show(table(elapsedMs: 100))
        screen.show(table(elapsedMs: 200))
        screen.note("ok   pause")
        let count = table().lines(color: false).count
        #expect(transcript.text.components(separatedBy: "\u{1B}[\(count)A").count - 1 == 2)
        #expect(transcript.text.hasSuffix("\u{1B}[Jok   pause\n"))
        #expect(!transcript.text.contains("\u{1B}[32m"))
        #expect(table().lines(color: true).joined().contains("\u{1B}[32m"))
    }
}
