// OpenWatchParty for Swift. See LICENSE.

import OWPRelay
import Testing

@testable import OWPSimulation

@Suite("Parties in virtual time")
struct SimulationTests {
    /// A plan of a few small parties.
    private func plan(_ change: (inout SimulationPlan) -> Void) -> SimulationPlan {
        var plan = SimulationPlan()
        (plan.parties, plan.minutes, plan.people) = (4, 4, 3)
        change(&plan)
        return plan
    }

    private func figures(of plan: SimulationPlan, threads: Int = 2) async -> SimulationFigures {
        await Simulation.run(plan, threads: threads).figures
    }

    @Test("A seed gives the same figures on one core and on many, and another seed others")
    func deterministic() async {
        var plan = plan { $0.network = NetworkProfile.named("mixed") ?? $0.network }
        plan.network.dropsPerHour = 20
        let alone = await figures(of: plan, threads: 1)
        #expect(await figures(of: plan, threads: 3) == alone)
        #expect(alone.playing.count > 0 && alone.inputs > 0)
        plan.seed = 2
        #expect(await figures(of: plan) != alone)
    }

    @Test("Without anything that goes wrong, players stay within the deadband, and are not nudged (section 11.2)")
    func perfect() async throws {
        let plan = plan {
            $0.parties = 8
            $0.network = NetworkProfile(name: "none", summary: "", latencyMs: 0)
            ($0.skewPpm, $0.stallsPerHour, $0.misfortune) = (0, 0, 0)
        }
        let figures = await figures(of: plan)
        #expect(figures.faults == [])
        // Starts take 10 to 50 ms, and a seek's lead of 250 ms is too short for a room that plays at 1.5.
        #expect(figures.settled.count > 1000)
        #expect(try #require(figures.settled.percentile(0.5)) <= 40)
        #expect(figures.settled.max <= 350)
        #expect(figures.nudges == 0)
        #expect(figures.stalls == 0)
    }

    @Test("On every network players keep together, and no room stands still", arguments: NetworkProfile.all)
    func networks(network: NetworkProfile) async throws {
        let figures = await figures(of: plan { ($0.parties, $0.network) = (2, network) })
        #expect(figures.faults == [])
        // Two players that section 11.2 leaves alone are at most 2 × 350 ms apart.
        #expect(try #require(figures.settled.percentile(0.9)) <= 700)
        #expect(figures.starts.reduce(0) { $0 + $1.count } > 0)
    }

    @Test("A relay that waits for ever is found out")
    func planted() async {
        let figures = await figures(
            of: plan {
                ($0.parties, $0.minutes, $0.misfortune) = (6, 8, 0.6)
                ($0.stallsPerHour, $0.actsPerHour) = (30, 5)
                ($0.roomTimes.waitLimitMs, $0.roomTimes.firstWaitLimitMs) = (1 << 40, 1 << 40)
            }
        )
        #expect(figures.faults.contains { $0.kind == .roomStoodStill })
    }

    @Test("The same with the protocol's times is in order")
    func unplanted() async {
        let figures = await figures(
            of: plan {
                ($0.parties, $0.minutes, $0.misfortune) = (6, 8, 0.6)
                ($0.stallsPerHour, $0.actsPerHour) = (30, 5)
            }
        )
        #expect(figures.faults == [])
    }

    @Test("FR-21: slow seeks are repeated without end unless they are declared", arguments: [true, false])
    func slowSeeks(canSetRate: Bool) async {
        var plan = plan {
            ($0.parties, $0.actsPerHour, $0.stallsPerHour, $0.misfortune) = (2, 0, 60, 1)
            ($0.seekCostMs, $0.canSetRate) = (canSetRate ? 3000 : 1700, canSetRate)
        }
        let declared = await figures(of: plan)
        plan.declaresSeekCost = false
        let hidden = await figures(of: plan)
        #expect(hidden.mostSeeks > 10, "\(hidden.mostSeeks)")
        #expect(declared.mostSeeks <= 6, "\(declared.mostSeeks)")
        #expect(hidden.faults == [] && declared.faults == [])
    }

    @Test("A cancelled simulation ends, and tells how far it came")
    func cancelled() async {
        let plan = plan { $0.parties = 1000 }
        let work = Task { await Simulation.run(plan, threads: 1) }
        work.cancel()
        #expect(await work.value.parties < 1000)
    }
}
