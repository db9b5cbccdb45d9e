// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPParty
import OWPSync
import OWPTestSupport
import OWPWire

/// A driver that does random things to a machine, and notes where the machine breaks its contract.
struct Contract {
    enum Link { case opening, open, over }

    var machine: PartyMachine
    var random: SeededRandom
    var nowMs: Int64 = 0
    /// What the machine did wrong.
    var breaches: [String] = []
    var links: [ConnectionKey: Link] = [:]
    var timers: [PartyTimer: Int64] = [:]
    var running: Set<AdapterKey> = []
    var probes: Set<WorkKey> = []
    var resolves: Set<WorkKey> = []
    var calls: Set<CallKey> = []
    var refreshes: [CallKey] = []
    var owesDraw = false
    var lastState = PublicState()
    private var callsMade = 0
    private var candidates = 0

    init(seed: UInt64) throws {
        machine = try PartyMachine(client: "Test/1", name: "Anna", hasResolver: seed % 7 != 0)
        random = SeededRandom(seed: seed)
    }

    // MARK: Inputs

    /// Does something random.
    mutating func act() {
        if owesDraw {
            owesDraw = false
            return give(.random(Double.random(in: 0..<1, using: &random)))
        }
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<2: pass()
        case 2..<6: if !happen() { pass() }
        default: call()
        }
    }

    /// Lets everything that waits come to its end, after a `close`.
    mutating func drain() {
        give(.close(newCall()))
        for _ in 0..<200 {
            for adapter in running { give(.commandEnded(adapter, nil)) }
            pass()
        }
        if !calls.isEmpty { breaches.append("calls never ended: \(calls)") }
        if !timers.isEmpty { breaches.append("timers run on: \(timers.keys)") }
        if links.values.contains(where: { $0 != .over }) { breaches.append("connections stay open") }
        if !resolves.isEmpty || !probes.isEmpty { breaches.append("work runs on") }
        if machine.attachedAdapter != nil { breaches.append("a player stays attached") }
    }

    /// Lets the next timer fire, or a little time pass.
    private mutating func pass() {
        guard let next = timers.min(by: { ($0.value, "\($0.key)") < ($1.value, "\($1.key)") }) else { return }
        let stepMs = Int64.random(in: 0...400, using: &random)
        guard next.value <= nowMs + stepMs || Bool.random(using: &random) else {
            nowMs += stepMs
            return
        }
        nowMs = max(nowMs, next.value)
        timers[next.key] = nil
        give(.timerFired(next.key))
    }

    /// Lets something that the machine waits for happen; false when there is nothing.
    private mutating func happen() -> Bool {
        var inputs: [PartyInput] = []
        for (key, link) in links.sorted(by: { $0.key.number < $1.key.number }) {
            if link == .opening { inputs += [.opened(key), .opened(key), .openFailed(key, 1)] }
            if link == .open { inputs += [message(key), message(key), message(key), message(key)] }
            if link == .open, Int.random(in: 0..<8, using: &random) == 0 {
                inputs.append(.ended(key, closeCode: pick([nil, 1001, 4000]), 2))
            }
        }
        inputs += running.map { .commandEnded($0, Bool.random(using: &random) ? 3 : nil) }
        inputs += probes.map { .probed($0, durationMs: pick([nil, 90_000, 100_000])) }
        inputs += resolves.map { Bool.random(using: &random) ? .resolved($0, found()) : .resolveFailed($0, 4) }
        inputs += refreshes.map { .relaysRefreshed($0, .list([relayA, relayC])) }
        guard let input = inputs.randomElement(using: &random) else { return false }
        switch input {
        case .opened(let key): links[key] = .open
        case .openFailed(let key, _), .ended(let key, _, _): links[key] = .over
        case .commandEnded(let key, _): running.remove(key)
        case .probed(let key, _): probes.remove(key)
        case .resolved(let key, _), .resolveFailed(let key, _): resolves.remove(key)
        case .relaysRefreshed(let key, _): refreshes.removeAll { $0 == key }
        default: break
        }
        give(input)
        return true
    }

    private mutating func call() {
        let source: RelaySource = Bool.random(using: &random) ? onlyRelay : .list([relayA, relayB, relayC])
        let ms: Int64 = pick([0, 5000, 100_000, -1, .max])
        let media = Media.sample(pick(["Heat", "Alien"]), durationMs: 100_000)
        let ref = RefKey(Int.random(in: 1...3, using: &random))
        let adapter = AdapterKey(Int.random(in: 1...2, using: &random))
        let inputs: [() -> PartyInput] = [
            { .create(0, source) }, { .join(0, code: "K7MQ2X", create: false, source) },
            { .join(0, code: "k7mq2x", create: true, source) }, { .join(0, code: "ZZZZZZ", create: false, source) },
            { .cancelCall(1) }, { .leave }, { .attachPlayer(adapter, ref) }, { .attachPlayer(adapter, ref) },
            { .attachPlayer(adapter, ref) }, { .detachPlayer(0, nil) }, { .detachPlayer(0, adapter) },
            { .playerChanged }, { .playerChanged }, { .acceptMismatch }, { .declineMismatch }, { .resolveAgain },
            { .choose(0, OfferedCandidate(key: 1, ref: ref, durationMs: ms, hasProbe: ms == 0)) }, { .setOffset(ms) },
            { .play }, { .pause }, { .seek(ms) }, { .setRate(1.5) }, { .setMedia(media, 2, ref, positionMs: ms) },
            { .setMedia(media, 2, ref, positionMs: 0) }, { .clearMedia }, { .setControl(.everyone) },
            { .transferHost("b1") }, { .kick("nobody") }, { .lock(true) }, { .end },
        ]
        guard let make = inputs.randomElement(using: &random) else { return }
        switch make() {
        case .create(_, let source): give(.create(newCall(), source))
        case .join(_, let code, let create, let source): give(.join(newCall(), code: code, create: create, source))
        case .cancelCall: if let call = calls.min(by: { $0.number < $1.number }) { give(.cancelCall(call)) }
        case .detachPlayer(_, let adapter): give(.detachPlayer(newCall(), adapter))
        case .choose(_, let candidate): give(.choose(newCall(), candidate))
        case let input: give(input)
        }
    }

    private mutating func pick<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: values.indices, using: &random)]
    }

    private mutating func newCall() -> CallKey {
        callsMade += 1
        calls.insert(CallKey(callsMade))
        return CallKey(callsMade)
    }

    private mutating func found() -> [OfferedCandidate] {
        (0..<Int.random(in: 0...5, using: &random)).map { _ in
            candidates += 1
            let duration: Int64? = pick([nil, 0, 100_000, 101_500, 130_000])
            return OfferedCandidate(
                key: CandidateKey(100 + candidates),
                ref: RefKey(Int.random(in: 1...3, using: &random)),
                durationMs: duration,
                hasProbe: Bool.random(using: &random)
            )
        }
    }

    private mutating func message(_ key: ConnectionKey) -> PartyInput {
        let room = Room.sample(
            rev: Int64.random(in: 1...40, using: &random),
            epoch: Int64.random(in: 0...2, using: &random),
            phase: pick([.paused, .waiting, .playing]),
            positionMs: Int64.random(in: 0...100_000, using: &random),
            atMs: 1_000_000 + nowMs + Int64.random(in: -50_000...5000, using: &random),
            control: Bool.random(using: &random) ? .everyone : .host,
            pick([hostAndGuest, guestAndHost, [.peer("c1", host: true)]])
        )
        let media = Media.sample(pick(["Heat", "Alien"]), durationMs: 100_000)
        let given: ReceivedMedia = pick([.absent, .none, .valid(media), .valid(media)])
        let action = Bool.random(using: &random) ? RoomAction(kind: "pause", by: "b1") : nil
        let pong = RelayMessage.pong(id: Int64.random(in: 1...4, using: &random), serverTimeMs: 1_000_000 + nowMs)
        let re: String? = pick(["create", "join", "resume", "setMedia", "seek", nil])
        let code = pick(["relay_full", "room_not_found", "resume_failed", "x"])
        let messages: [RelayMessage] = [
            .joined(room, media), .joined(room, nil), .joined(room, media), .room(room, action: action, media: given),
            .room(room, action: action, media: given), .room(room, action: action, media: given), pong, pong, pong,
            .error(code, re: re),
        ]
        if Int.random(in: 0..<60, using: &random) == 0 { return .received(key, #"{"type":"closed","reason":"x"}"#) }
        if Int.random(in: 0..<40, using: &random) == 0 { return .received(key, #"{"type":"joined"}"#) }
        return .received(key, pick(messages).text)
    }

    // MARK: Effects

    private mutating func give(_ input: PartyInput) {
        var adapter = machine.attachedAdapter
        if case .attachPlayer(let key, _) = input { adapter = key }
        let reading = PlayerReading(
            positionMs: Int64.random(in: 0...100_000, using: &random),
            paused: Bool.random(using: &random),
            buffering: Int.random(in: 0..<5, using: &random) == 0,
            durationMs: 100_000,
            canSetRate: Bool.random(using: &random)
        )
        if case .commandEnded(let key, _) = input { running.remove(key) }
        let effects = machine.handle(input, atLocalMs: nowMs, reading: adapter == nil ? nil : reading)
        for effect in effects { note(effect, of: effects, input) }
        check(input)
    }

    private mutating func note(_ effect: PartyEffect, of all: [PartyEffect], _ input: PartyInput) {
        func breach(_ what: String) { breaches.append("\(what): \(effect) of \(input)") }
        switch effect {
        case .refuse: if all.count != 1 { breach("refused, and did more") }
        case .finish(let call, _): if calls.remove(call) == nil { breach("ended twice") }
        case .publish(let state):
            if state == lastState { breach("published the same") }
            lastState = state
        case .emit, .finishStreams, .relaysJoined: break
        case .open(let key, _): links[key] = .opening
        case .send(let key, _): if links[key] != .open { breach("sent on a connection that is not open") }
        case .close(let key):
            if links[key] == .over { breach("closed twice") }
            links[key] = .over
        case .startTimer(let timer, let afterMs):
            if afterMs < 0 { breach("a negative delay") }
            timers[timer] = nowMs + max(0, afterMs)
        case .cancelTimer(let timer): timers[timer] = nil
        case .drawRandom: owesDraw = true
        case .refreshRelays(let call): refreshes.append(call)
        case .resolve(let key, _): resolves.insert(key)
        case .probe(let key, _): probes.insert(key)
        case .cancelWork(let key):
            if probes.remove(key) == nil, resolves.remove(key) == nil { breach("cancelled what does not run") }
        case .command(let key, _): if !running.insert(key).inserted { breach("two commands at a time") }
        case .letGo(let key):
            if running.contains(key) || machine.attachedAdapter == key { breach("let go too early") }
        }
    }

    private mutating func check(_ input: PartyInput) {
        let state = machine.state
        func breach(_ what: String) { breaches.append("\(what) after \(input)") }
        if state != lastState { breach("an unpublished state") }
        let isFound = state.match?.state == .matched || state.match?.state == .mismatched
        if (state.choice != nil) != isFound { breach("a choice without a match") }
        if state.mismatch != nil, state.choice != nil { breach("an offer beside a choice") }
        if (state.room == nil) != (state.peerId == nil) { breach("a room without a peer ID") }
        if (state.endReason != nil) != (state.connection == .ended) { breach("an end reason without an end") }
        if state.media == nil, state.player != .idle { breach("a player without media") }
        if probes.count > 2 || resolves.count > 1 { breach("too much at a time") }
        let named = [state.choice, state.mismatch?.candidate].compactMap { $0 } + state.candidates.map(\.candidate)
        if !machine.candidatesInUse.isSuperset(of: named) { breach("a candidate that is not in use") }
    }
}
