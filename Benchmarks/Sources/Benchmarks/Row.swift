// OpenWatchParty for Swift. See LICENSE.

import Foundation

/// One line of the table: what something costs, against another way to do it.
struct Row {
    /// What was measured.
    var name: String
    /// Nanoseconds an operation.
    var nanoseconds: Double
    /// Bytes an operation, where a rate says something.
    var bytes: Int?
    /// How many times longer each other way took, by its name.
    var ratios: [(name: String, ratio: Double)] = []
    /// The ratio or the time to reach, in words.
    var goal: String = ""
}

/// The nanoseconds one call of `body` takes.
func nanoseconds(_ body: @escaping () -> Void) -> Double {
    nanoseconds(ofEach: [body])[0]
}

/// The nanoseconds one call of each body takes: the best of many short batches, which take turns.
///
/// The best, since whatever else the machine does only adds to it; taking turns, so that it adds to all alike.
func nanoseconds(ofEach bodies: [() -> Void]) -> [Double] {
    let clock = ContinuousClock()
    func batch(_ body: () -> Void, _ calls: Int) -> Double {
        let time = clock.measure { for _ in 0..<calls { body() } }.components
        return Double(time.seconds) * 1e9 + Double(time.attoseconds) / 1e9
    }
    let calls = bodies.map { body in
        var calls = 1
        // A millisecond: long enough that reading the clock costs nothing, short enough to stay undisturbed.
        while batch(body, calls) < 1e6, calls < 1 << 24 { calls *= 2 }
        return calls
    }
    var best = bodies.map { _ in Double.infinity }
    for _ in 0..<300 {
        for (index, body) in bodies.enumerated() {
            best[index] = min(best[index], batch(body, calls[index]) / Double(calls[index]))
        }
    }
    return best
}

/// Keeps the optimizer from leaving a result out.
@inline(never)
func keep<Value>(_ value: Value) {}

/// Prints the rows as a Markdown table.
func printTable(_ rows: [Row]) {
    print("| operation | time | rate | against others | goal |")
    print("| --- | ---: | ---: | --- | --- |")
    for row in rows {
        let time =
            row.nanoseconds < 10_000
            ? String(format: "%.0f ns", row.nanoseconds) : String(format: "%.1f µs", row.nanoseconds / 1000)
        let rate = row.bytes.map { String(format: "%.0f MB/s", Double($0) / row.nanoseconds * 1000) } ?? ""
        let ratios = row.ratios.map { String(format: "%.1f × \($0.name)", $0.ratio) }.joined(separator: ", ")
        print("| \(row.name) | \(time) | \(rate) | \(ratios) | \(row.goal) |")
    }
}
