// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPParty
import OWPSync
import OWPTestSupport
import OWPWire
import OpenWatchParty

/// Runs the party of a trace as a machine alone: what it is told goes in, its effects are recorded and answered.
@MainActor
final class MachineStage: TraceStage {
    private enum Link { case opening, open, over }

    let world: TraceWorld
    private var machine: PartyMachine
    private var directory: RelayDirectory
    /// What answers by itself, in order; each waits for all that came of the one before.
    private var answers: [@MainActor () -> Void] = []
    private var isAnswering = false
    private var timers: [PartyTimer: @MainActor () -> Void] = [:]
    private var fetchTimers: [Int: @MainActor () -> Void] = [:]
    private var links: [ConnectionKey: Link] = [:]
    private var names: [ConnectionKey: String] = [:]
    private var calls: [CallKey: String] = [:]
    private var refreshes: [Int: @MainActor (Bool) -> Void] = [:]
    private var searches: [WorkKey] = []
    private var probes: [(work: WorkKey, id: String)] = []
    private var fetches: Set<Int> = []
    private var running: [AdapterKey: PlayerAction] = [:]
    private var adapters: [String] = []
    private var refs: [String] = []
    private var candidates: [Candidate<String>] = []
    private var failures: [any Error] = []
    private var command = ""

    init(_ given: TraceGiven) throws {
        world = try TraceWorld(given, startMs: 7_000_000)
        machine = try PartyMachine(client: "Test/1.0", name: "Anna", hasResolver: given.hasResolver)
        directory =
            if let list = given.list {
                RelayDirectory(list: list)
            } else {
                RelayDirectory(only: try Relay.custom(baseURL: "http://relay.test"))
            }
    }

    func advance(by ms: Int64) async { await world.clock.advance(by: ms) }

    func finish() async {}

    func take(_ action: TraceAction) async throws {
        switch action {
        case .call(let call, let name): try take(call, as: name)
        case .opens(let name):
            let key = try link(name, .opening)
            links[key] = .open
            give(.opened(key))
        case .refuses(let name):
            let key = try link(name, .opening)
            links[key] = .over
            give(.openFailed(key, failure(TraceFailure(name: "refused"))))
        case .drops(let name, let code):
            let key = try link(name, .open)
            links[key] = .over
            give(.ended(key, closeCode: code, failure(TraceFailure(name: "dropped"))))
        case .says(let text, let name):
            give(.received(try link(name, .open), text))
        case .search(let number, let outcome):
            guard searches.indices.contains(number - 1) else { throw impossible("search \(number) answers") }
            let work = searches[number - 1]
            guard !cancelled.contains(work) else { return }
            switch outcome {
            case .success(let found): give(.resolved(work, found.map(offer)))
            case .failure(let error): give(.resolveFailed(work, failure(error)))
            }
        case .fetch(let number, let outcome):
            switch outcome {
            case .success(let text): perform(directory.got(number, text, atLocalMs: world.clock.nowMs()))
            case .failure: perform(directory.getFailed(number))
            }
        case .probe(let id, let outcome):
            guard let work = probes.last(where: { $0.id == id })?.work else {
                throw impossible("the probe \(id) answers")
            }
            guard !cancelled.contains(work) else { return }
            give(.probed(work, durationMs: try? outcome.get()))
        case .command(let name, let error):
            guard let index = adapters.firstIndex(of: name), let action = running.removeValue(forKey: AdapterKey(index))
            else { throw impossible("a command of \(name) ends") }
            if error == nil { try world.player(name).apply(action) }
            give(.commandEnded(AdapterKey(index), error.map(failure)))
        }
        await world.clock.run()
    }

    // MARK: Calls

    private func take(_ call: TraceCall, as name: String) throws {
        command = name
        switch call {
        case .create: give(.create(key(name), directory.source))
        case .join(let code, let create): give(.join(key(name), code: code, create: create, directory.source))
        case .leave: give(.leave)
        case .close: give(.close(key(name)))
        case .attachPlayer(let player, let ref):
            _ = try world.player(player)
            give(.attachPlayer(adapter(player), self.ref(ref)))
        case .detachPlayer(let player): give(.detachPlayer(key(name), player.map(adapter)))
        case .playerChanged: give(.playerChanged)
        case .acceptMismatch: give(.acceptMismatch)
        case .declineMismatch: give(.declineMismatch)
        case .choose(let candidate): give(.choose(key(name), offer(candidate)))
        case .resolveAgain: give(.resolveAgain)
        case .setOffset(let ms): give(.setOffset(ms))
        case .play: give(.play)
        case .pause: give(.pause)
        case .seek(let ms): give(.seek(ms))
        case .setRate(let rate): give(.setRate(rate))
        case .setMedia(let media, let ref, let positionMs):
            candidates.append(Candidate(id: "", ref: ref, durationMs: media.durationMs))
            let candidate = CandidateKey(candidates.count - 1)
            give(.setMedia(media, candidate, self.ref(ref), positionMs: positionMs))
        case .clearMedia: give(.clearMedia)
        case .setControl(let control): give(.setControl(control))
        case .transferHost(let peerId): give(.transferHost(peerId))
        case .kick(let peerId): give(.kick(peerId))
        case .lock(let locked): give(.lock(locked))
        case .end: give(.end)
        case .roomPositionMs:
            let positionMs = machine.roomPositionMs(atLocalMs: world.clock.nowMs())
            world.note(.ended("returns", call: name, positionMs.map { .number(Double($0)) } ?? "none"))
        case .refresh:
            refresh { [world] in world.note(.ended("returns", call: name, .bool($0))) }
        case .relayFor(let code):
            let relay = directory.relay(forTypedCode: code)
            world.note(.ended("returns", call: name, .string(relay?.id ?? "none")))
        }
    }

