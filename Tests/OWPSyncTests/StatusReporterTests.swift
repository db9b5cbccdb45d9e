// OpenWatchParty for Swift. See LICENSE.

import OWPSync
import Testing

@Suite("When a status is sent (section 10.3)")
struct StatusReporterTests {
    private static let ready = StatusValues(
        epoch: 4,
        player: .ready,
        match: Match(state: .matched, deltaMs: 0),
        offsetMs: 0
    )

    private func with(_ change: (inout StatusValues) -> Void) -> StatusValues {
        var values = Self.ready
        change(&values)
        return values
    }

    private func connected(sending values: StatusValues = ready, atLocalMs localMs: Int64) -> StatusReporter {
        var reporter = StatusReporter()
        reporter.connected()
        #expect(reporter.offer(values, atLocalMs: localMs) == .now)
        return reporter
    }

    @Test("Nothing is sent before the first joined")
    func before() {
        var reporter = StatusReporter()
        #expect(reporter.offer(Self.ready, atLocalMs: 0) == .never)
        #expect(reporter.offer(Self.ready, atLocalMs: 20_000) == .never)
    }

    @Test("A joined sends at once, and again after a reconnect, inside the spacing and with the same values")
    func joined() {
        var reporter = connected(atLocalMs: 1000)
        reporter.disconnected()
        #expect(reporter.offer(Self.ready, atLocalMs: 1010) == .never)
        reporter.connected()
        #expect(reporter.offer(Self.ready, atLocalMs: 1020) == .now)
    }

    @Test("A change of each value is sent once 250 ms have passed, and not before")
    func spacing() {
        let changes = [
            with { $0.player = .buffering },
            with { $0.match = nil },
            with { $0.match = Match(state: .matched, deltaMs: 1) },
            with { $0.match = Match(state: .mismatched, deltaMs: 0) },
            with { $0.offsetMs = 100 },
        ]
        for change in changes {
            var reporter = connected(atLocalMs: 1000)
            #expect(reporter.offer(change, atLocalMs: 1000) == .at(1250))
            #expect(reporter.offer(change, atLocalMs: 1249) == .at(1250))
            #expect(reporter.offer(change, atLocalMs: 1250) == .now)
            #expect(reporter.offer(change, atLocalMs: 1250) == .at(16_250))
        }
    }

    @Test("A change that is taken back inside the spacing is not sent")
    func takenBack() {
        var reporter = connected(atLocalMs: 1000)
        #expect(reporter.offer(with { $0.player = .buffering }, atLocalMs: 1100) == .at(1250))
        #expect(reporter.offer(Self.ready, atLocalMs: 1200) == .at(16_000))
        #expect(reporter.offer(Self.ready, atLocalMs: 1250) == .at(16_000))
    }

    @Test("The values at the end of the spacing are the ones sent")
    func latest() {
        var reporter = connected(atLocalMs: 1000)
        #expect(reporter.offer(with { $0.offsetMs = 100 }, atLocalMs: 1100) == .at(1250))
        #expect(reporter.offer(with { $0.offsetMs = 200 }, atLocalMs: 1250) == .now)
        #expect(reporter.offer(with { $0.offsetMs = 200 }, atLocalMs: 1251) == .at(16_250))
        #expect(reporter.offer(with { $0.offsetMs = 100 }, atLocalMs: 1251) == .at(1500))
    }

    @Test("Another epoch skips the spacing, and starts it again")
    func epoch() {
        var reporter = connected(atLocalMs: 1000)
        let other = with { $0.epoch = 3 }
        #expect(reporter.offer(other, atLocalMs: 1001) == .now)
        #expect(reporter.offer(Self.ready, atLocalMs: 1002) == .now)
        #expect(reporter.offer(with { $0.player = .loading }, atLocalMs: 1003) == .at(1252))
    }

    @Test("The heartbeat comes 15000 ms after the last status, whatever that was")
    func heartbeat() {
        var reporter = connected(atLocalMs: 1000)
        #expect(reporter.offer(Self.ready, atLocalMs: 1001) == .at(16_000))
        #expect(reporter.offer(Self.ready, atLocalMs: 15_999) == .at(16_000))
        #expect(reporter.offer(Self.ready, atLocalMs: 16_000) == .now)
        #expect(reporter.offer(Self.ready, atLocalMs: 16_000) == .at(31_000))
        let change = with { $0.player = .loading }
        #expect(reporter.offer(change, atLocalMs: 20_000) == .now)
        #expect(reporter.offer(change, atLocalMs: 31_000) == .at(35_000))
    }

    @Test("FR-01: ten minutes of pause are 40 heartbeats")
    func pause() {
        var reporter = connected(atLocalMs: 0)
        let sent = stride(from: Int64(500), through: 600_000, by: 500).filter {
            reporter.offer(Self.ready, atLocalMs: $0) == .now
        }
        #expect(sent == (1...40).map { $0 * 15_000 })
    }

    @Test("FR-23: buffering that flips every 100 ms sends at 0, 300, 600 and 900 ms only")
    func flipping() {
        var reporter = connected(atLocalMs: -1000)
        var sent: [Int64: PlayerState] = [:]
        var timerMs: Int64?
        for localMs in Int64(0)...1500 {
            let flips = localMs % 100 == 0 && localMs <= 900
            guard flips || localMs == timerMs else { continue }
            let buffering = localMs < 900 && localMs / 100 % 2 == 0
            let values = with { $0.player = buffering ? .buffering : .ready }
            switch reporter.offer(values, atLocalMs: localMs) {
            case .now:
                sent[localMs] = values.player
                timerMs = nil
            case .at(let dueMs): timerMs = dueMs
            case .never: Issue.record("the reporter is connected")
            }
        }
        #expect(sent == [0: .buffering, 300: .ready, 600: .buffering, 900: .ready])
    }

    @Test("Times at the ends of the range never trap", arguments: [Int64.min, 0, .max])
    func extremes(_ localMs: Int64) {
        for laterMs in [Int64.min, 0, .max] {
            var reporter = connected(atLocalMs: localMs)
            _ = reporter.offer(Self.ready, atLocalMs: laterMs)
            _ = reporter.offer(with { $0.offsetMs = .min }, atLocalMs: laterMs)
        }
    }
}
