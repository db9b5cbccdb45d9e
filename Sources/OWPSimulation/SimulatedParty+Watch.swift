// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPParty
import OWPPlayerMPV
import OWPRelay
import OWPSync
import OWPWire

/// What is measured over time.
struct PartyWatch {
    /// A start that everyone is asked for, not yet seen: what for, and since when, in µs and in relay time.
    var start: (cause: StartCause, sinceUs: Int64, relayMs: Int64)?
    /// Since when nobody's picture has moved though somebody's could, in µs, and how long it may be so, in ms.
    var still: (sinceUs: Int64, allowedMs: Int64)?
    /// What the room's wait and rate were at the last look.
    var waitingSinceMs: Int64?
    var rate: Double?
}

// Looks at the players themselves, every 100 ms.

extension SimulatedParty {
    /// How often it looks, and how often while a start is seen through.
    private static let everyUs: Int64 = 100_000
    private static let startEveryUs: Int64 = 10_000
    /// From when on a player counts as settled.
    private static let settledUs: Int64 = 5_000_000
    /// How long a room may stand still: what the protocol says of its wait (section 5 of the protocol), and then the
    /// largest lead, the SDK's tick and the way of messages that are lost and repeated.
    private static func allowedStillMs(hasStarted: Bool) -> Int64 { (hasStarted ? 30_000 : 120_000) + 10_000 }
    /// How long a healthy player may stand still in a running room: a command hold, a tick, and messages repeated.
    private static let allowedStandingMs: Int64 = 20_000

    /// Somebody who is in the room, and has its title open.
    private struct Seen {
        let person: Int
        let positionMs: Int64
        /// Whether its picture moves.
        let isMoving: Bool
        /// Whether it could: the file is open, its input is there, and no seek is on its way.
        let couldMove: Bool
        /// Whether its network is there.
        let isReachable: Bool
        /// Whether a start waits for it.
        let isAsked: Bool
    }

    mutating func look() {
        let isOnGrid = nowUs % Self.everyUs == 0
        if let room {
            let seen = room.members.compactMap { self.seen($0) }
            let runs = room.isRunning(at: relayMs)
            if isOnGrid {
                settle(seen, runs: runs && room.rate == watch.rate)
                if runs { measure(seen) }
                watchStanding(seen, room, runs: runs)
                (watch.waitingSinceMs, watch.rate) = (room.waitingSinceMs, room.rate)
            }
            watchStart(seen, room, runs: runs)
            let isStarting = watch.start != nil && room.phase == .playing
            queue.plan(.look, atUs: nowUs + (isStarting ? Self.startEveryUs : Self.everyUs - nowUs % Self.everyUs))
        } else {
            queue.plan(.look, atUs: nowUs + Self.everyUs)
        }
    }

    /// The number of the title that the room shows.
    private var shownTitle: Int? { room?.media.flatMap { titleNumber($0) } }

    private mutating func seen(_ member: RelayMember) -> Seen? {
        guard let wire = member.connection.map({ Int($0.value) }), !wires[wire].isOverForPerson else { return nil }
        let person = wires[wire].person
        guard people[person].machine.state.connection == .connected,
            let title = people[person].machine.state.choice?.number, title == shownTitle,
            let attached = people[person].machine.attachedAdapter,
            let place = people[person].players.firstIndex(where: { $0.adapter == attached && $0.title == title })
        else { return nil }
        let state = people[person].players[place].model.state(atMs: localMs(of: person))
        guard state.firstFrameShown else { return nil }
        let couldMove = !state.buffering && !state.seeking
        return Seen(
            person: person,
            positionMs: state.positionMs,
            isMoving: couldMove && !state.paused && !people[person].players[place].isStarting,
            couldMove: couldMove,
            isReachable: isReachable(person, on: wire),
            isAsked: !member.isLate && !member.isExcused && member.player != .idle
        )
    }

    // MARK: Distances

    private mutating func settle(_ seen: [Seen], runs: Bool) {
        for person in people.indices {
            let isSteady = runs && seen.contains { $0.person == person && $0.isMoving && $0.isReachable }
            if !isSteady { people[person].unsettledUs = nowUs }
        }
    }

    private mutating func measure(_ seen: [Seen]) {
        let stepMs = Self.everyUs / 1000
        figures.roomMs += stepMs
        figures.playerMs += stepMs * Int64(seen.count)
        if let distanceMs = distance(seen) { figures.playing.add(distanceMs) }
        let settled = seen.filter { nowUs - people[$0.person].unsettledUs >= Self.settledUs }
        if let distanceMs = distance(settled) {
            figures.settled.add(distanceMs)
            if distanceMs > 2000 { note("settled players are \(settled.map { "\($0.person + 1): \($0.positionMs)" })") }
        }
    }