    // MARK: Keys

    private func key(_ call: String) -> CallKey {
        let key = CallKey(calls.count + 1)
        calls[key] = call
        return key
    }

    private func adapter(_ name: String) -> AdapterKey {
        if !adapters.contains(name) { adapters.append(name) }
        return AdapterKey(adapters.firstIndex(of: name) ?? 0)
    }

    private func ref(_ ref: String) -> RefKey {
        if !refs.contains(ref) { refs.append(ref) }
        return RefKey(refs.firstIndex(of: ref) ?? 0)
    }

    private func offer(_ candidate: TraceCandidate) -> OfferedCandidate {
        candidates.append(Candidate(id: candidate.id, ref: candidate.ref))
        return OfferedCandidate(
            key: CandidateKey(candidates.count - 1),
            ref: ref(candidate.ref),
            durationMs: candidate.durationMs,
            sizeBytes: candidate.sizeBytes,
            oshash: candidate.oshash,
            name: candidate.name,
            hasProbe: candidate.hasProbe
        )
    }

    private func failure(_ error: any Error) -> FailureKey {
        failures.append(error)
        return FailureKey(failures.count - 1)
    }

    private func link(_ name: String, _ state: Link) throws -> ConnectionKey {
        guard let key = names.first(where: { $0.value == name })?.key, links[key] == state else {
            throw impossible("something happens to the connection \(name)")
        }
        return key
    }

    private var cancelled: Set<WorkKey> = []

    // MARK: Inputs and effects

    private func give(_ input: PartyInput) {
        var attached = machine.attachedAdapter
        if case .attachPlayer(let key, _) = input { attached = key }
        let player = attached.flatMap { world.players[adapters[$0.number]] }
        let reading = player.map { PlayerReading(of: $0) }
        for effect in machine.handle(input, atLocalMs: world.clock.nowMs(), reading: reading) { perform(effect) }
        guard !isAnswering else { return }
        isAnswering = true
        while !answers.isEmpty { answers.removeFirst()() }
        isAnswering = false
    }

    private func perform(_ effect: PartyEffect) {
        switch effect {
        case .refuse(let failure): world.note(.ended("throws", call: command, error(failure).traceJSON))
        case .finish(let call, let result): finish(call, result)
        case .publish(let state): world.note(.state(shown(state).traceJSON))
        case .emit(let event): world.note(event: shown(event))
        case .finishStreams, .letGo: break
        case .open(let key, let url): open(key, url)
        case .send(let key, let message): send(message, on: key)
        case .close(let key): close(key)
        case .startTimer(let timer, let delayMs):
            timers[timer]?()
            timers[timer] = world.clock.schedule(afterMs: delayMs) { [unowned self] in
                timers[timer] = nil
                give(.timerFired(timer))
            }
        case .cancelTimer(let timer): timers.removeValue(forKey: timer)?()
        case .drawRandom:
            let u = world.draw()
            answers.insert({ [unowned self] in give(.random(u)) }, at: 0)
        case .refreshRelays(let call):
            refresh { [unowned self] _ in give(.relaysRefreshed(call, directory.source)) }
        case .relaysJoined: perform(directory.joined(atLocalMs: world.clock.nowMs()))
        case .resolve(let work, let media):
            searches.append(work)
            world.note("searched", media.toJSON())
        case .probe(let work, let candidate):
            let id = candidates[candidate.number].id
            probes.append((work, id))
            world.note("probed", .string(id))
        case .cancelWork(let work): cancel(work)
        case .command(let key, let action): start(action, on: key)
        }
    }

    private func open(_ key: ConnectionKey, _ url: String) {
        let name = world.newConnection(url)
        names[key] = name
        links[key] = .opening
        world.note("opened", .string(name))
    }

