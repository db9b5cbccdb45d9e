// OpenWatchParty for Swift. See LICENSE.

/// How one phase of the story went.
struct PhaseResult: Hashable, Sendable {
    /// The phase's word, such as `pause`.
    var name: String
    /// What happens in it, such as `Ben presses pause`.
    var title: String
    /// The time it had for what it promises, in ms.
    var boundMs: Int64
    /// Its begin and end in ms of local time.
    var startMs: Int64
    var endMs: Int64
    /// How long what it promises took, in ms; nil when it did not happen.
    var tookMs: Int64?
    /// The distances between the players from when they had to be in step; nil where the phase asks for none.
    var distances: Distances?
    /// What did not happen; nil for a phase that did.
    var failure: String?
}

/// A whole run of the story.
struct DemoReport: Sendable {
    /// The participants' names, by seat.
    var names: [String]
    /// What each participant plays, by seat.
    var copies: [String]
    /// The phases that ran, in order; the last one alone may have failed.
    var results: [PhaseResult] = []
    /// How many phases the story has.
    var phaseCount: Int
    /// Everything that was read from the players.
    var log = DemoLog()

    /// The phase that did not happen.
    var failed: PhaseResult? { results.first { $0.failure != nil } }

    /// Whether every phase of the story happened.
    var isWhole: Bool { failed == nil && results.count == phaseCount }

    /// The time from the first phase's begin to the last one's end, in ms.
    var tookMs: Int64 { (results.last?.endMs ?? 0) - (results.first?.startMs ?? 0) }
}

extension PhaseResult {
    /// The line that stands for the phase while the story goes on and in the summary; it fits a terminal of 80 columns.
    func line(color: Bool) -> String {
        let mark = failure == nil ? paint("ok  ", .green, if: color) : paint("FAIL", .red, if: color)
        let took = tookMs.map { "\(duration($0))" } ?? "-"
        var text =
            "\(mark) \(name.padding(to: 6)) \(title.padding(to: 35)) \(rightAligned(took, 6)) of \(rightAligned(duration(boundMs), 6))"
        if let distances {
            text +=
                " \(rightAligned("\(distances.p50Ms)", 3)) \(rightAligned("\(distances.p95Ms)", 3)) \(rightAligned("\(distances.maxMs)", 3)) ms"
        }
        return text
    }
}

extension DemoReport {
    /// The summary: every phase with its time and the distances between the players, and the verdict.
    func summary(color: Bool) -> [String] {
        let head =
            "     \("phase".padding(to: 6)) \("".padding(to: 35)) \(rightAligned("took", 6))    \(rightAligned("bound", 6))"
        var lines = [paint(head + " p50 p95 max", .dim, if: color)]
        lines += results.map { $0.line(color: color) }
        lines.append("p50, p95, max: how far apart the players were, measured every \(DemoStage.sampleMs) ms.")
        lines.append("")
        if let failed {
            lines.append("The demo failed in phase \(failed.name): \(failed.failure ?? "")")
        } else if results.count < phaseCount {
            lines.append("The demo was stopped after \(results.count) of \(phaseCount) phases.")
        } else {
            lines.append("All \(phaseCount) phases happened, in \(duration(tookMs)).")
        }
        return lines
    }
}

/// The few ways in which the demo marks text on a terminal.
enum Paint: String {
    case green = "32"
    case yellow = "33"
    case red = "31"
    case bold = "1"
    case dim = "2"
}

/// The text in a color, when colors are wanted.
func paint(_ text: String, _ paint: Paint, if color: Bool) -> String {
    color ? "\u{1B}[\(paint.rawValue)m\(text)\u{1B}[0m" : text
}

/// The text with spaces before it up to a width in characters.
func rightAligned(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
}

/// A time span as people read it: `85 ms`, `3.2 s`.
func duration(_ ms: Int64) -> String {
    guard ms >= 1000 else { return "\(ms) ms" }
    let tenths = (ms + 50) / 100
    return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
}

/// A position as players show it: `0:10:12.345`.
func timecode(_ ms: Int64) -> String {
    func two(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }
    let (whole, rest) = (abs(ms) / 1000, abs(ms) % 1000)
    let fraction = rest < 10 ? "00\(rest)" : rest < 100 ? "0\(rest)" : "\(rest)"
    return "\(ms < 0 ? "-" : "")\(whole / 3600):\(two(whole / 60 % 60)):\(two(whole % 60)).\(fraction)"
}
