// OpenWatchParty for Swift. See LICENSE.

/// The search through ranked candidates for one of the right duration (section 9.5).
///
/// Ask for the next step; run the probe it names, one at a time; tell how it went; ask again. At most 4 probes count,
/// and all together have 60000 ms of local time.
public struct MatchingWalk: Hashable, Sendable {
    private struct Probe: Hashable, Sendable {
        let startedAtMs: Int64
        let cancelAfterMs: Int64
    }

    /// All candidates in ranked order, with the differences known so far.
    public private(set) var ranked: [RankedIndex]
    private let durationMs: Int64
    private let hasProbe: [Bool]
    private var place = 0
    private var running: Probe?
    private var closest: WalkOutcome?
    private var outcome: WalkOutcome?
    private var probesLeft = Constants.probes
    private var budgetMs = Constants.probeBudgetMs

    /// Ranks the candidates, and starts before the first.
    ///
    /// - Parameters:
    ///   - media: The room's descriptor.
    ///   - candidates: The resolver's answer, in its order.
    public init(media: Media, candidates: [CandidateFacts]) {
        durationMs = media.durationMs
        hasProbe = candidates.map(\.hasProbe)
        ranked = rankCandidates(candidates, for: media).map { index in
            let counting = countingDuration(candidates[index].durationMs)
            return RankedIndex(index: index, deltaMs: counting?.saturatingSubtract(media.durationMs))
        }
    }

    /// Goes on to the next probe, or to the end.
    ///
    /// While a probe runs, this names the same one again; after the end, the same outcome.
    ///
    /// - Parameter localMs: Local time now, in ms; a new probe starts at it.
    /// - Returns: The probe to run, or how the walk ended.
    public mutating func next(atLocalMs localMs: Int64) -> WalkStep {
        if let running { return .probe(index: ranked[place].index, cancelAfterMs: running.cancelAfterMs) }
        while outcome == nil, place < ranked.count {
            let candidate = ranked[place]
            if let deltaMs = candidate.deltaMs {
                take(deltaMs, of: candidate.index)
            } else if hasProbe[candidate.index], probesLeft > 0 {
                let probe = Probe(startedAtMs: localMs, cancelAfterMs: budgetMs + 1)
                running = probe
                return .probe(index: candidate.index, cancelAfterMs: probe.cancelAfterMs)
            }
            place += 1
        }
        let end = outcome ?? closest ?? .unavailable
        outcome = end
        return .finished(end)
    }

    /// Takes the end of the running probe: its answer, or that it failed.
    ///
    /// An answer after the deadline is a miss, even when nobody has cancelled the probe yet.
    ///
    /// - Parameters:
    ///   - answerMs: The duration it found; nil when it found none or threw.
    ///   - localMs: Local time now, in ms.
    public mutating func probeAnswered(durationMs answerMs: Int64?, atLocalMs localMs: Int64) {
        guard let probe = running else { return }
        let tookMs = max(0, localMs.saturatingSubtract(probe.startedAtMs))
        guard tookMs < probe.cancelAfterMs else { return probeMissed() }
        running = nil
        budgetMs -= tookMs
        probesLeft -= 1
        if let counting = countingDuration(answerMs) {
            ranked[place].deltaMs = counting.saturatingSubtract(durationMs)
        } else {
            place += 1
        }
    }

    /// Takes the cancellation of the running probe, past its deadline: it does not count, and no other follows.
    public mutating func probeMissed() {
        guard running != nil else { return }
        running = nil
        probesLeft = 0
        place += 1
    }

    /// Checks a candidate's difference: the first within tolerance wins, else the closest is kept, the earlier on ties.
    private mutating func take(_ deltaMs: Int64, of index: Int) {
        if deltaMs.magnitude <= UInt64(Constants.matchToleranceMs) {
            outcome = .matched(index: index, deltaMs: deltaMs)
        } else if let kept = closest?.match.deltaMs, kept.magnitude <= deltaMs.magnitude {
            return
        } else {
            closest = .mismatch(index: index, deltaMs: deltaMs)
        }
    }
}
