// OpenWatchParty for Swift. See LICENSE.

import OWPSimulation
import OWPWire

/// What a simulation came to, as it is printed.
struct SimulateReport: Sendable {
    let plan: SimulationPlan
    let figures: SimulationFigures
    /// How many parties ended; fewer than planned when the user stopped it.
    let parties: Int
    let took: Duration
    let threads: Int

    /// Whether nothing happened that the rules do not allow.
    var isSound: Bool { figures.faults.isEmpty }
    /// Whether the user stopped it.
    var isCut: Bool { parties < plan.parties }

    /// What happens so often in so many ms, in an hour.
    private func hourly(_ count: Int, in ms: Int64) -> Double { ms > 0 ? Double(count) * 3_600_000 / Double(ms) : 0 }
    private var seeksPerHour: Double { hourly(figures.seeks, in: figures.playerMs) }
    private var nudgesPerHour: Double { hourly(figures.nudges, in: figures.playerMs) }
    private var stallsPerHour: Double { hourly(figures.stalls, in: figures.roomMs) }
    private var starts: [(cause: StartCause, histogram: Histogram)] {
        StartCause.allCases.map { ($0, figures.starts[$0.rawValue]) }
    }
    private func faults(_ kind: SimulationFault.Kind) -> Int { figures.faults.count { $0.kind == kind } }
    private var seconds: Double { Double(took.components.seconds) + Double(took.components.attoseconds) / 1e18 }
    private var speed: Double { seconds > 0 ? Double(parties * plan.minutes * 60) / seconds : 0 }

    // MARK: Text

    /// The whole report.
    func lines(color: Bool) -> [String] {
        let head = "                       p50     p95     p99     max"
        var lines = [
            paint(
                "\(Self.count(parties, plan)) min each, seed \(plan.seed)",
                .bold,
                if: color
            ),
            plan.network.line,
            "",
            paint("distance in ms   \(head.dropFirst(17))", .dim, if: color),
            "  settled        \(columns(figures.settled))",
            "  playing        \(columns(figures.playing))",
            paint("common start in ms\(head.dropFirst(18))", .dim, if: color),
        ]
        for (cause, histogram) in starts where histogram.count > 0 {
            lines.append("  \(Self.word(cause).padding(to: 15))\(columns(histogram))   of \(histogram.count)")
        }
        lines += [
            "corrections      \(tenths(seeksPerHour)) seeks and \(tenths(nudgesPerHour)) speed changes an hour of playing;"
                + " \(figures.mostSeeks) seeks of one player at most",
            "stalls           \(tenths(stallsPerHour)) an hour of playing",
            "networks         dropped \(figures.outages) times; \(figures.resumes) sessions taken up again",
            "stood still      "
                + paint(
                    "\(faults(.roomStoodStill)) rooms, \(faults(.playerLeftStanding)) players",
                    isSound ? .green : .red,
                    if: color
                ),
            "speed            \(Int(speed)) × time: \(parties * plan.minutes) min in \(tenths(seconds)) s, \(threads) at a"
                + " time, \(figures.inputs) inputs, \(figures.messages) messages",
        ]
        return lines
    }

    private static func count(_ parties: Int, _ plan: SimulationPlan) -> String {
        "\(parties) \(parties == 1 ? "party" : "parties") of \(plan.people), \(plan.minutes)"
    }

    /// The head of the table of several networks.
    static func tableHead(_ plan: SimulationPlan) -> [String] {
        [
            "\(count(plan.parties, plan)) min each, seed \(plan.seed); ms, and counts an hour of playing",
            "           settled               playing       start after a play   seeks nudges stalls  still  speed",
            "           p50  p95  p99    max    p95    p99    p50    p95    max",
        ]
    }

