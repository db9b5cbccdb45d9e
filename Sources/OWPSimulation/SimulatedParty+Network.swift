// OpenWatchParty for Swift. See LICENSE.

import OWPParty
import OWPRelay

// The connections, and the networks under them.

extension SimulatedParty {
    // MARK: The person's side

    mutating func open(_ key: ConnectionKey, of person: Int) {
        wires.append(Wire(person: person, key: key))
        people[person].wires[key] = wires.count - 1
        planOpening(of: wires.count - 1)
    }

    private mutating func planOpening(of wire: Int) {
        let network = people[wires[wire].person].network
        if let outage = network.outage, outage.breaksConnections {
            schedule(.openFails(wire: wire), afterMs: 50)
        } else {
            let startUs = network.firstRetryUs(fromUs: nowUs)
            queue.plan(.opens(wire: wire), atUs: startUs + network.openingUs(using: &random))
        }
    }

    mutating func opened(_ wire: Int) {
        guard !wires[wire].isOverForPerson else { return }
        let person = wires[wire].person
        guard people[person].network.outage == nil else { return planOpening(of: wire) }
        wires[wire].isOpen = true
        wires[wire].heardUs = nowUs
        schedule(.relaySilence(wire: wire), afterMs: Self.relaySilenceMs)
        give(.opened(wires[wire].key), to: person)
    }

    mutating func openFailed(_ wire: Int) {
        guard !wires[wire].isOverForPerson else { return }
        endForPerson(wire)
        give(.openFailed(wires[wire].key, nil), to: wires[wire].person)
    }

    mutating func send(_ text: String, on key: ConnectionKey, of person: Int) {
        guard let wire = people[person].wires[key], wires[wire].isOpen else { return }
        queue.plan(.toRelay(wire: wire, text), atUs: arrivalAtRelayUs(on: wire))
    }

    mutating func close(_ key: ConnectionKey, of person: Int) {
        guard let wire = people[person].wires[key] else { return }
        endForPerson(wire)
        if wires[wire].isOpen { queue.plan(.endsForRelay(wire: wire), atUs: arrivalAtRelayUs(on: wire)) }
    }

    mutating func arrivedAtPerson(_ text: String, on wire: Int) {
        guard !wires[wire].isOverForPerson else { return }
        let heldUntilUs = wires[wire].down.heldUntilUs
        guard nowUs >= heldUntilUs else { return queue.plan(.toPerson(wire: wire, text), atUs: heldUntilUs) }
        figures.messages += 1
        give(.received(wires[wire].key, text), to: wires[wire].person)
    }

    mutating func endedForPerson(_ wire: Int, code: Int?) {
        guard !wires[wire].isOverForPerson else { return }
        let heldUntilUs = wires[wire].down.heldUntilUs
        guard nowUs >= heldUntilUs else { return queue.plan(.endsForPerson(wire: wire, code: code), atUs: heldUntilUs) }
        endForPerson(wire)
        give(.ended(wires[wire].key, closeCode: code, nil), to: wires[wire].person)
    }

    private mutating func endForPerson(_ wire: Int) {
        wires[wire].isOverForPerson = true
        people[wires[wire].person].wires[wires[wire].key] = nil
    }

    private mutating func arrivalAtRelayUs(on wire: Int) -> Int64 {
        let delayUs = people[wires[wire].person].network.delayUs(up: true, using: &random)
        return wires[wire].up.arrivalUs(sentUs: nowUs, delayUs: delayUs)
    }

    // MARK: The relay's side

    mutating func arrivalAtPersonUs(on wire: Int) -> Int64 {
        let delayUs = people[wires[wire].person].network.delayUs(up: false, using: &random)
        return wires[wire].down.arrivalUs(sentUs: nowUs, delayUs: delayUs)
    }

    mutating func arrivedAtRelay(_ text: String, on wire: Int) {
        guard !wires[wire].isOverForRelay else { return }
        let heldUntilUs = wires[wire].up.heldUntilUs
        guard nowUs >= heldUntilUs else { return queue.plan(.toRelay(wire: wire, text), atUs: heldUntilUs) }
        figures.messages += 1
        wires[wire].heardUs = nowUs
        received(text, on: wire)
    }

    mutating func endedForRelay(_ wire: Int) {
        guard !wires[wire].isOverForRelay else { return }
        let heldUntilUs = wires[wire].up.heldUntilUs
        guard nowUs >= heldUntilUs else { return queue.plan(.endsForRelay(wire: wire), atUs: heldUntilUs) }
        wires[wire].isOverForRelay = true
        dropped(wire)
    }

    // MARK: Outages

    mutating func planOutage(of person: Int) {
        guard let gapMs = drawGapMs(perHour: people[person].network.dropsPerHour) else { return }
        schedule(.outage(person: person), afterMs: gapMs)
    }

    mutating func beginOutage(of person: Int) {
        let durationMs = Int64.random(in: people[person].network.outageMs, using: &random)
        let breaking = draws(0.5)
        people[person].network.goAway(atUs: nowUs, forMs: durationMs, breaking: breaking)
        figures.outages += 1
        note("person \(person + 1) has no network for \(durationMs) ms\(breaking ? ", connections break" : "")")
        schedule(.outageEnds(person: person), afterMs: durationMs)
        for wire in wires.indices where wires[wire].person == person && !wires[wire].isOverForPerson {
            if !breaking, let outage = people[person].network.outage {
                wires[wire].up.hold(untilUs: outage.resumesUs)
                wires[wire].down.hold(untilUs: outage.resumesUs)
            } else if wires[wire].isOpen {
                queue.plan(.endsForRelay(wire: wire), atUs: arrivalAtRelayUs(on: wire))
                queue.plan(.endsForPerson(wire: wire, code: nil), atUs: nowUs)
            } else {
                queue.plan(.openFails(wire: wire), atUs: nowUs)
            }
        }
    }

    mutating func endOutage(of person: Int) {
        people[person].network.outage = nil
        planOutage(of: person)
    }

    /// Whether a person's network is there, and nothing waits for a retransmission after an outage.
    func isReachable(_ person: Int, on wire: Int) -> Bool {
        people[person].network.outage == nil && nowUs >= wires[wire].down.heldUntilUs
    }
}
