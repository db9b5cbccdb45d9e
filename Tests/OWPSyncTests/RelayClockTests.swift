// OpenWatchParty for Swift. See LICENSE.

import OWPSync
import Testing

@Suite("Relay clock (section 5)")
struct RelayClockTests {
    /// Runs a clock on time, and notes when it sent which ping.
    private func pings(openedAtMs: Int64, count: Int) -> [[Int64]] {
        var clock = RelayClock(openedAtMs: openedAtMs)
        return (0..<count).map { _ in
            let dueMs = clock.nextPingAtMs
            return [dueMs] + clock.pingsDue(atLocalMs: dueMs)
        }
    }

    @Test("FR-18: pings leave at 0, 500, 1000, 5000, 10000 and then every 5000 after the open, with IDs from 1")
    func schedule() {
        let expected: [[Int64]] = [
            [70, 1], [570, 2], [1070, 3], [5070, 4], [10_070, 5], [15_070, 6], [20_070, 7],
        ]
        #expect(pings(openedAtMs: 70, count: 7) == expected)
    }

    @Test("No ping leaves before it is due")
    func early() {
        var clock = RelayClock(openedAtMs: 70)
        #expect(clock.pingsDue(atLocalMs: 69) == [])
        #expect(clock.pingsDue(atLocalMs: 70) == [1])
        #expect(clock.pingsDue(atLocalMs: 569) == [])
        #expect(clock.pingsDue(atLocalMs: 570) == [2])
    }

    @Test(
        "A late caller gets one ping, and the later ones stay on the grid of the open",
        arguments: [(1, 500), (499, 500), (500, 1000), (999, 1000), (1000, 5000), (4999, 5000), (5000, 10_000)]
            + [(9999, 10_000), (3_600_000, 3_605_000)] as [(Int64, Int64)]
    )
    func late(_ lateMs: Int64, _ nextMs: Int64) {
        var clock = RelayClock(openedAtMs: 70)
        #expect(clock.pingsDue(atLocalMs: 70 + lateMs) == [1])
        #expect(clock.nextPingAtMs == 70 + nextMs)
        #expect(clock.pingsDue(atLocalMs: 70 + nextMs) == [2])
    }

    @Test("A pong answers a ping that the clock sent itself")
    func answered() {
        var clock = RelayClock(openedAtMs: 100)
        #expect(clock.pingsDue(atLocalMs: 103) == [1])
        #expect(clock.pong(id: 1, serverTimeMs: 5000, atLocalMs: 113) == .accepted)
        #expect(clock.best == ClockSample(offsetMs: 4892, rttMs: 10))
        #expect(clock.pong(id: 1, serverTimeMs: 5000, atLocalMs: 113) == .ignored)
    }

    @Test("FR-20: relay time is local time plus the best offset, whatever the wall clock says")
    func relayTime() {
        var clock = RelayClock(openedAtMs: 1_000_000)
        #expect(clock.relayMs(atLocalMs: 1_000_000) == nil)
        #expect(clock.pingsDue(atLocalMs: 1_000_000) == [1])
        #expect(clock.pong(id: 1, serverTimeMs: 1_733_000_000_020, atLocalMs: 1_000_040) == .accepted)
        #expect(clock.best == ClockSample(offsetMs: 1_732_999_000_000, rttMs: 40))
        #expect(clock.relayMs(atLocalMs: 1_000_040) == 1_733_000_000_040)
    }

    @Test("Pings that nobody answers do not pile up")
    func unanswered() {
        var clock = RelayClock(openedAtMs: 0)
        var sizes: Set<Int> = []
        for _ in 0..<100 {
            _ = clock.pingsDue(atLocalMs: clock.nextPingAtMs)
            sizes.insert(
                Mirror(reflecting: clock).descendant("unanswered").map { Mirror(reflecting: $0).children.count } ?? -1
            )
        }
        #expect(sizes == [1, 2, 3])
    }

    @Test("Times at the ends of the range never trap", arguments: [Int64.min, -1, 0, 1, .max])
    func extremes(_ one: Int64) {
        for other in [Int64.min, -1, 0, 1, .max] {
            for serverTimeMs in [Int64.min, 0, .max] {
                var clock = RelayClock(openedAtMs: one)
                _ = clock.pingsDue(atLocalMs: other)
                _ = clock.nextPingAtMs
                clock.pingSent(id: other, atLocalMs: one)
                _ = clock.pong(id: other, serverTimeMs: serverTimeMs, atLocalMs: other)
                clock.pingSent(id: 2, atLocalMs: other)
                _ = clock.pong(id: 2, serverTimeMs: one, atLocalMs: other)
                _ = clock.relayMs(atLocalMs: other)
            }
        }
    }

    @Test("The samples' names are the table's")
    func names() {
        #expect(PongResult.accepted.rawValue == "accepted")
        #expect(PongResult.stepped.rawValue == "stepped")
        #expect(PongResult.ignored.rawValue == "ignored")
    }
}
