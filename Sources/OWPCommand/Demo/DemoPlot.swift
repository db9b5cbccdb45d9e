// OpenWatchParty for Swift. See LICENSE.

/// Draws a run as SVG: each player's distance to the room, and the largest distance between two, with the phases marked.
struct DemoPlot {
    /// A panel of the drawing: a range of values over the common axis of time.
    private struct Panel {
        var top: Double
        var height: Double
        var low: Double
        var high: Double
        var ticks: [Int]
        var title: String

        func y(_ value: Double) -> Double { top + (high - value) / (high - low) * height }
    }

    private let report: DemoReport
    private let originMs: Int64
    private let endMs: Int64

    private static let width = 1280.0
    private static let height = 860.0
    private static let plotLeft = 92.0
    private static let plotRight = 1232.0
    private static let bandsTop = 146.0
    /// Told apart by people who see colors differently, too (Okabe and Ito).
    private static let colors = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9"]
    private static let limitMs = 150.0

    private let around = Panel(
        top: 146,
        height: 380,
        low: -1000,
        high: 1000,
        ticks: [-1000, -750, -500, -250, 0, 250, 500, 750, 1000],
        title: "ms behind  ·  to the room  ·  ms ahead"
    )
    private let between = Panel(
        top: 566,
        height: 180,
        low: 0,
        high: 300,
        ticks: [0, 50, 100, 150, 200, 250, 300],
        title: "ms apart"
    )

    init(_ report: DemoReport) {
        self.report = report
        originMs = report.results.first?.startMs ?? 0
        endMs = max(originMs + 1000, report.results.last?.endMs ?? 0)
    }

    /// The whole drawing.
    var svg: String {
        var parts = [
            """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(text(Self.width)) \(text(Self.height))" \
            width="\(text(Self.width))" height="\(text(Self.height))" \
            font-family="Inter, 'Helvetica Neue', 'DejaVu Sans', Arial, sans-serif">
            <rect width="100%" height="100%" fill="#ffffff"/>
            <text x="24" y="36" font-size="21" font-weight="600" fill="#1a1d21">\
            \(escaped(title))</text>
            """
        ]
        parts += [legend, bands, axes(around), axes(between), timeAxis, limits]
        for seat in report.names.indices.reversed() {
            parts.append(
                line(around, color: Self.colors[seat % Self.colors.count]) { sample in
                    guard let player = sample.players[seat], player.shown, let room = sample.roomMs else { return nil }
                    return Double(player.positionMs - room)
                }
            )
        }
        parts.append(line(between, color: "#3c4248") { $0.distanceMs.map(Double.init) })
        parts.append("</svg>\n")
        return parts.joined(separator: "\n")
    }

    private var title: String {
        let what = "\(report.names.count) copies of one film in one room: how far apart the players are"
        return report.failed.map { "\(what) (failed in phase \($0.name))" } ?? what
    }

    private var legend: String {
        var x = 26.0
        return report.names.indices.map { seat in
            let label = "\(report.names[seat]): \(report.copies[seat])"
            defer { x += 62 + Double(label.count) * 7.1 }
            return """
                <line x1="\(text(x))" y1="60" x2="\(text(x + 24))" y2="60" stroke="\(Self.colors[seat % Self.colors.count])" \
                stroke-width="3" stroke-linecap="round"/>
                <text x="\(text(x + 32))" y="64.5" font-size="13" fill="#3c4248">\(escaped(label))</text>
                """
        }.joined(separator: "\n")
    }

    /// A band for each phase through both panels, its name above where it begins.
    private var bands: String {
        let bottom = between.top + between.height
        var parts: [String] = []
        for (index, (result, row)) in zip(report.results, labelRows).enumerated() {
            let (from, to) = (x(result.startMs), max(x(result.endMs), x(result.startMs) + 0.8))
            let isFailed = result.failure != nil
            let fill = isFailed ? "#fde3e1" : index % 2 == 0 ? "#f1f4f7" : "#ffffff"
            let baseline = Self.bandsTop - 8 - Double(row) * 15
            parts.append(
                """
                <rect x="\(text(from))" y="\(text(Self.bandsTop))" width="\(text(to - from))" \
                height="\(text(bottom - Self.bandsTop))" fill="\(fill)"/>
                <line x1="\(text(from))" y1="\(text(baseline - 10))" x2="\(text(from))" y2="\(text(bottom))" \
                stroke="#c3cad2" stroke-width="0.8"/>
                <text x="\(text(from + 4))" y="\(text(baseline))" font-size="12" \
                fill="\(isFailed ? "#b3261e" : "#3c4248")">\(escaped(result.name))</text>
                """
            )
        }
        return parts.joined(separator: "\n")
    }

    /// The row of each phase's name: above every later name that begins before it ends, so that no line crosses a name.
    private var labelRows: [Int] {
        var rows = [Int](repeating: 0, count: report.results.count)
        for index in rows.indices.reversed() {
            let end = x(report.results[index].startMs) + 10 + Double(report.results[index].name.count) * 7
            let covered = rows.indices.filter { $0 > index && x(report.results[$0].startMs) < end }
            rows[index] = covered.map { rows[$0] + 1 }.max() ?? 0
        }
        return rows
    }

