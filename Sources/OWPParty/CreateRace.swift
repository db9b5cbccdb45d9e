// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPWire

/// A `create`: the first relay with a clock sample makes the room, and the others follow when it is full (section 6).
struct CreateRace: EntryAttempt {
    private struct Runner {
        let place: Int
        var connection: RelayConnection
    }

    let call: CallKey
    private let request: ClientMessage
    private let relays: [Relay]
    private var racing: [Runner] = []
    private var entry: EntryConnection?
    /// The places in the list of the relays that were asked.
    private var tried: Set<Int> = []
    private(set) var failureInUse: FailureKey?

    /// Prepares the race of a list.
    init(call: CallKey, request: ClientMessage, relays: [Relay]) {
        self.call = call
        self.request = request
        self.relays = relays
    }

    mutating func start(_ turn: inout Turn) -> EntryOutcome {
        guard relays.count > 1 else { return askNext(&turn) ?? .failed(.unreachable()) }
        for (place, relay) in relays.enumerated() {
            racing.append(Runner(place: place, connection: RelayConnection(opening: relay.url, &turn)))
        }
        turn.add(.startTimer(.race, afterMs: Constants.connectTimeoutMs))
        return .underWay
    }

    mutating func opened(_ key: ConnectionKey, _ turn: inout Turn) -> EntryOutcome {
        if let index = runner(key) {
            racing[index].connection.opened(&turn)
        } else if entry?.key == key {
            entry?.opened(&turn)
        }
        return .underWay
    }

    mutating func lost(_ key: ConnectionKey, _ failure: FailureKey?, _ turn: inout Turn) -> EntryOutcome {
        if let index = runner(key) {
            racing.remove(at: index).connection.stopPings(&turn)
            failureInUse = failure ?? failureInUse
            guard racing.isEmpty else { return .underWay }
            turn.add(.cancelTimer(.race))
            return .failed(.unreachable(failureInUse))
        }
        guard let entry, entry.key == key else { return .underWay }
        entry.ended(&turn)
        return .failed(.unreachable(failure))
    }

    mutating func received(_ key: ConnectionKey, _ message: ReadMessage, _ turn: inout Turn) -> EntryOutcome {
        if let index = runner(key) {
            guard case .message(.pong(let id, let serverTimeMs)) = message else { return .underWay }
            if racing[index].connection.pong(id: id, serverTimeMs: serverTimeMs, turn) { win(index, &turn) }
            return .underWay
        }
        guard entry?.key == key, let answer = entry?.received(message, turn), let entry else { return .underWay }
        switch answer {
        case .none:
            return .underWay
        case .joined(let joined):
            entry.stopDeadline(&turn)
            return .entered(entry.connection, joined)
        case .malformed:
            entry.close(leaving: true, &turn)
            return .failed(.malformedJoined)
        case .refused(let error):
            entry.close(&turn)
            let isFull = sameScalars(error.code, PartyError.Code.relayFull.rawValue)
            return (isFull ? askNext(&turn) : nil) ?? .failed(PartyFailure(error))
        }
    }

    mutating func timerFired(_ timer: PartyTimer, _ turn: inout Turn) -> EntryOutcome {
        switch timer {
        case .ping(let key):
            if let index = runner(key) { racing[index].connection.sendPings(&turn) }
            if entry?.key == key { entry?.sendPings(&turn) }
            return .underWay
        case .race:
            closeRunners(&turn)
            return .failed(.unreachable(failureInUse))
        case .deadline(let key):
            guard let entry, entry.key == key else { return .underWay }
            entry.close(&turn)
            return .failed(.unreachable())
        default:
            return .underWay
        }
    }

    mutating func cancel(_ turn: inout Turn) -> EntryConnection? {
        if !racing.isEmpty {
            turn.add(.cancelTimer(.race))
            closeRunners(&turn)
        }
        if let entry, entry.isSent { return entry }
        entry?.close(&turn)
        return nil
    }

    private func runner(_ key: ConnectionKey) -> Int? {
        racing.firstIndex { $0.connection.key == key }
    }

    /// Asks the winner for a room, and closes the others.
    private mutating func win(_ index: Int, _ turn: inout Turn) {
        turn.add(.cancelTimer(.race))
        let winner = racing.remove(at: index)
        tried.insert(winner.place)
        entry = EntryConnection(open: winner.connection, request: request, &turn)
        closeRunners(&turn)
    }

    private mutating func closeRunners(_ turn: inout Turn) {
        for runner in racing { runner.connection.close(&turn) }
        racing = []
    }

    /// Asks the first relay in list order that was not asked; nil when none is left.
    private mutating func askNext(_ turn: inout Turn) -> EntryOutcome? {
        guard let place = relays.indices.first(where: { !tried.contains($0) }) else { return nil }
        tried.insert(place)
        entry = EntryConnection(url: relays[place].url, request: request, &turn)
        return .underWay
    }
}
