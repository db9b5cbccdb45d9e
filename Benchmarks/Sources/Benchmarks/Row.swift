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

/// The nanoseconds one call of `body` takes: the best of many batches, after one to warm up.
///
/// The best, since whatever else the machine does only adds to it.
func nanoseconds(_ body: () -> Void) -> Double {
    let clock = ContinuousClock()
    var calls = 1
    // A batch long enough that reading the clock costs nothing.
    while true {
        let batch = clock.measure { for _ in 0..<calls { body() } }
        if batch > .milliseconds(10) || calls > 1 << 24 { break }
        calls *= 2
    }
    var best = Double.infinity
    for _ in 0..<40 {
        let batch = clock.measure { for _ in 0..<calls { body() } }
        best = min(best, Double(batch.components.attoseconds) / 1e9 + Double(batch.components.seconds) * 1e9)
    }
    return best / Double(calls)
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