    private func axes(_ panel: Panel) -> String {
        var parts = panel.ticks.map { tick in
            let y = panel.y(Double(tick))
            let isZero = tick == 0
            return """
                <line x1="\(text(Self.plotLeft))" y1="\(text(y))" x2="\(text(Self.plotRight))" y2="\(text(y))" \
                stroke="\(isZero ? "#6b747d" : "#dfe3e8")" stroke-width="\(isZero ? "1.2" : "0.8")"/>
                <text x="\(text(Self.plotLeft - 9))" y="\(text(y + 4))" font-size="12" text-anchor="end" \
                fill="#5b646d">\(tick > 0 && panel.low < 0 ? "+\(tick)" : tick < 0 ? "−\(-tick)" : "\(tick)")</text>
                """
        }
        let middle = panel.top + panel.height / 2
        parts.append(
            """
            <text transform="translate(28 \(text(middle))) rotate(-90)" font-size="13" text-anchor="middle" \
            fill="#3c4248">\(escaped(panel.title))</text>
            <clipPath id="panel\(text(panel.top))"><rect x="\(text(Self.plotLeft))" y="\(text(panel.top))" \
            width="\(text(Self.plotRight - Self.plotLeft))" height="\(text(panel.height))"/></clipPath>
            """
        )
        return parts.joined(separator: "\n")
    }

    private var timeAxis: String {
        let bottom = between.top + between.height
        let seconds = (endMs - originMs) / 1000
        let step: Int64 = seconds > 60 ? 10 : seconds > 12 ? 5 : 1
        var parts = stride(from: Int64(0), through: seconds, by: Int(step)).map { second in
            let x = x(originMs + second * 1000)
            return """
                <line x1="\(text(x))" y1="\(text(bottom))" x2="\(text(x))" y2="\(text(bottom + 5))" stroke="#6b747d"/>
                <text x="\(text(x))" y="\(text(bottom + 20))" font-size="12" text-anchor="middle" \
                fill="#5b646d">\(second)</text>
                """
        }
        let middle = (Self.plotLeft + Self.plotRight) / 2
        parts.append(
            """
            <text x="\(text(middle))" y="\(text(bottom + 42))" font-size="13" text-anchor="middle" \
            fill="#3c4248">seconds since the demo began</text>
            <text x="\(text(Self.plotLeft))" y="\(text(bottom + 76))" font-size="12" fill="#5b646d">\
            Above: where each player is against the room, one line a player. The green band is ±150 ms; whoever is more \
            than 350 ms off is nudged by 4 %, more than 2 s off is sought.</text>
            <text x="\(text(Self.plotLeft))" y="\(text(bottom + 94))" font-size="12" fill="#5b646d">\
            Below: the largest distance between two players, read from all of them in one pass every \
            \(DemoStage.sampleMs) ms. The dashed line is the bound of 150 ms.</text>
            """
        )
        return parts.joined(separator: "\n")
    }

    /// The band and the line of the bound of 150 ms.
    private var limits: String {
        let (top, bottom) = (around.y(Self.limitMs), around.y(-Self.limitMs))
        let bound = between.y(Self.limitMs)
        return """
            <rect x="\(text(Self.plotLeft))" y="\(text(top))" width="\(text(Self.plotRight - Self.plotLeft))" \
            height="\(text(bottom - top))" fill="#009e73" fill-opacity="0.10"/>
            <line x1="\(text(Self.plotLeft))" y1="\(text(bound))" x2="\(text(Self.plotRight))" y2="\(text(bound))" \
            stroke="#009e73" stroke-width="1.4" stroke-dasharray="7 5"/>
            """
    }

    /// A line through the values of the samples, interrupted where there is none.
    private func line(_ panel: Panel, color: String, _ value: (DemoSample) -> Double?) -> String {
        var path = ""
        var last: (x: Double, y: Double)?
        for sample in report.log.samples(fromMs: originMs, toMs: endMs) {
            guard let value = value(sample) else {
                last = nil
                continue
            }
            // Far outside the panel all is the same; the limit keeps the numbers short.
            let y = min(max(panel.y(value), panel.top - 200), panel.top + panel.height + 200)
            let x = x(sample.atMs)
            if let last, abs(x - last.x) < 0.7, abs(y - last.y) < 0.7 { continue }
            path += "\(last == nil ? "M" : "L")\(text(x)) \(text(y))"
            last = (x, y)
        }
        guard !path.isEmpty else { return "" }
        return """
            <path d="\(path)" fill="none" stroke="\(color)" stroke-width="1.8" stroke-linejoin="round" \
            stroke-opacity="0.9" clip-path="url(#panel\(text(panel.top)))"/>
            """
    }

    private func x(_ timeMs: Int64) -> Double {
        let share = Double(timeMs - originMs) / Double(endMs - originMs)
        return Self.plotLeft + share * (Self.plotRight - Self.plotLeft)
    }

    /// A number with at most one digit behind the point.
    private func text(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(Double(tenths) / 10)"
    }

    private func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            default: result.append(character)
            }
        }
        return result
    }
}
