// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPParty
import OWPPlayerMPV
import OWPSync
import OWPWire

// The apps: they do what the machines say, open the title that is chosen, and search it.

extension SimulatedParty {
    private static let relay = RelaySource.only(
        Relay(id: "simulated", name: "Simulated", url: "http://127.0.0.1:8080", prefixes: codeAlphabet)
    )

    mutating func makePerson(_ place: Int) -> SimulatedPerson {
        let skew = -plan.skewPpm...plan.skewPpm
        var traits = SimulatedPlayerTraits(durationMs: SimulationPlan.titleMs)
        traits.driftPpm = Double(Int64.random(in: skew, using: &random))
        traits.seekCostMs = plan.seekCostMs * 4 / 5...plan.seekCostMs * 6 / 5
        traits.stallsPerHour = plan.stallsPerHour
        // A disk or a line that does not keep up.
        if draws(plan.misfortune) { traits.stallMs = 5000...60_000 }
        traits.canSetRate = plan.canSetRate
        let name = "Person \(place + 1)"
        guard let machine = try? PartyMachine(client: "Simulation/1", name: name, hasResolver: true) else {
            preconditionFailure("the name of a person is valid")
        }
        return SimulatedPerson(
            machine: machine,
            clock: SkewedClock(
                originMs: Int64.random(in: 0...1_000_000_000, using: &random),
                skewPpm: Int64.random(in: skew, using: &random)
            ),
            network: NetworkPath(plan.network.drawn(using: &random), using: &random),
            traits: traits
        )
    }

    /// Whether a chance of 0 to 1 comes true.
    mutating func draws(_ chance: Double) -> Bool { Double.random(in: 0..<1, using: &random) < chance }

    /// Local time of a person now, in ms.
    func localMs(of person: Int) -> Int64 { people[person].clock.localMs(atUs: nowUs) }

    /// Plans an event at a person's local time.
    mutating func schedule(_ event: Happening, of person: Int, atLocalMs localMs: Int64) {
        queue.plan(event, atUs: max(nowUs, people[person].clock.timeUs(atLocalMs: localMs)))
    }

    // MARK: The driver

    /// Gives inputs to a person's machine and does what it says; returns whether a command was taken.
    @discardableResult
    mutating func give(_ input: PartyInput, to person: Int) -> Bool {
        var inputs = [input]
        var next = 0
        while next < inputs.count {
            let effects = handle(inputs[next], by: person)
            if case .refuse? = effects.first { return false }
            for effect in effects { perform(effect, for: person, &inputs) }
            next += 1
        }
        return true
    }

    private mutating func handle(_ input: PartyInput, by person: Int) -> [PartyEffect] {
        figures.inputs += 1
        let now = localMs(of: person)
        var adapter = people[person].machine.attachedAdapter
        if case .attachPlayer(let attached, _) = input { adapter = attached }
        var reading: PlayerReading?
        if let adapter {
            reading = people[person].reading(of: adapter, atLocalMs: now, declaresSeekCost: plan.declaresSeekCost)
        }
        return people[person].machine.handle(input, atLocalMs: now, reading: reading)
    }

    private mutating func perform(_ effect: PartyEffect, for person: Int, _ inputs: inout [PartyInput]) {
        switch effect {
        case .finish(_, let result): finished(result, of: person)
        case .publish(let state): openChoice(of: state, by: person)
        case .emit(.ended): comeBack(person, afterMs: 5000)
        case .open(let key, _): open(key, of: person)
        case .send(let key, let message): send(message.text, on: key, of: person)
        case .close(let key): close(key, of: person)
        case .startTimer(let timer, let delayMs):
            people[person].lastTimer += 1
            let start = people[person].lastTimer
            people[person].timers[timer] = start
            let dueMs = localMs(of: person).saturatingAdd(delayMs)
            schedule(.timer(person: person, timer, start: start), of: person, atLocalMs: dueMs)
        case .cancelTimer(let timer): people[person].timers[timer] = nil
        case .drawRandom: inputs.append(.random(Double.random(in: 0..<1, using: &random)))
        case .resolve(let work, _):
            people[person].search = work
            schedule(.resolved(person: person, work), afterMs: Int64.random(in: 50...2000, using: &random))
        case .cancelWork: people[person].search = nil
        case .command(let adapter, let action): command(action, adapter, of: person)
        case .letGo(let adapter): people[person].players.removeAll { $0.adapter == adapter }
        case .refuse, .emit, .finishStreams, .refreshRelays, .relaysJoined, .probe: break
        }
    }

    // MARK: The app

    mutating func comes(_ person: Int) {
        people[person].wantsIn = true
        people[person].lastCall += 1
        let call = CallKey(people[person].lastCall)
        if let code {
            give(.join(call, code: code, create: true, Self.relay), to: person)
        } else if person == 0 {
            give(.create(call, Self.relay), to: person)
        } else {
            schedule(.comes(person: person), afterMs: 1000)
        }
    }

