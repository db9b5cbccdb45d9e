// OpenWatchParty for Swift. See LICENSE.

/// What the demo shows while it runs, at one moment.
struct DemoTable: Hashable, Sendable {
    /// One participant.
    struct Row: Hashable, Sendable {
        var name: String
        /// `host`, `guest` or `gone`.
        var role: String
        /// What its player does: `playing`, `paused`, `buffering`, `opening`, or `-` without a player.
        var state: String
        var positionMs: Int64?
        /// How far ahead of the room its player is, in ms; negative is behind.
        var distanceMs: Int64?
        /// Whether the room waits for it.
        var isWaitedFor: Bool
    }

    /// The room's code as people write it; nil before there is one.
    var code: String?
    /// The time since the story began, in ms.
    var elapsedMs: Int64
    var phaseNumber: Int
    var phaseCount: Int
    var phaseTitle: String
    var rows: [Row]

    /// The names of those the room waits for.
    var waitedFor: String {
        let names = rows.filter(\.isWaitedFor).map(\.name)
        return names.isEmpty ? "nobody" : names.joined(separator: ", ")
    }

    /// The table for a terminal, within 80 columns.
    func lines(color: Bool) -> [String] {
        let head = "  \("who".padding(to: 14))\("player".padding(to: 11))\("position".padding(to: 14))"
        var lines = [
            "",
            "\(paint("Room \(code ?? "-")", .bold, if: color))  \(duration(elapsedMs / 1000 * 1000))",
            "Phase \(phaseNumber) of \(phaseCount): \(phaseTitle)",
            paint(head + rightAligned("to the room", 11) + "   behind      ahead", .dim, if: color),
        ]
        for row in rows {
            let who = "\(row.name.padding(to: 7))\(row.role)".padding(to: 14)
            let position = (row.positionMs.map(timecode) ?? "-").padding(to: 14)
            let distance = rightAligned(row.distanceMs.map { "\($0 > 0 ? "+" : "")\($0) ms" } ?? "-", 11)
            let paintOfDistance = Self.color(ofDistanceMs: row.distanceMs)
            lines.append(
                "  \(who)\(paint(row.state.padding(to: 11), Self.color(ofState: row.state), if: color))\(position)"
                    + "\(paint(distance, paintOfDistance, if: color))   \(Self.gauge(row.distanceMs))"
            )
        }
        lines.append("  waiting for \(waitedFor)")
        return lines
    }

    /// The same as one line, for an output that is no terminal.
    var plainLine: String {
        let people = rows.map { row in
            let distance = row.distanceMs.map { " \($0 > 0 ? "+" : "")\($0) ms" } ?? ""
            return "\(row.name) \(row.state)\(row.positionMs.map { " " + timecode($0) } ?? "")\(distance)"
        }
        return "      \(rightAligned(duration(elapsedMs / 1000 * 1000), 4))  \(people.joined(separator: " | "))"
            + " | waiting for \(waitedFor)"
    }

    /// A distance on a scale from 1000 ms behind to 1000 ms ahead.
    static func gauge(_ distanceMs: Int64?) -> String {
        var cells = Array("──────────┼──────────")
        if let distanceMs {
            let clamped = min(max(distanceMs, -1000), 1000)
            cells[Int((clamped + 1050) / 100)] = "●"
        }
        return String(cells)
    }

    /// Green within the bound of 150 ms, yellow within the deadband, red beyond.
    private static func color(ofDistanceMs distanceMs: Int64?) -> Paint {
        guard let distanceMs else { return .dim }
        return abs(distanceMs) <= 150 ? .green : abs(distanceMs) <= 350 ? .yellow : .red
    }

    private static func color(ofState state: String) -> Paint {
        switch state {
        case "playing": .green
        case "buffering": .red
        case "opening": .yellow
        default: .dim
        }
    }
}

/// Shows a table and the lines of finished phases: redrawn in place on a terminal, as plain lines elsewhere.
struct DemoScreen {
    /// How often a terminal is redrawn, in ms.
    static let redrawMs: Int64 = 200
    /// How often a plain line is written, in ms.
    static let lineMs: Int64 = 1000

    private let console: Console
    private var drawnLines = 0
    private var nextMs: Int64 = 0

    init(console: Console) { self.console = console }

    /// Writes a line that stays.
    mutating func note(_ text: String) {
        erase()
        console.line(text)
    }

    /// Shows the table, when it is due.
    mutating func show(_ table: DemoTable) {
        guard table.elapsedMs >= nextMs else { return }
        let everyMs = console.isTerminal ? Self.redrawMs : Self.lineMs
        nextMs = (table.elapsedMs / everyMs + 1) * everyMs
        guard console.isTerminal else { return console.line(table.plainLine) }
        let lines = table.lines(color: console.hasColor)
        // Lines are not wrapped while drawing, so that moving up again finds them in a narrow terminal too.
        var text = "\u{1B}[?7l" + (drawnLines > 0 ? "\u{1B}[\(drawnLines)A" : "")
        for line in lines { text += "\r\(line)\u{1B}[K\n" }
        console.write(text + "\u{1B}[?7h")
        drawnLines = lines.count
    }

    /// Takes the table away.
    mutating func erase() {
        guard drawnLines > 0 else { return }
        console.write("\u{1B}[\(drawnLines)A\r\u{1B}[J")
        drawnLines = 0
        nextMs = 0
    }
}
