// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OWPRelay
import OWPSimulation

/// The options of `owp simulate`.
enum SimulateOption {
    static let all = [
        Option("--profile", "NAME", help: "The network: one of those above, or all of them in turn (fibre)."),
        Option("--parties", "N", help: "How many parties (100)."),
        Option("--minutes", "M", help: "How long each of them lasts (10)."),
        Option("--people", "P", help: "How many people there are in each (4)."),
        Option("--latency", "MS", help: "One way to the relay; a person's own is 0.5 to 1.5 times that."),
        Option("--asymmetry", "MS", help: "How much the way up and the way down differ at most."),
        Option("--jitter", "MS", help: "What is added to a message on average; long delays become ever rarer."),
        Option("--loss", "P", help: "The share of messages that are lost and sent again, from 0 to 0.5."),
        Option("--drops", "PER_HOUR", help: "How often each network goes away; half of the times connections break."),
        Option("--outage", "MS", help: "How long it stays away on average."),
        Option("--skew", "PPM", help: "How wrong clocks run at most: the people's and their players' (50)."),
        Option("--seek-cost", "MS", help: "How long a seek takes on average (120)."),
        Option("--hide-seek-cost", help: "Players do not declare slow seeks, as an adapter that measures nothing."),
        Option("--no-rate", help: "Players cannot change their speed."),
        Option("--stalls", "PER_HOUR", help: "How often a player's input runs dry in an hour of playing (3)."),
        Option("--acts", "PER_HOUR", help: "How often somebody of a party presses something (40)."),
        Option("--seed", "N", help: "Draw everything from this number (1)."),
        Option("--threads", "N", help: "How many parties are under way at a time (one for each core)."),
        Option("--break", "wait-limit", help: "Let the relay wait for ever, and see that the simulation finds it."),
        Option("--log", "N", help: "Simulate party N alone, as it is among the others, and tell what happens in it."),
        Option("--json", help: "One JSON object a line, one for each profile."),
    ]
}

/// What a command line asks for.
struct SimulateJob: Sendable {
    /// One plan for each profile.
    let plans: [SimulationPlan]
    let threads: Int
    let isJSON: Bool
    let isLogging: Bool

    /// Reads the command line.
    ///
    /// - Throws: ``UsageError`` for what cannot be simulated.
    init(_ arguments: Arguments) throws(UsageError) {
        if let operand = arguments.operands.first {
            throw UsageError("'\(plainText(operand))' is not understood; everything is an option")
        }
        var plan = SimulationPlan()
        func whole(_ name: String, in range: ClosedRange<Int64>, or value: Int) throws(UsageError) -> Int {
            try arguments.integer(name, in: range).map { Int($0) } ?? value
        }
        plan.parties = try whole("--parties", in: 1...1_000_000, or: plan.parties)
        plan.minutes = try whole("--minutes", in: 1...1440, or: plan.minutes)
        plan.people = try whole("--people", in: 1...50, or: plan.people)
        plan.skewPpm = try arguments.integer("--skew", in: 0...10_000) ?? plan.skewPpm
        plan.seekCostMs = try arguments.integer("--seek-cost", in: 0...60_000) ?? plan.seekCostMs
        plan.declaresSeekCost = !arguments.has("--hide-seek-cost")
        plan.canSetRate = !arguments.has("--no-rate")
        plan.stallsPerHour = try arguments.number("--stalls", in: 0...3600) ?? plan.stallsPerHour
        plan.actsPerHour = try arguments.number("--acts", in: 0...36_000) ?? plan.actsPerHour
        if let seed = try arguments.integer("--seed", in: 0...Int64.max) { plan.seed = UInt64(seed) }
        if let number = try arguments.integer("--log", in: 1...1_000_000) {
            guard number <= plan.parties else {
                throw UsageError("there is no party \(number) of \(plan.parties); --parties says how many there are")
            }
            (plan.firstParty, plan.parties) = (Int(number) - 1, 1)
        }
        if let fault = arguments.text("--break") {
            guard fault == "wait-limit" else {
                throw UsageError("--break takes 'wait-limit', not '\(plainText(fault))'")
            }
            plan.roomTimes.waitLimitMs = 1 << 40
            plan.roomTimes.firstWaitLimitMs = 1 << 40
            // So that somebody keeps a room waiting in every few parties.
            plan.misfortune = 0.5
        }
        var plans: [SimulationPlan] = []
        for network in try Self.networks(arguments) {
            plan.network = network
            plans.append(plan)
        }
        self.plans = plans
        threads = try whole("--threads", in: 1...1024, or: ProcessInfo.processInfo.activeProcessorCount)
        isJSON = arguments.has("--json")
        isLogging = arguments.text("--log") != nil
        if isLogging, isJSON { throw UsageError("--log and --json exclude each other") }
    }

    /// The networks of the profile asked for, with what is typed in place of its own.
    private static func networks(_ arguments: Arguments) throws(UsageError) -> [NetworkProfile] {
        let name = arguments.text("--profile") ?? "fibre"
        let names = NetworkProfile.all.map(\.name)
        let asked = name == "all" ? NetworkProfile.all : NetworkProfile.all.filter { $0.name == name }
        if asked.isEmpty {
            throw UsageError(
                "there is no profile '\(plainText(name))'; there are \(names.joined(separator: ", ")), and all"
            )
        }
        let latency = try arguments.number("--latency", in: 0...5000)
        let asymmetry = try arguments.number("--asymmetry", in: 0...5000)
        let jitter = try arguments.number("--jitter", in: 0...5000)
        let loss = try arguments.number("--loss", in: 0...0.5)
        let drops = try arguments.number("--drops", in: 0...3600)
        let outage = try arguments.integer("--outage", in: 1...600_000)
        let isChanged =
            latency != nil || asymmetry != nil || jitter != nil || loss != nil || drops != nil || outage != nil
        if isChanged, asked.contains(where: { $0.name == "mixed" }) {
            throw UsageError("\(name) means different networks; give --latency and its like with one of the others")
        }
        return asked.map { profile in
            var network = profile
            network.latencyMs = latency ?? network.latencyMs
            network.asymmetryMs = asymmetry ?? network.asymmetryMs
            network.jitterMs = jitter ?? network.jitterMs
            network.loss = loss ?? network.loss
            network.dropsPerHour = drops ?? network.dropsPerHour
            if let outage { network.outageMs = max(1, outage / 2)...max(1, outage * 3 / 2) }
            return network
        }
    }
}

extension NetworkProfile {
    /// The profile in a line: its name, what it is like, and what it stands for.
    var line: String {
        guard name != "mixed" else { return "\(name.padding(to: 10))\("".padding(to: 36))\(summary)" }
        let figures = "\(plain(latencyMs)) ms, + \(plain(jitterMs)) ms, \(plain(loss * 100)) %, \(plain(dropsPerHour))"
        return "\(name.padding(to: 10))\(figures.padding(to: 36))\(summary)"
    }

    private func plain(_ number: Double) -> String {
        number == number.rounded() ? "\(Int(number))" : "\((number * 1000).rounded() / 1000)"
    }
}
