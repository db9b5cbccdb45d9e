// OpenWatchParty for Swift. See LICENSE.

import OWPRelay
import OWPRelayCheck
import Testing

@Suite("Our relay against the rules of the protocol", .serialized)
struct RelayCheckTests {
    private func results(
        _ scenarios: [CheckScenario],
        _ change: (inout RelayConfiguration) -> Void = { _ in }
    ) throws -> [CheckResult] {
        var configuration = RelayConfiguration()
        configuration.timerScale = 0.3
        configuration.maxConnectionsPerIP = 10_000
        configuration.maxRoomsPerIP = 10_000
        configuration.failedJoinsPerMinute = 100_000
        change(&configuration)
        let relay = try EmbeddedRelay.start(configuration)
        defer { relay.stop() }
        let checked = RelayUnderCheck(host: "127.0.0.1", port: relay.port, timerScale: configuration.timerScale)
        return CheckRunner.run(scenarios, against: checked)
    }

    @Test("It keeps every rule")
    func keepsAll() throws {
        #expect(CheckScenario.all.count >= 80)
        for result in try results(CheckScenario.all) {
            #expect(result.failure == nil, "\(result.section) \(result.rule)")
        }
    }

    /// A rule, and a relay that breaks it.
    struct Planted: Sendable, CustomTestStringConvertible {
        var rule: String
        var plant: @Sendable (inout RoomTimes) -> Void
        var testDescription: String { rule }
    }

    static let planted = [
        Planted(rule: "one who buffers for 800 ms stops the room") { $0.stallMs = 1 },
        Planted(rule: "a host that stays disconnected for 30 s is followed") { $0.hostGraceMs = 1 },
        Planted(rule: "after a start, a room waits at most 30 s, and goes on without who holds it") {
            $0.waitLimitMs = 1
        },
        Planted(rule: "after a seek, silence of those who are ready settles") { $0.settleMs = 1 },
    ]

    @Test("Planted faults are caught", arguments: planted)
    func catches(fault: Planted) throws {
        let scenarios = CheckScenario.all.filter { $0.rule == fault.rule }
        #expect(scenarios.count == 1)
        let faulty = try results(scenarios) { configuration in
            var times = RoomTimes(scale: configuration.timerScale)
            fault.plant(&times)
            configuration.roomTimes = times
        }
        #expect(faulty.allSatisfy { $0.failure != nil })
    }
}
