// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPParty
import OWPSync
import OWPWire

/// What a party showed its app, in the order in which it did.
package enum PartyOutput<Ref: Equatable & Sendable>: Sendable {
    /// A published state.
    case state(PartyState<Ref>)
    /// An event.
    case event(any PartyEvent)
}

/// Carries inputs to the machine and does what it says; decides nothing.
@MainActor
final class PartyDriver<Ref: Equatable & Sendable> {
    private let relays: Relays
    private let resolver: Resolver<Ref>?
    private let connect: WebSocketConnect
    private let clock: any PartyClock
    private var random: any RandomNumberGenerator
    private let work: Work

    private var machine: PartyMachine
    private var effects: [PartyEffect] = []
    private var isPerforming = false
    private var reading: PlayerReading?
    private var isReading = false

    private var table = RefTable<Ref>()
    private var adapters = AdapterTable()
    private var links: [ConnectionKey: Link] = [:]
    private var searches: [WorkKey: Work.Handle] = [:]
    private var calls: [CallKey: @MainActor (CallResult) -> Void] = [:]
    private var lastCall = 0
    private let timers: Timers<PartyTimer>

    private(set) var state = PartyState<Ref>()
    let states = Broadcast<PartyState<Ref>>()
    let events = Broadcast<any PartyEvent>()
    var observer: (@MainActor (PartyOutput<Ref>) -> Void)?

    init(
        machine: PartyMachine,
        relays: Relays,
        resolver: Resolver<Ref>?,
        connect: @escaping WebSocketConnect,
        clock: any PartyClock,
        random: any RandomNumberGenerator
    ) {
        self.machine = machine
        self.relays = relays
        self.resolver = resolver
        self.connect = connect
        self.clock = clock
        self.random = random
        work = Work(clock: clock)
        timers = Timers(clock: clock)
    }

    // MARK: What the app asks

    var roomPositionMs: Int64? { machine.roomPositionMs(atLocalMs: clock.nowMs()) }

    /// Gives a command to the machine, and throws what it refuses the command with.
    func command(_ input: PartyInput) throws {
        if let failure = handle(input) { throw table.partyError(failure) }
    }

    /// Starts a call whose result is read from how the machine ends it.
    func call<Value>(
        _ input: (CallKey) -> PartyInput,
        result: @escaping (CallResult) -> Value?
    ) -> Call<Value> {
        lastCall += 1
        let key = CallKey(lastCall)
        let call = Call<Value> { [self] in handle(.cancelCall(key)) }
        calls[key] = { [self] ended in
            switch ended {
            case .failed(let failure): call.finish(.failure(table.partyError(failure)))
            case .partyClosed: call.finish(.failure(PartyClosedError()))
            case .created, .joined, .chose, .released:
                guard let value = result(ended) else { preconditionFailure("a call ended as another kind of call") }
                call.finish(.success(value))
            }
        }
        handle(input(key))
        return call
    }

    func attach(_ player: any PlayerAdapter, ref: Ref) {
        let key = adapters.attach(player)
        handle(.attachPlayer(key, table.key(for: ref)))
    }

    func key(for player: any PlayerAdapter) -> AdapterKey { adapters.key(for: player) }

    func offer(_ candidate: Candidate<Ref>) -> OfferedCandidate { table.offer(candidate) }

    var relaySource: RelaySource { relays.source }

    var hasConnections: Bool { !links.isEmpty }

    // MARK: Inputs and effects

    /// Hands an input to the machine and performs what it asks for; returns what a command is refused with.
    @discardableResult
    func handle(_ input: PartyInput) -> PartyFailure? {
        readPlayer(for: input)
        let asked = machine.handle(input, atLocalMs: clock.nowMs(), reading: reading)
        if case .refuse(let failure)? = asked.first { return failure }
        effects += asked
        perform()
        return nil
    }

    /// Reads the player that the machine looks at; an input that comes from within a read is given the read before it.
    private func readPlayer(for input: PartyInput) {
        guard !isReading else { return }
        isReading = true
        defer { isReading = false }
        var key = machine.attachedAdapter
        if case .attachPlayer(let attached, _) = input { key = attached }
        reading = key.flatMap { adapters[$0] }.map { PlayerReading(of: $0) }
    }

