// OpenWatchParty for Swift. See LICENSE.

import Testing

@testable import OWPSimulation

@Suite("The queue of what is to happen")
struct EventQueueTests {
    @Test("The earliest comes first, and of two at one time the one planned first")
    func order() {
        var queue = EventQueue<Int>()
        let times: [Int64] = [5, 3, 5, 1, 3, 9, 1, 5, 0, 2]
        for (number, time) in times.enumerated() { queue.plan(number, atUs: time) }
        var taken: [Int] = []
        while let next = queue.take() {
            #expect(times[next.event] == next.timeUs)
            taken.append(next.event)
        }
        #expect(taken == [8, 3, 6, 9, 1, 4, 0, 2, 7, 5])
    }

    @Test("Percentiles are the smallest numbers that the share does not exceed")
    func percentiles() {
        var histogram = Histogram()
        #expect(histogram.percentile(0.5) == nil)
        for ms in 1...100 { histogram.add(Int64(ms)) }
        #expect([0.5, 0.95, 0.99, 1].map { histogram.percentile($0) } == [50, 95, 99, 100])
        var other = Histogram()
        other.add(700_000)
        other.add(-4)
        histogram.add(other)
        #expect(histogram.count == 102)
        #expect(histogram.max == 700_000)
        #expect(histogram.percentile(0) == 0)
    }
}
