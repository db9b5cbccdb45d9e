// OpenWatchParty for Swift. See LICENSE.

import OpenWatchParty

/// One phase of the story: something happens, and something must follow in time.
struct DemoPhase: Sendable {
    /// What a phase that happened says of itself.
    struct Outcome: Sendable {
        /// How long what it promises took, in ms.
        var tookMs: Int64
        /// From when the players had to be in step; nil where the phase asks for none.
        var inStepFromMs: Int64?
    }

    /// The phase's word.
    let name: String
    /// What happens, in at most 38 characters.
    let title: String
    /// The time it has for what it promises, in ms.
    let boundMs: Int64
    /// How much film it needs ahead of it, in ms.
    var filmMs: Int64 = 0
    /// Plays it; throws ``PhaseFailure``, or what a call of the API threw.
    let play: @MainActor (DemoStage) async throws -> Outcome
}

/// How far apart players in step may be, in ms.
let inStepMs: Int64 = 150

/// Plays phases in order on a stage, until one does not happen.
@MainActor
func play(
    _ phases: [DemoPhase],
    on stage: DemoStage,
    before: @MainActor (DemoPhase) async -> Void = { _ in },
    after: @MainActor (PhaseResult) -> Void = { _ in }
) async -> DemoReport {
    var report = DemoReport(
        names: stage.seats.map(\.name),
        copies: stage.cast.people.map(\.copy.name),
        phaseCount: phases.count
    )
    for phase in phases {
        await before(phase)
        await stage.rewind(unlessLeftMs: phase.filmMs)
        let start = stage.nowMs()
        var result = PhaseResult(
            name: phase.name,
            title: phase.title,
            boundMs: phase.boundMs,
            startMs: start,
            endMs: start
        )
        var inStepFromMs: Int64?
        do {
            let outcome = try await phase.play(stage)
            result.tookMs = outcome.tookMs
            inStepFromMs = outcome.inStepFromMs
        } catch let failure as PhaseFailure {
            result.failure = failure.message
        } catch {
            result.failure = "\(error)"
        }
        if stage.isInterrupted { break }
        result.endMs = stage.nowMs()
        result.distances = inStepFromMs.flatMap { stage.log.distances(fromMs: $0, toMs: result.endMs) }
        report.results.append(result)
        after(result)
        if result.failure != nil { break }
    }
    report.log = stage.log
    return report
}

extension DemoStage {
    /// Whoever's picture does not move on, in words.
    func notMoving() -> String? {
        for (index, seat) in seats.enumerated() where seat.isPresent {
            if let failure = seat.openingFailure { return "\(seat.name) could not open the film: \(failure)" }
            guard let player = log.samples.last?.players[index] else { return "\(seat.name) has no player open" }
            guard log.isMoving(seat: index) else {
                return "\(seat.name)'s player \(player.buffering ? "buffers" : "does not play")"
            }
        }
        return nil
    }

    /// Whoever's picture is not still, in words.
    func notStill(except exempt: DemoSeat? = nil) -> String? {
        for (index, seat) in seats.enumerated() where seat.isPresent && seat !== exempt {
            guard log.isStill(seat: index) else { return "\(seat.name)'s player still moves" }
        }
        return nil
    }

    /// What keeps the players from playing in step, in words.
    func notInStep() -> String? {
        if let missing = notMoving() { return missing }
        guard let distance = log.samples.last?.distanceMs, distance > inStepMs else { return nil }
        return "the players are \(distance) ms apart"
    }
}
