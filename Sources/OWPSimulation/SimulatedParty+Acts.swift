// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPParty

// What people do: come, press, go and come again.

extension SimulatedParty {
    /// Plans how everyone comes, when networks go away, and who presses what.
    mutating func gather() {
        schedule(.comes(person: 0), afterMs: 0)
        // The host shares a title once most are there.
        schedule(.acts(person: 0), afterMs: 8000)
        for person in people.indices {
            if person > 0 {
                let isLate = draws(0.15)
                let latest = isLate ? Int64(plan.minutes) * 48_000 : 6000
                schedule(.comes(person: person), afterMs: Int64.random(in: 500...latest, using: &random))
            }
            planOutage(of: person)
        }
        planAct(afterMs: 10_000)
        schedule(.look, afterMs: 0)
    }

    /// Plans the next press of whoever is there.
    private mutating func planAct(afterMs delayMs: Int64 = 0) {
        guard let gapMs = drawGapMs(perHour: plan.actsPerHour) else { return }
        schedule(.somebodyActs, afterMs: delayMs + gapMs)
    }

    mutating func somebodyActs() {
        planAct()
        if let person = present.randomElement(using: &random) { acts(person) }
    }

    private var present: [Int] { people.indices.filter { people[$0].machine.state.connection == .connected } }

    mutating func acts(_ person: Int) {
        guard let phase = people[person].machine.state.room?.phase else {
            // The network was away as the host came, say.
            return schedule(.acts(person: person), afterMs: 2000)
        }
        switch phase {
        case .idle: share(person)
        case .paused: press(.play, person)
        case .waiting, .playing: disturb(person)
        }
    }

    private mutating func disturb(_ person: Int) {
        switch Double.random(in: 0..<1, using: &random) {
        case ..<0.45:
            // The same person plays again before long.
            if press(.pause, person) {
                schedule(.acts(person: person), afterMs: Int64.random(in: 2000...30_000, using: &random))
            }
        case ..<0.8: seek(person, byMs: Int64.random(in: -300_000...600_000, using: &random))
        case ..<0.88:
            // A room at another speed would have players that cannot change theirs sought all the time.
            if plan.canSetRate { press(.setRate([0.75, 1, 1, 1.25, 1.5].randomElement(using: &random) ?? 1), person) }
        case ..<0.92: share(person)
        case ..<0.95: seek(person, byMs: SimulationPlan.titleMs)
        default: if person > 0, present.count > 2 { leave(person) }
        }
    }

    /// Gives the person's press to the machine.
    ///
    /// - Returns: Whether the party took it.
    @discardableResult
    private mutating func press(_ input: PartyInput, _ person: Int) -> Bool {
        people[person].pressedUs = nowUs
        note("person \(person + 1): \(Self.word(input))")
        guard give(input, to: person) else { return false }
        figures.acts += 1
        return true
    }

    /// A press in the log.
    private static func word(_ input: PartyInput) -> String {
        switch input {
        case .setMedia(let media, _, _, _): "share \(media.title)"
        case .setControl(let control): "control to \(control)"
        default: "\(input)"
        }
    }

    private mutating func share(_ person: Int) {
        guard
            people[person].machine.state.room?.participants.first(where: \.host)?.peerId
                == people[person].machine.state.peerId
        else { return }
        titles += 1
        press(.setControl(.everyone), person)
        let media = Media(kind: .movie, title: "Title \(titles)", durationMs: SimulationPlan.titleMs)
        press(.setMedia(media, CandidateKey(titles), RefKey(titles), positionMs: 0), person)
    }

    private mutating func seek(_ person: Int, byMs distanceMs: Int64) {
        guard let hereMs = people[person].machine.roomPositionMs(atLocalMs: localMs(of: person)) else { return }
        let targetMs = min(max(0, hereMs + distanceMs), SimulationPlan.titleMs - 20_000)
        people[person].ownSeekMs = targetMs
        press(.seek(targetMs), person)
    }

    private mutating func leave(_ person: Int) {
        people[person].wantsIn = false
        press(.leave, person)
        schedule(.comes(person: person), afterMs: Int64.random(in: 5000...60_000, using: &random))
    }
}
