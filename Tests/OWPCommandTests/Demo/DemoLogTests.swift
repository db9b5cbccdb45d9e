// OpenWatchParty for Swift. See LICENSE.

import Testing

@testable import OWPCommand

@Suite("What the demo measures")
struct DemoLogTests {
    /// A log of players at positions by time, read every 20 ms.
    private func log(untilMs end: Int64, _ positions: [(Int64) -> Int64?]) -> DemoLog {
        var log = DemoLog()
        for at in stride(from: Int64(0), through: end, by: 20) {
            log.append(DemoSample(atMs: at, players: positions.map { $0(at).map { .init(positionMs: $0) } }))
        }
        return log
    }

    @Test("A playing player moves, a standing or jumping one does not")
    func moving() {
        let log = log(untilMs: 1000, [{ $0 }, { _ in 5000 }, { $0 < 980 ? $0 : $0 + 60_000 }, { _ in nil }])
        #expect(log.isMoving(seat: 0) && !log.isStill(seat: 0))
        #expect(!log.isMoving(seat: 1) && log.isStill(seat: 1))
        #expect(!log.isMoving(seat: 2) && !log.isStill(seat: 2))
        #expect(!log.isMoving(seat: 3) && !log.isStill(seat: 3))
    }

    @Test("The speed is that of the positions, and unknown before there are enough")
    func speed() throws {
        let fast = log(untilMs: 600, [{ $0 * 5 / 4 }])
        #expect(try #require(fast.speed(ofSeat: 0)) == 1.25)
        #expect(log(untilMs: 180, [{ $0 }]).speed(ofSeat: 0) == nil)
        #expect(DemoLog().speed(ofSeat: 0) == nil)
    }

    @Test("A player that shows no frame does not count")
    func hidden() {
        var log = DemoLog()
        for at in stride(from: Int64(0), through: 400, by: 20) {
            log.append(DemoSample(atMs: at, players: [.init(positionMs: at, shown: false), .init(positionMs: at)]))
        }
        #expect(!log.isMoving(seat: 0) && log.isMoving(seat: 1))
        #expect(log.samples.last?.distanceMs == nil)
    }

    @Test("The distance is that of the outermost two")
    func distance() {
        let sample = DemoSample(
            atMs: 0,
            players: [.init(positionMs: 100), nil, .init(positionMs: -40), .init(positionMs: 60)]
        )
        #expect(sample.distanceMs == 140)
        #expect(DemoSample(atMs: 0, players: [.init(positionMs: 100)]).distanceMs == nil)
    }

    @Test("A player's distance to the others is to the middle of them, over half a second")
    func distanceToOthers() throws {
        let log = log(untilMs: 2000, [{ $0 + 30 }, { $0 - 10 }, { $0 - ($0 % 40 == 0 ? 102 : 98) }])
        #expect(abs(try #require(log.distanceToOthers(ofSeat: 2)) + 110) < 1)
        #expect(self.log(untilMs: 400, [{ $0 }, { $0 }]).distanceToOthers(ofSeat: 0) == nil)
        #expect(self.log(untilMs: 2000, [{ $0 }, { _ in nil }]).distanceToOthers(ofSeat: 0) == nil)
    }

    @Test("Percentiles are nearest ranks")
    func percentiles() throws {
        let hundred = try #require(Distances(Array(1...100)))
        #expect((hundred.p50Ms, hundred.p95Ms, hundred.maxMs) == (50, 95, 100))
        let one = try #require(Distances([7]))
        #expect((one.p50Ms, one.p95Ms, one.maxMs) == (7, 7, 7))
        #expect(Distances([]) == nil)
    }

    @Test("A stretch of time holds both its ends")
    func stretch() {
        let log = log(untilMs: 100, [{ $0 }, { $0 + $0 / 10 }])
        #expect(log.samples(fromMs: 20, toMs: 60).map(\.atMs) == [20, 40, 60])
        #expect(log.samples(fromMs: 21, toMs: 39).isEmpty)
        #expect(log.samples(fromMs: 200, toMs: 100).isEmpty)
        #expect(log.distances(fromMs: 0, toMs: 100)?.maxMs == 10)
    }

    @Test("A condition counts from where it came true to stay")
    func steady() {
        var run = SteadyRun(holdMs: 100)
        #expect(run.offer(true, atMs: 0) == nil)
        #expect(run.offer(false, atMs: 60) == nil)
        #expect(run.sinceMs == nil)
        #expect(run.offer(true, atMs: 80) == nil)
        #expect(run.offer(true, atMs: 179) == nil)
        #expect(run.offer(true, atMs: 180) == 80)
        var atOnce = SteadyRun(holdMs: 0)
        #expect(atOnce.offer(true, atMs: 5) == 5)
    }
}
