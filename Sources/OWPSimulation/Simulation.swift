// OpenWatchParty for Swift. See LICENSE.

/// Many parties of one plan, on as many cores as wanted.
package enum Simulation {
    /// Simulates every party of a plan.
    ///
    /// - Parameters:
    ///   - plan: What is simulated.
    ///   - threads: How many parties are under way at a time, at least 1; the figures do not depend on it.
    ///   - log: Gets what happens, line by line; to be read, it takes a plan of one party.
    ///   - onParty: Told after each party how many are done.
    /// - Returns: The figures of all parties, and how many that is: fewer than planned when the task was cancelled.
    package static func run(
        _ plan: SimulationPlan,
        threads: Int,
        log: (@Sendable (String) -> Void)? = nil,
        onParty: @Sendable (Int) -> Void = { _ in }
    ) async -> (figures: SimulationFigures, parties: Int) {
        await withTaskGroup(of: (Int, SimulationFigures?).self) { group in
            var started = 0
            func start() {
                guard started < plan.parties else { return }
                let number = started
                started += 1
                group.addTask {
                    var party = SimulatedParty(plan, number: plan.firstParty + number, log: log)
                    return (number, party.run())
                }
            }
            for _ in 0..<max(1, threads) { start() }
            var total = SimulationFigures()
            var parties = 0
            // Added up in order, so that the list of faults is the same on every number of cores.
            var early: [Int: SimulationFigures] = [:]
            for await (number, figures) in group {
                guard let figures else { continue }
                early[number] = figures
                while let next = early.removeValue(forKey: parties) {
                    total.add(next)
                    parties += 1
                }
                onParty(parties)
                start()
            }
            return (total, parties)
        }
    }
}
