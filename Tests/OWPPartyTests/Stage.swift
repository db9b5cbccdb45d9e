// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPParty
import OWPSync
import OWPWire

/// A player as a machine's tests see it: positions run with local time.
struct StagePlayer {
    var reading = PlayerReading(positionMs: 0, paused: true, durationMs: 7_200_000, canSetRate: true)
    var rate = 1.0
    /// How long a seek takes to land, in ms.
    var seekMs: Int64 = 0
    /// Where a seek lands, from where it was asked to.
    var seekErrorMs: Int64 = 0
    /// Whether each `play` throws; the same for `pause`, counted down.
    var refusesPlay = false
    var failingPauses = 0

    mutating func run(for ms: Int64) {
        guard !reading.paused, !reading.buffering else { return }
        reading.positionMs += Int64((Double(ms) * rate).rounded())
    }

    /// Does a command; returns whether it throws.
    mutating func perform(_ action: PlayerAction) -> Bool {
        switch action {
        case .pause:
            if failingPauses > 0 {
                failingPauses -= 1
                return true
            }
            reading.paused = true
        case .play:
            if refusesPlay { return true }
            reading.paused = false
        case .seek(let ms): reading.positionMs = ms + seekErrorMs
        case .setRate(let rate): self.rate = rate
        }
        return false
    }
}

/// A machine on a stage: timers in virtual time, pongs and players that answer by themselves, a log of all effects.
struct Stage {
    struct Logged: Equatable {
        let atMs: Int64
        let effect: PartyEffect
    }

    var machine: PartyMachine
    var nowMs: Int64 = 0
    var log: [Logged] = []
    /// Relay time minus local time; nil: no pongs.
    var relayOffsetMs: Int64? = 1_000_000
    /// The players by their adapters' keys.
    var players: [AdapterKey: StagePlayer] = [:]
    /// Whether commands end by themselves.
    var endsCommands = true
    /// What happens to each connection that is opened.
    var opens = Opening.byHand
    var u = 0.5

    enum Opening { case byHand, refused, answered }

    private var timers: [PartyTimer: (dueMs: Int64, number: Int)] = [:]
    private var landings: [(dueMs: Int64, adapter: AdapterKey, action: PlayerAction)] = []
    private var answers: [PartyInput] = []
    private var timersStarted = 0
    private var failures = 0

    init(hasResolver: Bool = true) throws {
        machine = try PartyMachine(client: "Test/1", name: "Anna", hasResolver: hasResolver)
    }

    // MARK: Inputs

    /// Gives an input, and lets what answers by itself answer.
    ///
    /// - Returns: The effects of this input alone.
    @discardableResult
    mutating func take(_ input: PartyInput) -> [PartyEffect] {
        let effects = give(input)
        while !answers.isEmpty { _ = give(answers.removeFirst()) }
        return effects
    }

    /// Gives a message of the relay.
    @discardableResult
    mutating func receive(_ message: RelayMessage, on key: ConnectionKey = 1) -> [PartyEffect] {
        take(.received(key, message.text))
    }

    /// Lets time pass, with every timer and landing in order.
    mutating func advance(by ms: Int64) { advance(to: nowMs + ms) }

    /// Lets time pass until a local time.
    mutating func advance(to endMs: Int64) {
        while let dueMs = nextDueMs, dueMs <= endMs {
            pass(until: dueMs)
            if let index = landings.indices.filter({ landings[$0].dueMs <= nowMs }).first {
                let landing = landings.remove(at: index)
                land(landing.action, on: landing.adapter)
                take(answers.removeFirst())
            } else if let due = timers.filter({ $0.value.dueMs <= nowMs }).min(by: { $0.value < $1.value }) {
                timers[due.key] = nil
                take(.timerFired(due.key))
            }
        }
        pass(until: endMs)
    }

    private var nextDueMs: Int64? {
        (timers.values.map(\.dueMs) + landings.map(\.dueMs)).min()
    }

