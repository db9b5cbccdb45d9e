// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPParty
import OWPSync
import OWPTestSupport
import OWPWire
import OpenWatchParty

/// What the machine asks for: it is recorded, and answered where a trace has no say.
extension MachineStage {
    func perform(_ effect: PartyEffect) {
        switch effect {
        case .refuse(let failure): world.note(.ended("throws", call: calling, error(failure).traceJSON))
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

    func refresh(then finish: @escaping @MainActor (Bool) -> Void) {
        let waiter = refreshes.count + 1
        refreshes[waiter] = finish
        perform(directory.refresh(waiter: waiter))
    }

    func perform(_ effects: [RelayDirectory.Effect]) {
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