    private mutating func finished(_ result: CallResult, of person: Int) {
        switch result {
        case .created(let code): self.code = code
        case .failed: comeBack(person, afterMs: 3000)
        case .joined, .chose, .released, .partyClosed: break
        }
    }

    private mutating func comeBack(_ person: Int, afterMs delayMs: Int64) {
        if people[person].wantsIn { schedule(.comes(person: person), afterMs: delayMs) }
    }

    /// Opens the title that the party chose, unless it is open or being opened.
    private mutating func openChoice(of state: PublicState, by person: Int) {
        guard let title = state.choice?.number else { return }
        let attached = people[person].machine.attachedAdapter
        if let last = people[person].players.last, last.title == title, last.isOpening || last.adapter == attached {
            return
        }
        people[person].players.removeAll(where: \.isOpening)
        people[person].lastAdapter += 1
        let adapter = AdapterKey(people[person].lastAdapter)
        var traits = people[person].traits
        traits.durationMs += copyDeltaMs(of: title, by: person)
        // A disk that sleeps, a file on a far server.
        traits.openMs = draws(plan.misfortune / 2) ? 20_000...150_000 : 200...1500
        let now = localMs(of: person)
        var model = SimulatedPlayerModel(traits, seed: random.next(), openedAtMs: now)
        let openMs = model.nextChangeMs(atMs: now) ?? now
        people[person].players.append(SimulatedPerson.Player(adapter: adapter, title: title, model: model))
        schedule(.attaches(person: person, adapter), of: person, atLocalMs: openMs)
    }

    /// Attaches a player that has opened its title, as apps do, unless the party has chosen another one since.
    mutating func attaches(_ adapter: AdapterKey, of person: Int) {
        guard let place = people[person].players.firstIndex(where: { $0.adapter == adapter }) else { return }
        people[person].players[place].isOpening = false
        let title = people[person].players[place].title
        guard people[person].machine.state.choice?.number == title else {
            people[person].players.remove(at: place)
            return
        }
        expectChange(of: place, by: person)
        give(.attachPlayer(adapter, RefKey(title)), to: person)
    }

    /// How much longer a person's copy of a title is: everyone has another one.
    private func copyDeltaMs(of title: Int, by person: Int) -> Int64 { Int64((title * 7 + person * 5) % 11 - 5) * 200 }

    /// The number of a title, which its name ends with.
    func titleNumber(_ media: Media) -> Int? { Int(media.title.dropFirst("Title ".count)) }

    mutating func answerSearch(_ work: WorkKey, of person: Int) {
        guard people[person].search == work else { return }
        people[person].search = nil
        guard let media = people[person].machine.state.media, let title = titleNumber(media) else { return }
        let candidate = OfferedCandidate(
            key: CandidateKey(title),
            ref: RefKey(title),
            durationMs: media.durationMs + copyDeltaMs(of: title, by: person)
        )
        give(.resolved(work, [candidate]), to: person)
    }

    // MARK: The player

    private mutating func command(_ action: PlayerAction, _ adapter: AdapterKey, of person: Int) {
        guard let place = people[person].players.firstIndex(where: { $0.adapter == adapter }) else { return }
        count(action, of: person)
        let now = localMs(of: person)
        var doneMs = now
        switch action {
        case .pause: people[person].players[place].model.pause(atMs: now)
        case .setRate(let rate): people[person].players[place].model.setRate(rate, atMs: now)
        case .seek(let positionMs): doneMs = people[person].players[place].model.seek(to: positionMs, atMs: now)
        case .play:
            doneMs = people[person].players[place].model.play(atMs: now)
            people[person].players[place].isStarting = true
        }
        schedule(.commandEnds(person: person, adapter), of: person, atLocalMs: doneMs)
        expectChange(of: place, by: person)
    }

    mutating func commandEnded(_ adapter: AdapterKey, of person: Int) {
        if let place = people[person].players.firstIndex(where: { $0.adapter == adapter }) {
            people[person].players[place].isStarting = false
        }
        give(.commandEnded(adapter, nil), to: person)
    }

    /// Plans to tell the party when the player next changes by itself.
    private mutating func expectChange(of place: Int, by person: Int) {
        people[person].players[place].plan += 1
        let (adapter, plan) = (people[person].players[place].adapter, people[person].players[place].plan)
        guard let dueMs = people[person].players[place].model.nextChangeMs(atMs: localMs(of: person)) else { return }
        self.schedule(.playerChanges(person: person, adapter, plan: plan), of: person, atLocalMs: dueMs)
    }

    mutating func playerChanged(_ adapter: AdapterKey, of person: Int, plan: Int) {
        guard let place = people[person].players.firstIndex(where: { $0.adapter == adapter && $0.plan == plan }) else {
            return
        }
        expectChange(of: place, by: person)
        if people[person].machine.attachedAdapter == adapter { give(.playerChanged, to: person) }
    }
}
