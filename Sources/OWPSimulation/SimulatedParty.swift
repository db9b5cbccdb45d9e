// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPParty
import OWPPlayerMPV
import OWPRelay

/// One party in virtual time: its people, their networks and the relay's room.
///
/// Time is in µs from the party's beginning. Messages go as the texts that go over a socket, so both sides' readers and
/// writers take part.
struct SimulatedParty {
    let plan: SimulationPlan
    /// The party's number, from 0.
    let number: Int
    let log: (@Sendable (String) -> Void)?

    var random: SplitMix
    var queue = EventQueue<Happening>()
    var nowUs: Int64 = 0
    var people: [SimulatedPerson] = []
    var wires: [Wire] = []
    var room: RelayRoom?
    /// When the room has planned its next timer for, and which plan that is.
    var roomTimer: (dueMs: Int64, plan: Int)?
    var lastRoomPlan = 0
    var lastToken = 0
    /// How many titles the party has shared.
    var titles = 0
    /// The room's code, once there is one.
    var code: String?
    var watch = PartyWatch()
    var figures = SimulationFigures()

    /// A party of a plan, drawn from the plan's seed and its own number.
    init(_ plan: SimulationPlan, number: Int, log: (@Sendable (String) -> Void)? = nil) {
        self.plan = plan
        self.number = number
        self.log = log
        var seeds = SplitMix(seed: plan.seed)
        random = SplitMix(seed: seeds.next() ^ (UInt64(number) &* 0xD134_2543_DE82_EF95))
        for place in 0..<plan.people { people.append(makePerson(place)) }
        gather()
    }

    /// Lives through the party.
    ///
    /// - Returns: What it came to; nil when the task was cancelled.
    mutating func run() -> SimulationFigures? {
        var steps = 0
        while let next = queue.take(), next.timeUs < plan.endUs {
            steps += 1
            if steps.isMultiple(of: 1000), Task.isCancelled { return nil }
            nowUs = next.timeUs
            happen(next.event)
        }
        figures.mostSeeks = people.map(\.seeks).max() ?? 0
        return figures
    }

    private mutating func happen(_ event: Happening) {
        switch event {
        case .comes(let person): comes(person)
        case .somebodyActs: somebodyActs()
        case .acts(let person): acts(person)
        case .outage(let person): beginOutage(of: person)
        case .outageEnds(let person): endOutage(of: person)
        case .timer(let person, let timer, let start):
            guard people[person].timers[timer] == start else { return }
            people[person].timers[timer] = nil
            give(.timerFired(timer), to: person)
        case .attaches(let person, let adapter): attaches(adapter, of: person)
        case .commandEnds(let person, let adapter): commandEnded(adapter, of: person)
        case .playerChanges(let person, let adapter, let plan): playerChanged(adapter, of: person, plan: plan)
        case .resolved(let person, let work): answerSearch(work, of: person)
        case .opens(let wire): opened(wire)
        case .openFails(let wire): openFailed(wire)
        case .toRelay(let wire, let text): arrivedAtRelay(text, on: wire)
        case .toPerson(let wire, let text): arrivedAtPerson(text, on: wire)
        case .endsForRelay(let wire): endedForRelay(wire)
        case .endsForPerson(let wire, let code): endedForPerson(wire, code: code)
        case .roomTimer(let plan): roomTimerFired(plan)
        case .relaySilence(let wire): checkSilence(of: wire)
        case .look: look()
        }
    }

    // MARK: Time

    /// The relay's clock at its start, in ms.
    static let relayOriginMs: Int64 = 1_700_000_000_000

    /// Relay time now, in ms.
    var relayMs: Int64 { Self.relayOriginMs + nowUs / 1000 }

    /// Plans an event after a number of ms.
    mutating func schedule(_ event: Happening, afterMs delayMs: Int64) {
        queue.plan(event, atUs: nowUs + delayMs * 1000)
    }

    /// Draws a time until the next of events that come so many times an hour, in ms; nil when they never do.
    mutating func drawGapMs(perHour: Double) -> Int64? {
        guard perHour > 0 else { return nil }
        let mean = 3_600_000 / perHour
        // Evenly up to twice the mean, as the simulated player's stalls.
        return Int64(Double.random(in: 0..<2 * mean, using: &random)) + 1
    }

    /// Writes what happens, for whoever reads along.
    func note(_ text: @autoclosure () -> String) {
        guard let log else { return }
        let tenths = nowUs / 100_000
        log("\(tenths / 600):\(tenths / 10 % 60 < 10 ? "0" : "")\(tenths / 10 % 60).\(tenths % 10)  \(text())")
    }
}
