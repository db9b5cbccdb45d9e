// OpenWatchParty for Swift. See LICENSE.

import OWPPlayerMPV
import Testing

@testable import OWPSimulation

@Suite("Networks and clocks of a simulation")
struct NetworkPathTests {
    @Test("TCP keeps the order, whatever is lost")
    func order() {
        var random = SplitMix(seed: 7)
        let path = NetworkPath(
            NetworkProfile(name: "bad", summary: "", latencyMs: 50, jitterMs: 200, loss: 0.3),
            using: &random
        )
        var line = TCPLine()
        var last: Int64 = -1
        for sentUs in stride(from: Int64(0), to: 10_000_000, by: 10_000) {
            let delayUs = path.delayUs(up: true, using: &random)
            let arrivalUs = line.arrivalUs(sentUs: sentUs, delayUs: delayUs)
            #expect(arrivalUs > last && arrivalUs >= sentUs + delayUs)
            last = arrivalUs
        }
    }

    @Test("What is sent during an outage comes after it, by a retransmission")
    func outage() {
        var random = SplitMix(seed: 7)
        var path = NetworkPath(NetworkProfile(name: "n", summary: "", latencyMs: 10), using: &random)
        path.goAway(atUs: 1_000_000, forMs: 2000, breaking: false)
        let outage = path.outage
        // Timeouts of 200, 400, 800 and 1600 ms: the fourth one falls after the 2000 ms.
        #expect(outage?.resumesUs == 4_000_000)
        var line = TCPLine()
        line.hold(untilUs: outage?.resumesUs ?? 0)
        #expect(line.arrivalUs(sentUs: 1_500_000, delayUs: 10_000) == 4_010_000)
        // A connection that is opened meanwhile tries again after 1, 3 and 7 s.
        #expect(path.firstRetryUs(fromUs: 1_500_000) == 4_500_000)
    }

    @Test("A profile's numbers are what its messages take on average")
    func average() {
        var random = SplitMix(seed: 1)
        let profile = NetworkProfile(name: "n", summary: "", latencyMs: 100, jitterMs: 40)
        var sumUs: Int64 = 0
        for _ in 0..<2000 {
            sumUs += NetworkPath(profile, using: &random).delayUs(up: true, using: &random)
        }
        #expect((137_000...143_000).contains(sumUs / 2000))
    }

    @Test("A clock shows each ms from a certain time on", arguments: [-10_000, -50, 0, 50, 10_000] as [Int64])
    func clock(skewPpm: Int64) {
        let clock = SkewedClock(originMs: 123_456, skewPpm: skewPpm)
        #expect(clock.localMs(atUs: 0) == 123_456)
        #expect(clock.localMs(atUs: 1_000_000_000) == 123_456 + 1_000_000 + skewPpm)
        for localMs in stride(from: Int64(123_457), through: 90_000_000, by: 7_777_777) {
            let timeUs = clock.timeUs(atLocalMs: localMs)
            #expect(clock.localMs(atUs: timeUs) == localMs)
            #expect(clock.localMs(atUs: timeUs - 1) == localMs - 1)
        }
    }

    @Test("There are ten profiles, each with a name of its own")
    func profiles() {
        #expect(NetworkProfile.all.count == 10)
        #expect(Set(NetworkProfile.all.map(\.name)).count == 10)
        #expect(NetworkProfile.named("hotel")?.dropsPerHour == 6)
    }
}