    /// How far apart the two furthest are; nil for fewer than two.
    private func distance(_ seen: [Seen]) -> Int64? {
        let positions = seen.map(\.positionMs)
        guard positions.count > 1, let first = positions.min(), let last = positions.max() else { return nil }
        return last - first
    }

    // MARK: Starts

    /// A command has reached the relay, which has not taken it yet.
    mutating func watchCommand(_ message: ClientMessage, of person: Int) {
        guard let phase = room?.phase else { return }
        let cause: StartCause
        switch message {
        case .setMedia: cause = .title
        case .play where phase == .paused: cause = .play
        case .seek where phase == .waiting || phase == .playing: cause = .seek
        default: return
        }
        watch.start = (cause, people[person].pressedUs, relayMs)
    }

    /// The relay tells something.
    mutating func watchBroadcast(_ message: RelayMessage) {
        guard case .room(let message) = message else { return }
        noteRoom(message)
        guard let action = message.action, action.kind == "stall" else { return }
        figures.stalls += 1
        watch.start = (.stall, nowUs, relayMs)
    }

    private func noteRoom(_ message: RoomMessage) {
        let room = message.room
        func name(_ peerId: String?) -> String {
            room.participants.first { $0.peerId == peerId }?.name.lowercased() ?? "the relay"
        }
        var text = "relay: \(room.phase) at \(room.positionMs)"
        if room.phase == .playing { text += room.atMs > relayMs ? " in \(room.atMs - relayMs) ms" : ", begun" }
        if let action = message.action { text += ", \(action.kind) by \(name(action.by))" }
        if !room.waitingOn.isEmpty { text += ", waiting for " + room.waitingOn.map(name).joined(separator: ", ") }
        note(text)
    }

    private mutating func watchStart(_ seen: [Seen], _ room: RelayRoom, runs: Bool) {
        guard let start = watch.start else { return }
        if room.phase == .paused || room.phase == .idle { return watch.start = nil }
        let asked = seen.filter(\.isAsked)
        guard runs, room.startedAtMs > start.relayMs, !asked.isEmpty, asked.allSatisfy(\.isMoving) else { return }
        figures.starts[start.cause.rawValue].add((nowUs - start.sinceUs) / 1000)
        watch.start = nil
    }

    // MARK: Corrections

    /// Counts what the SDK asks of a player in a running room, unless it is what the person asked for.
    mutating func count(_ action: PlayerAction, of person: Int) {
        guard let room = people[person].machine.state.room, room.phase == .playing else { return }
        switch action {
        case .seek(let positionMs) where positionMs != people[person].ownSeekMs:
            figures.seeks += 1
            people[person].seeks += 1
            note("person \(person + 1) is sought to \(positionMs)")
        case .setRate(let rate):
            let factor = rate / room.rate
            let isNudge = [Constants.nudgeAhead, Constants.nudgeBehind].contains { abs(factor - $0) < 0.001 }
            if isNudge { figures.nudges += 1 }
        default: break
        }
    }

    // MARK: What must not be

    private mutating func watchStanding(_ seen: [Seen], _ room: RelayRoom, runs: Bool) {
        let wantsToPlay = room.phase == .waiting || room.phase == .playing
        let isStill =
            wantsToPlay && !seen.contains(where: \.isMoving)
            && seen.contains { $0.couldMove && $0.isReachable }
        if !isStill || room.waitingSinceMs != watch.waitingSinceMs { watch.still = nil }
        if isStill {
            // What holds at its beginning: a start at last must not shorten it.
            let still = watch.still ?? (nowUs, Self.allowedStillMs(hasStarted: room.hasStarted))
            watch.still = still
            let lastedMs = (nowUs - still.sinceUs) / 1000
            if lastedMs > still.allowedMs {
                fault(.roomStoodStill, lastedMs: lastedMs)
                watch.still = nil
            }
        }
        for person in people.indices {
            let stands =
                runs
                && seen.contains { $0.person == person && $0.couldMove && !$0.isMoving && $0.isReachable }
            guard stands else {
                people[person].standsSinceUs = nil
                continue
            }
            let sinceUs = people[person].standsSinceUs ?? nowUs
            people[person].standsSinceUs = sinceUs
            if (nowUs - sinceUs) / 1000 > Self.allowedStandingMs {
                fault(.playerLeftStanding, person: person, lastedMs: (nowUs - sinceUs) / 1000)
                people[person].standsSinceUs = nowUs
            }
        }
    }

    mutating func fault(_ kind: SimulationFault.Kind, person: Int? = nil, lastedMs: Int64) {
        note("FAULT \(kind.rawValue)")
        figures.faults.append(
            SimulationFault(kind: kind, party: number, person: person, atMs: nowUs / 1000, lastedMs: lastedMs)
        )
    }
}
