// OpenWatchParty for Swift. See LICENSE.

import OpenWatchParty

extension DemoStory {
    /// How far one player is put off, in ms, which the nudge of 4 % needs 17 s to make up for.
    static let displacementMs: Int64 = 800
    /// How long one player's input is held back, in ms.
    static let stallMs: Int64 = 3000

    static let drift = DemoPhase(
        name: "drift",
        title: "Cleo, put 800 ms off, comes back",
        boundMs: 20_000,
        filmMs: 26_000
    ) { stage in
        // To the side on which the others are: a nudge ends as soon as the room is less than 150 ms away, and from the
        // other side they might be a little more than that for good.
        let others = stage.log.samples.last.map { $0.players.prefix(2).compactMap { $0?.positionMs } } ?? []
        let isAhead = stage.roomMs.map { others.reduce(0, +) > $0 * Int64(others.count) } ?? false
        let start = stage.nowMs()
        try await stage.seats[2].player?.player.displace(byMs: isAhead ? displacementMs : -displacementMs)
        _ = try await stage.reach(withinMs: 1000, of: stage.nowMs(), holdingMs: 0) {
            let distance = stage.log.samples.last?.distanceMs ?? 0
            return distance > displacementMs - 250 ? nil : "Cleo's player could not be put off"
        }
        let took = try await stage.reach(withinMs: 20_000, of: start, holdingMs: 1000) {
            if let missing = stage.notMoving() { return missing }
            guard let distance = stage.log.distanceToOthers(ofSeat: 2) else { return "Cleo's player does not play" }
            let ms = Int64(abs(distance).rounded())
            return ms > inStepMs
                ? "Cleo's player is still \(ms) ms \(distance < 0 ? "behind" : "ahead of") the others" : nil
        }
        await stage.pass(forMs: 1000)
        return .init(tookMs: took, inStepFromMs: start + took)
    }

    static let stall = DemoPhase(
        name: "stall",
        title: "Cleo runs dry for 3 s: all wait",
        boundMs: 3000,
        filmMs: 35_000
    ) {
        stage in
        let stalled = stage.seats[2]
        let others = stage.present.filter { $0 !== stalled }
        let seeks = others.map { $0.player?.seeks }
        let end = try await stage.call("running Cleo's player dry", withinMs: 35_000) {
            try await stalled.player?.player.stall(forMs: stallMs)
            return stage.nowMs() + stallMs
        }.value
        // Its own 800 ms, and the way of the news to everyone.
        _ = try await stage.reach(withinMs: 2000, of: stage.nowMs()) {
            stage.notStill(except: stalled).map { "the room does not wait: \($0)" }
        }
        await stage.until { stage.nowMs() >= end || stage.notStill(except: stalled) != nil }
        guard stage.nowMs() >= end else { throw PhaseFailure("the room did not wait for Cleo to the end") }
        let took = try await stage.inStep(withinMs: 3000, of: end)
        for (seat, before) in zip(others, seeks) where seat.player?.seeks != before {
            throw PhaseFailure("\(seat.name)'s player was sought, though only Cleo's ran dry")
        }
        return .init(tookMs: took.tookMs, inStepFromMs: took.sinceMs)
    }

    static let cut = DemoPhase(name: "cut", title: "Ben's connection is cut and resumed", boundMs: 5000, filmMs: 9000) {
        stage in
        let (seat, witness) = (stage.seats[1], stage.seats[2])
        let peer = seat.party.state.peerId
        let start = stage.nowMs()
        seat.line?.cut()
        // The others must have seen it go: a cut that nobody noticed is none.
        var wasGone = false
        let took = try await stage.reach(withinMs: 5000, of: start) {
            let people = witness.party.state.room?.participants ?? []
            let entry = people.first { $0.peerId == peer }
            if entry?.connected == false { wasGone = true }
            guard wasGone else { return "nobody noticed that Ben's connection was cut" }
            guard entry?.connected == true, seat.party.state.connection == .connected else {
                return "Ben is not back in the room"
            }
            guard seat.party.state.peerId == peer, people.count == stage.present.count else {
                return "Ben came back as somebody else"
            }
            return stage.notMoving()
        }
        await stage.pass(forMs: 1000)
        return .init(tookMs: took, inStepFromMs: start)
    }

    static let leave = DemoPhase(
        name: "leave",
        title: "Anna leaves: another becomes host",
        boundMs: 1000,
        filmMs: 5000
    ) {
        stage in
        let start = stage.nowMs()
        let left = stage.seats[0]
        left.leave()
        let took = try await stage.reach(withinMs: 1000, of: start) {
            var hosts: Set<String> = []
            for seat in stage.present {
                let people = seat.party.state.room?.participants ?? []
                guard people.count == stage.present.count else { return "\(seat.name) still sees Anna in the room" }
                hosts.formUnion(people.filter(\.host).map(\.peerId))
            }
            guard hosts.count == 1, stage.present.contains(where: \.party.state.isHost) else {
                return "there is no new host"
            }
            return stage.notMoving()
        }
        await left.close()
        await stage.pass(forMs: 1000)
        return .init(tookMs: took, inStepFromMs: start + took)
    }

    static let end = DemoPhase(name: "end", title: "the new host ends the party for all", boundMs: 1000) { stage in
        let start = stage.nowMs()
        guard let host = stage.present.first(where: \.party.state.isHost) else {
            throw PhaseFailure("there is no host")
        }
        try host.party.end()
        let took = try await stage.reach(withinMs: 1000, of: start, holdingMs: 0) {
            stage.present.first { $0.party.state.connection != .ended || $0.party.state.endReason != .ended }
                .map { "the party did not end for \($0.name)" }
        }
        return .init(tookMs: took)
    }
}