    private mutating func pass(until ms: Int64) {
        for key in players.keys { players[key]?.run(for: ms - nowMs) }
        nowMs = ms
    }

    private mutating func give(_ input: PartyInput) -> [PartyEffect] {
        var adapter = machine.attachedAdapter
        if case .attachPlayer(let key, _) = input { adapter = key }
        let reading = adapter.flatMap { players[$0]?.reading }
        let effects = machine.handle(input, atLocalMs: nowMs, reading: reading)
        for effect in effects {
            log.append(Logged(atMs: nowMs, effect: effect))
            perform(effect)
        }
        return effects
    }

    private mutating func perform(_ effect: PartyEffect) {
        switch effect {
        case .startTimer(let timer, let afterMs):
            timersStarted += 1
            timers[timer] = (nowMs + afterMs, timersStarted)
        case .cancelTimer(let timer): timers[timer] = nil
        case .drawRandom: answers.append(.random(u))
        case .send(let key, .ping(let id)):
            guard let relayOffsetMs else { return }
            answers.append(.received(key, RelayMessage.pong(id: id, serverTimeMs: nowMs + relayOffsetMs).text))
        case .open(let key, _):
            if opens == .answered { answers.append(.opened(key)) }
            if opens == .refused { answers.append(.openFailed(key, nil)) }
        case .command(let adapter, let action):
            guard endsCommands else { return }
            if case .seek = action, let seekMs = players[adapter]?.seekMs, seekMs > 0 {
                landings.append((nowMs + seekMs, adapter, action))
            } else {
                land(action, on: adapter)
            }
        default: break
        }
    }

    private mutating func land(_ action: PlayerAction, on adapter: AdapterKey) {
        failures += 1
        let throwing = players[adapter]?.perform(action) ?? false
        answers.append(.commandEnded(adapter, throwing ? FailureKey(failures) : nil))
    }

    // MARK: The log

    /// The timers that run.
    var runningTimers: Set<PartyTimer> { Set(timers.keys) }

    /// What was sent since a time, without pings.
    func sent(since ms: Int64 = 0) -> [ClientMessage] {
        since(ms) { effect in
            guard case .send(_, let message) = effect else { return nil }
            if case .ping = message { return nil }
            return message
        }
    }

    /// The player states of the statuses since a time, with their times.
    func statuses(since ms: Int64 = 0) -> [StatusAt] {
        log.compactMap { logged in
            guard logged.atMs >= ms, case .send(_, .status(let status)) = logged.effect else { return nil }
            return StatusAt(atMs: logged.atMs, player: status.player)
        }
    }

    /// The commands of the players since a time.
    func commands(since ms: Int64 = 0) -> [PlayerAction] {
        since(ms) { if case .command(_, let action) = $0 { action } else { nil } }
    }

    /// The events since a time.
    func events(since ms: Int64 = 0) -> [PublicEvent] {
        since(ms) { if case .emit(let event) = $0 { event } else { nil } }
    }

    /// The calls that ended since a time.
    func ends(since ms: Int64 = 0) -> [CallResult] {
        since(ms) { if case .finish(_, let result) = $0 { result } else { nil } }
    }

    /// The times at which connections were opened.
    var openTimes: [Int64] {
        log.compactMap { if case .open = $0.effect { $0.atMs } else { nil } }
    }

    private func since<T>(_ ms: Int64, _ pick: (PartyEffect) -> T?) -> [T] {
        log.filter { $0.atMs >= ms }.compactMap { pick($0.effect) }
    }
}

/// A status's player state, and when it was sent.
struct StatusAt: Equatable {
    let atMs: Int64
    let player: PlayerState
    init(atMs: Int64, player: PlayerState) {
        self.atMs = atMs
        self.player = player
    }
    init(_ atMs: Int64, _ player: PlayerState) { self.init(atMs: atMs, player: player) }
}