    /// The network's line of that table.
    func tableLine(color: Bool) -> String {
        func at(_ histogram: Histogram, _ share: Double, _ width: Int) -> String {
            rightAligned(histogram.percentile(share).map { "\($0)" } ?? "-", width)
        }
        let (settled, playing) = (figures.settled, figures.playing)
        let play = figures.starts[StartCause.play.rawValue]
        let distances =
            at(settled, 0.5, 4) + at(settled, 0.95, 5) + at(settled, 0.99, 5) + rightAligned("\(settled.max)", 7)
            + at(playing, 0.95, 7) + at(playing, 0.99, 7)
        let starts = at(play, 0.5, 7) + at(play, 0.95, 7) + rightAligned("\(play.max)", 7)
        let counts =
            rightAligned(tenths(seeksPerHour), 8) + rightAligned(tenths(nudgesPerHour), 7)
            + rightAligned(tenths(stallsPerHour), 7)
        let still = paint(rightAligned("\(figures.faults.count)", 7), isSound ? .green : .red, if: color)
        return plan.network.name.padding(to: 10) + distances + starts + counts + still
            + rightAligned("\(Int(speed)) ×", 9)
    }

    /// A line for each of the first faults.
    var faultLines: [String] {
        let shown = figures.faults.prefix(10).map { fault in
            let who = fault.person.map { "person \($0 + 1) of party \(fault.party + 1)" } ?? "party \(fault.party + 1)"
            let when = "after \(clockText(fault.lastedMs)), \(clockText(fault.atMs)) from its beginning"
            return "owp simulate: \(plan.network.name): \(who) \(Self.words(fault.kind)) \(when)"
        }
        let more = figures.faults.count - shown.count
        return shown + (more > 0 ? ["owp simulate: \(plan.network.name): and \(more) more"] : [])
    }

    private static func words(_ kind: SimulationFault.Kind) -> String {
        switch kind {
        case .roomStoodStill: "stood still"
        case .playerLeftStanding: "was left standing"
        case .malformedMessage: "had a message that cannot be read,"
        }
    }

    private static func word(_ cause: StartCause) -> String {
        switch cause {
        case .title: "new title"
        case .play: "play"
        case .seek: "seek"
        case .stall: "stall"
        }
    }

    private func columns(_ histogram: Histogram) -> String {
        let shares = [0.5, 0.95, 0.99].map { histogram.percentile($0).map { "\($0)" } ?? "-" }
        return (shares + [histogram.count > 0 ? "\(histogram.max)" : "-"]).map { " " + rightAligned($0, 7) }.joined()
    }

    private func tenths(_ number: Double) -> String {
        let tenths = Int((number * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }

    // MARK: JSON

    /// The report as one JSON object.
    var json: String {
        func number(_ value: some BinaryInteger) -> JSONValue { .number(Double(value)) }
        func object(_ histogram: Histogram) -> JSONValue {
            func at(_ share: Double) -> JSONValue { histogram.percentile(share).map { number($0) } ?? .null }
            return .object([
                "count": number(histogram.count), "p50": at(0.5), "p95": at(0.95), "p99": at(0.99),
                "max": histogram.count > 0 ? number(histogram.max) : .null,
            ])
        }
        var startsMs: [String: JSONValue] = [:]
        for (cause, histogram) in starts { startsMs["\(cause)"] = object(histogram) }
        let members: [String: JSONValue] = [
            "profile": .string(plan.network.name), "parties": number(parties), "people": number(plan.people),
            "minutes": number(plan.minutes), "seed": number(plan.seed), "complete": .bool(!isCut),
            "settledMs": object(figures.settled), "playingMs": object(figures.playing), "startMs": .object(startsMs),
            "seeksPerHour": .number(seeksPerHour), "nudgesPerHour": .number(nudgesPerHour),
            "mostSeeksOfOnePlayer": number(figures.mostSeeks), "stallsPerHour": .number(stallsPerHour),
            "drops": number(figures.outages), "resumes": number(figures.resumes),
            "roomsStoodStill": number(faults(.roomStoodStill)),
            "playersLeftStanding": number(faults(.playerLeftStanding)),
            "malformedMessages": number(faults(.malformedMessage)),
            "seconds": .number(seconds), "timesRealTime": .number(speed),
        ]
        return (try? JSONValue.object(members).text) ?? "{}"
    }
}
