// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OpenWatchParty

/// The calls that a trace's app makes of its party.
extension FacadeStage {
    func take(_ call: TraceCall, as name: String) throws {
        switch call {
        case .create: watch(party.startCreate(), name) { .string($0) }
        case .join(let code, let create): watch(party.startJoin(code, create: create), name) { "done" }
        case .leave: party.leave()
        case .close: watch(party.startClose(), name) { "done" }
        case .attachPlayer(let player, let ref): party.attachPlayer(try world.player(player), ref: ref)
        case .detachPlayer(let player): watch(party.startDetach(try player.map(world.player)), name) { "done" }
        case .playerChanged: party.playerChanged()
        case .acceptMismatch: party.acceptMismatch()
        case .declineMismatch: party.declineMismatch()
        case .choose(let candidate): watch(party.startChoose(self.candidate(candidate)), name) { .bool($0) }
        case .resolveAgain: party.resolveAgain()
        case .roomPositionMs:
            let positionMs = party.roomPositionMs()
            world.note(.ended("returns", call: name, positionMs.map { .number(Double($0)) } ?? "none"))
        case .refresh: watch(relays.startRefresh(), name) { .bool($0) }
        case .relayFor(let code):
            world.note(.ended("returns", call: name, .string(relays.relayFor(code)?.id ?? "none")))
        default:
            do {
                try command(call)
            } catch let error as PartyError {
                world.note(.ended("throws", call: name, error.traceJSON))
            }
        }
    }

    private func command(_ call: TraceCall) throws {
        switch call {
        case .setOffset(let ms): try party.setOffset(ms)
        case .play: try party.play()
        case .pause: try party.pause()
        case .seek(let ms): try party.seek(to: ms)
        case .setRate(let rate): try party.setRate(rate)
        case .setMedia(let media, let ref, let positionMs): try party.setMedia(media, ref: ref, positionMs: positionMs)
        case .clearMedia: try party.clearMedia()
        case .setControl(let control): try party.setControl(control)
        case .transferHost(let peerId): try party.transferHost(peerId)
        case .kick(let peerId): try party.kick(peerId)
        case .lock(let locked): try party.lock(locked)
        case .end: try party.end()
        default: break
        }
    }

    private func watch<Value>(_ call: Call<Value>, _ name: String, _ json: @escaping (Value) -> JSONValue) {
        calls.append { [world] in
            switch call.result {
            case nil: return false
            case .success(let value): world.note(.ended("returns", call: name, json(value)))
            case .failure(let error):
                world.note(.ended("throws", call: name, (error as? PartyError)?.traceJSON ?? "closed"))
            }
            return true
        }
    }

    func candidate(_ candidate: TraceCandidate) -> Candidate<String> {
        let app = self.app
        let id = candidate.id
        var probe: (@MainActor @Sendable () async throws -> Int64?)?
        if candidate.hasProbe { probe = { try await app.probe(id) } }
        return Candidate(
            id: id,
            ref: candidate.ref,
            durationMs: candidate.durationMs,
            sizeBytes: candidate.sizeBytes,
            oshash: candidate.oshash,
            name: candidate.name,
            probe: probe
        )
    }
}
