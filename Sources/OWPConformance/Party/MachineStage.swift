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
    enum Link { case opening, open, over }

    let world: TraceWorld
    var machine: PartyMachine
    var directory: RelayDirectory
    /// What answers by itself, in order; each waits for all that came of the one before.
    var answers: [@MainActor () -> Void] = []
    var isAnswering = false
    var timers: [PartyTimer: @MainActor () -> Void] = [:]
    var fetchTimers: [Int: @MainActor () -> Void] = [:]
    var links: [ConnectionKey: Link] = [:]
    var names: [ConnectionKey: String] = [:]
    var calls: [CallKey: String] = [:]
    var refreshes: [Int: @MainActor (Bool) -> Void] = [:]
    var searches: [WorkKey] = []
    var probes: [(work: WorkKey, id: String)] = []
    var cancelled: Set<WorkKey> = []
    var running: [AdapterKey: PlayerAction] = [:]
    var adapters: [String] = []
    var refs: [String] = []
    var candidates: [Candidate<String>] = []
    var failures: [any Error] = []
    /// The name of the call that is being made.
    var calling = ""

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

    func take(_ call: TraceCall, as name: String) throws {
        calling = name
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

    func key(_ call: String) -> CallKey {
        let key = CallKey(calls.count + 1)
        calls[key] = call
        return key
    }

    func adapter(_ name: String) -> AdapterKey {
        if !adapters.contains(name) { adapters.append(name) }
        return AdapterKey(adapters.firstIndex(of: name) ?? 0)
    }

    func ref(_ ref: String) -> RefKey {
        if !refs.contains(ref) { refs.append(ref) }
        return RefKey(refs.firstIndex(of: ref) ?? 0)
    }

    func offer(_ candidate: TraceCandidate) -> OfferedCandidate {
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

    func failure(_ error: any Error) -> FailureKey {
        failures.append(error)
        return FailureKey(failures.count - 1)
    }

    func link(_ name: String, _ state: Link) throws -> ConnectionKey {
        guard let key = names.first(where: { $0.value == name })?.key, links[key] == state else {
            throw impossible("something happens to the connection \(name)")
        }
        return key
    }

    // MARK: Inputs

    func give(_ input: PartyInput) {
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
}
