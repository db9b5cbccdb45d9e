// OpenWatchParty for Swift. See LICENSE.

import OpenWatchParty

/// The phases of the demo.
///
/// Anna is the host; Ben's connection is cut; Cleo's player is put off and runs dry.
enum DemoStory {
    /// The whole story, in order.
    static let phases = [
        create, join, match, start, pause, resume, seek, rate, drift, stall, cut, leave, end,
    ]

    static let create = DemoPhase(name: "create", title: "Anna creates a room", boundMs: 2000) { stage in
        let host = stage.seats[0].party
        let created = try await stage.call("create", withinMs: 2000) { try await host.create() }
        stage.code = try formatCode(created.value)
        return .init(tookMs: created.tookMs)
    }

    static let join = DemoPhase(name: "join", title: "Ben and Cleo join by the typed code", boundMs: 2000) { stage in
        let code = stage.code ?? ""
        // As people type it: `k7m-q2x`, `k7m q2x`.
        let typed = [code.lowercased(), code.lowercased().replacing("-", with: " ")]
        var longest: Int64 = 0
        for (seat, text) in zip(stage.seats.dropFirst(), typed) {
            let joined = try await stage.call("\(seat.name)'s join of \(text)", withinMs: 2000) {
                try await seat.party.join(text)
            }
            longest = max(longest, joined.tookMs)
        }
        try stage.seats[0].party.setControl(.everyone)
        _ = try await stage.reach(withinMs: 2000, of: stage.nowMs(), holdingMs: 0) {
            stage.seats.first { !$0.party.state.canControl }.map { "\($0.name) may not control the room" }
        }
        return .init(tookMs: longest)
    }

    static let match = DemoPhase(name: "match", title: "all find their own copy of the film", boundMs: 5000) {
        stage in
        let start = stage.nowMs()
        try stage.seats[0].party.setMedia(stage.cast.media, ref: stage.seats[0].person.copy)
        let took = try await stage.reach(withinMs: 5000, of: start, holdingMs: 0) {
            for seat in stage.seats {
                let state = seat.party.state
                guard state.match?.state == .matched else {
                    let closest = state.mismatch.map { ", the closest differs by \(duration(abs($0.deltaMs)))" } ?? ""
                    return "\(seat.name) found no copy of this length\(closest)"
                }
                guard state.choice?.ref == seat.person.copy else { return "\(seat.name) found the wrong copy" }
            }
            return nil
        }
        return .init(tookMs: took)
    }

    static let start = DemoPhase(name: "start", title: "all are ready: the film starts", boundMs: 3000) {
        stage in
        _ = try await stage.reach(withinMs: 20_000, of: stage.nowMs(), holdingMs: 0) {
            if let seat = stage.seats.first(where: { $0.openingFailure != nil }), let failure = seat.openingFailure {
                return "\(seat.name) could not open the film: \(failure)"
            }
            return stage.seats.first { $0.sample?.shown != true }.map { "\($0.name)'s player shows no frame" }
        }
        let took = try await stage.inStep(withinMs: 3000, of: stage.nowMs())
        return .init(tookMs: took.tookMs, inStepFromMs: took.sinceMs)
    }

    static let pause = DemoPhase(name: "pause", title: "Ben presses pause: all stand still", boundMs: 500) { stage in
        let start = stage.nowMs()
        try stage.seats[1].party.pause()
        let took = try await stage.reach(withinMs: 500, of: start) { stage.notStill() }
        await stage.pass(forMs: 500)
        return .init(tookMs: took, inStepFromMs: start + took)
    }

    static let resume = DemoPhase(name: "play", title: "Cleo presses play", boundMs: 3000) { stage in
        let start = stage.nowMs()
        try stage.seats[2].party.play()
        let took = try await stage.inStep(withinMs: 3000, of: start)
        return .init(tookMs: took.tookMs, inStepFromMs: took.sinceMs)
    }

    static let seek = DemoPhase(name: "seek", title: "Anna jumps: all play from there", boundMs: 3000) { stage in
        let start = stage.nowMs()
        let target = stage.seekTargetMs
        try stage.seats[0].party.seek(to: target)
        let took = try await stage.inStep(withinMs: 3000, of: start) {
            let positions = stage.log.samples.last?.shown.map(\.positionMs) ?? []
            let latest = target + stage.nowMs() - start + inStepMs
            guard positions.allSatisfy({ (target - inStepMs...latest).contains($0) }) else {
                return "not everyone jumped to \(timecode(target))"
            }
            return nil
        }
        return .init(tookMs: took.tookMs, inStepFromMs: took.sinceMs)
    }

    static let rate = DemoPhase(name: "rate", title: "Ben sets 1.25 times the speed", boundMs: 1000) { stage in
        let start = stage.nowMs()
        try stage.seats[1].party.setRate(1.25)
        let took = try await stage.reach(withinMs: 1000, of: start) { stage.notAt(rate: 1.25) }
        await stage.pass(forMs: 1000)
        let end = stage.nowMs()
        try stage.seats[1].party.setRate(1)
        _ = try await stage.reach(withinMs: 1000, of: end) { stage.notAt(rate: 1) }
        return .init(tookMs: took, inStepFromMs: start + took)
    }
}

extension DemoStage {
    /// Waits until all play in step, and watches them for a while.
    ///
    /// - Returns: How long it took in ms, and since when it is so.
    func inStep(
        withinMs boundMs: Int64,
        of startMs: Int64,
        _ missing: @escaping @MainActor () -> String? = { nil }
    ) async throws -> (tookMs: Int64, sinceMs: Int64) {
        let took = try await reach(withinMs: boundMs, of: startMs, holdingMs: 1000) { [self] in
            missing() ?? notInStep()
        }
        await pass(forMs: 1000)
        return (took, startMs + took)
    }

    /// Whoever does not play at a rate, in words; the nudge of 4 % is no other rate.
    func notAt(rate: Double) -> String? {
        for (index, seat) in seats.enumerated() where seat.isPresent {
            guard let speed = log.speed(ofSeat: index), abs(speed - rate) < rate * 0.06 else {
                return "\(seat.name)'s player does not play at \(rate) times the speed"
            }
        }
        return nil
    }

    private var positionMs: Int64 { log.samples.last?.shown.map(\.positionMs).max() ?? 0 }
    private var shortestMs: Int64 { cast.people.map(\.copy.durationMs).min() ?? 0 }

    /// Ten minutes on where the film is long enough, else so that a minute is left, else back to the beginning.
    var seekTargetMs: Int64 {
        let target = min(positionMs + 600_000, shortestMs - 60_000)
        return target > positionMs + 2000 ? target : 1000
    }

    /// Goes back to the beginning when a short film would end during a phase.
    func rewind(unlessLeftMs neededMs: Int64) async {
        guard neededMs > 0, shortestMs - positionMs < neededMs, let seat = present.first else { return }
        guard (try? seat.party.seek(to: 1000)) != nil else { return }
        _ = try? await inStep(withinMs: 5000, of: nowMs())
    }
}