    /// Performs effects in order, also those of an input that comes up meanwhile.
    private func perform() {
        guard !isPerforming else { return }
        isPerforming = true
        var next = 0
        while next < effects.count {
            perform(effects[next])
            next += 1
        }
        effects.removeAll()
        isPerforming = false
        // Not from within a read: the input that the player is read for may name what the machine does not know yet.
        if table.hasGrown, !isReading {
            table.forget(allBut: machine.candidatesInUse, machine.refsInUse, machine.failuresInUse)
        }
    }

    private func perform(_ effect: PartyEffect) {
        switch effect {
        case .refuse: break
        case .finish(let call, let result): calls.removeValue(forKey: call)?(result)
        case .publish(let state): publish(table.partyState(state))
        case .emit(let event): emit(table.partyEvent(event))
        case .finishStreams:
            states.finish()
            events.finish()
        case .open(let key, let url): open(key, url)
        case .send(let key, let message): links[key]?.send(message.text)
        case .close(let key): links.removeValue(forKey: key)?.close(code: 1000)
        case .startTimer(let timer, let delayMs):
            timers.start(timer, afterMs: delayMs) { [self] in handle(.timerFired(timer)) }
        case .cancelTimer(let timer): timers.cancel(timer)
        case .drawRandom: handle(.random(Double.random(in: 0..<1, using: &random)))
        case .refreshRelays(let call):
            relays.refresh { [self] _ in handle(.relaysRefreshed(call, relays.source)) }
        case .relaysJoined: relays.joined()
        case .resolve(let key, let media): resolve(key, media)
        case .probe(let key, let candidate): probe(key, candidate)
        case .cancelWork(let key): searches.removeValue(forKey: key)?.cancel()
        case .command(let key, let action): command(key, action)
        case .letGo(let key): adapters.letGo(key)
        }
    }

    private func publish(_ state: PartyState<Ref>) {
        self.state = state
        states.send(state)
        observer?(.state(state))
    }

    private func emit(_ event: any PartyEvent) {
        events.send(event)
        observer?(.event(event))
    }

    private func open(_ key: ConnectionKey, _ url: String) {
        links[key] = Link(to: url, connect: connect, work: work) { [self] event in
            switch event {
            case .opened: handle(.opened(key))
            case .message(let text): handle(.received(key, text))
            case .failed(let error):
                links[key] = nil
                handle(.openFailed(key, table.key(for: error)))
            case .ended(let code, let error):
                links[key] = nil
                handle(.ended(key, closeCode: code, table.key(for: error)))
            }
        }
    }

    private func resolve(_ key: WorkKey, _ media: Media) {
        guard let resolver else { return }
        searches[key] = work.run({ try await resolver.resolve(media) }) { [self] outcome in
            searches[key] = nil
            switch outcome {
            case .success(let candidates): handle(.resolved(key, candidates.map { table.offer($0) }))
            case .failure(let error): handle(.resolveFailed(key, table.key(for: error)))
            }
        }
    }

    private func probe(_ key: WorkKey, _ candidate: CandidateKey) {
        guard let probe = table.candidate(candidate)?.probe else { return }
        searches[key] = work.run(probe) { [self] outcome in
            searches[key] = nil
            handle(.probed(key, durationMs: try? outcome.get()))
        }
    }

    private func command(_ key: AdapterKey, _ action: PlayerAction) {
        guard let player = adapters[key] else { return }
        work.run({ () async throws -> Void in
            switch action {
            case .pause: try await player.pause()
            case .setRate(let rate): try await player.setRate(rate)
            case .seek(let positionMs): try await player.seek(to: positionMs)
            case .play: try await player.play()
            }
        }) { [self] outcome in
            switch outcome {
            case .success: handle(.commandEnded(key, nil))
            case .failure(let error): handle(.commandEnded(key, table.key(for: error)))
            }
        }
    }
}