    private func send(_ message: ClientMessage, on key: ConnectionKey) {
        guard links[key] == .open, let name = names[key] else { return world.breach("sent on no open connection") }
        if case .ping(let id) = message, let pongs = world.given.pongs {
            let serverTimeMs = world.nowMs + pongs.aheadMs + pongs.rttMs / 2
            let pong = RelayMessage.pong(id: id, serverTimeMs: serverTimeMs).text
            let answer: @MainActor () -> Void = { [unowned self] in
                if links[key] == .open { give(.received(key, pong)) }
            }
            if pongs.rttMs == 0 {
                answers.append(answer)
            } else {
                _ = world.clock.schedule(afterMs: pongs.rttMs, answer)
            }
        } else if let json = try? JSONValue(parsing: message.text) {
            world.note(.told("sent", to: name, json))
        }
    }

    private func close(_ key: ConnectionKey) {
        guard links[key] != .over, let name = names[key] else { return world.breach("closed twice") }
        links[key] = .over
        world.note("closed", .string(name))
    }

    private func cancel(_ work: WorkKey) {
        cancelled.insert(work)
        if let number = searches.firstIndex(of: work) {
            world.note("cancelled", .string("search \(number + 1)"))
        } else if let id = probes.first(where: { $0.work == work })?.id {
            world.note("cancelled", .string("probe \(id)"))
        }
    }

    private func start(_ action: PlayerAction, on key: AdapterKey) {
        guard running[key] == nil else { return world.breach("started two commands of one player") }
        guard let player = world.players[adapters[key.number]] else { return }
        player.commanded(action.json)
        running[key] = action
        guard !player.isManual else { return }
        answers.append { [unowned self] in
            running[key] = nil
            player.apply(action)
            give(.commandEnded(key, nil))
        }
    }

    private func finish(_ call: CallKey, _ result: CallResult) {
        let name = calls[call] ?? ""
        switch result {
        case .created(let code): world.note(.ended("returns", call: name, .string(code)))
        case .joined, .released: world.note(.ended("returns", call: name, "done"))
        case .chose(let taken): world.note(.ended("returns", call: name, .bool(taken)))
        case .failed(let failure): world.note(.ended("throws", call: name, error(failure).traceJSON))
        case .partyClosed: world.note(.ended("throws", call: name, "closed"))
        }
    }

    // MARK: The relay list

    private func refresh(then finish: @escaping @MainActor (Bool) -> Void) {
        let waiter = refreshes.count + 1
        refreshes[waiter] = finish
        perform(directory.refresh(waiter: waiter))
    }

    private func perform(_ effects: [RelayDirectory.Effect]) {
        for effect in effects {
            switch effect {
            case .get(_, let url): world.note("fetched", .string(url))
            case .startTimer(let number, let delayMs):
                fetchTimers[number] = world.clock.schedule(afterMs: delayMs) { [unowned self] in
                    perform(directory.timedOut(number))
                }
            case .cancelTimer(let number): fetchTimers.removeValue(forKey: number)?()
            case .cancelGet(let number): world.note("cancelled", .string("fetch \(number)"))
            case .finish(let waiter, let isValid): refreshes[waiter]?(isValid)
            }
        }
    }

    // MARK: What the app sees

    private func error(_ failure: PartyFailure) -> PartyError {
        PartyError(failure.code, failure.message, re: failure.re)
    }

    private func shown(_ state: PublicState) -> PartyState<String> {
        PartyState(
            connection: state.connection,
            peerId: state.peerId,
            room: state.room,
            media: state.media,
            match: state.match,
            choice: state.choice.map { candidates[$0.number] },
            mismatch: state.mismatch.map { Mismatch(candidate: candidates[$0.candidate.number], deltaMs: $0.deltaMs) },
            candidates: state.candidates.map {
                Ranked(candidate: candidates[$0.candidate.number], deltaMs: $0.deltaMs)
            },
            offsetMs: state.offsetMs,
            player: state.player,
            endReason: state.endReason
        )
    }

    private func shown(_ event: PublicEvent) -> any EventJSON {
        switch event {
        case .action(let kind, let byPeerId, let by, let byMe, let room):
            ActionEvent(kind: kind, byPeerId: byPeerId, by: by, byMe: byMe, room: room)
        case .participantJoined(let participant): ParticipantJoinedEvent(participant: participant)
        case .participantLeft(let participant): ParticipantLeftEvent(participant: participant)
        case .error(let failure): ErrorEvent(error: error(failure))
        case .resolveFailed(let key): ResolveFailedEvent(error: key.map { failures[$0.number] } ?? TimeoutError())
        case .playBlocked(let key): PlayBlockedEvent(error: failures[key.number])
        case .ended(let reason, let failure): EndedEvent(reason: reason, error: failure.map(error))
        }
    }
}
