// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPMatching

/// The search for the own copy of the room's media, and what it has found (section 9).
struct MatchSearch: Sendable {
    /// The file to open, with its ref.
    struct Choice: Hashable, Sendable {
        let candidate: CandidateKey
        let ref: RefKey
    }

    private struct Offer {
        let candidate: OfferedCandidate
        let deltaMs: Int64
    }

    private struct Walk {
        var walk: MatchingWalk
        let offered: [OfferedCandidate]
        var probe: WorkKey?
    }

    private enum Stage {
        case resting
        /// Waits for the resolver; `walks` is false when only the list is wanted.
        case resolving(WorkKey, walks: Bool)
        case walking(Walk)
    }

    private struct Choosing {
        let call: CallKey
        let candidate: OfferedCandidate
        let probe: WorkKey
    }

    /// What `status` reports; nil without media.
    private(set) var match: Match?
    /// The file to open.
    private(set) var choice: Choice?
    /// The ranked candidates.
    private(set) var entries: [PublicState.Entry] = []
    /// Whether the epoch's media was the party's own when the epoch began.
    private(set) var isOwn = false
    private var media: Media?
    private var offer: Offer?
    private var stage = Stage.resting
    private var choosing: Choosing?
    private let hasResolver: Bool

    /// Makes the search of a party with or without a resolver.
    init(hasResolver: Bool) { self.hasResolver = hasResolver }

    /// The file offered while the user decides.
    var mismatch: PublicState.Offer? {
        offer.map { PublicState.Offer($0.candidate.key, deltaMs: $0.deltaMs) }
    }

    /// The candidates, and the refs among them, that it may still name.
    var inUse: (candidates: [CandidateKey], refs: [RefKey]) {
        var offered = [offer?.candidate, choosing?.candidate].compactMap { $0 }
        if case .walking(let walk) = stage { offered += walk.offered }
        let candidates = entries.map(\.candidate) + offered.map(\.key) + (choice.map { [$0.candidate] } ?? [])
        return (candidates, offered.map(\.ref) + (choice.map { [$0.ref] } ?? []))
    }

    // MARK: Epochs

    /// Begins a new epoch with its media, and the file of it when it is the party's own (section 9.1).
    mutating func begin(_ media: Media?, own: Choice?, _ turn: inout Turn) {
        cancel(&turn)
        self.media = media
        match = nil
        choice = own
        offer = nil
        entries = []
        isOwn = own != nil
        if media == nil { return }
        if isOwn {
            match = Match(state: .matched, deltaMs: 0)
        } else {
            search(&turn)
        }
    }

    /// Forgets all, at the party's end.
    mutating func end(_ turn: inout Turn) { begin(nil, own: nil, &turn) }

    /// Takes `resolveAgain`: a new search, or with a choice a new list alone.
    mutating func resolveAgain(_ turn: inout Turn) {
        guard media != nil, !isOwn else { return }
        cancel(&turn)
        if choice == nil {
            offer = nil
            entries = []
            search(&turn)
        } else if hasResolver {
            resolve(walks: false, &turn)
        }
    }

    /// Cancels the resolver's call and all probes, and forgets their answers.
    private mutating func cancel(_ turn: inout Turn) {
        if case .resolving(let work, _) = stage {
            turn.add(.cancelWork(work))
            turn.add(.cancelTimer(.resolve))
        }
        cancelWalk(&turn)
        stage = .resting
        cancelChoosing(&turn)
    }

    private mutating func search(_ turn: inout Turn) {
        guard hasResolver else {
            match = Match(state: .unavailable)
            return
        }
        match = Match(state: .searching)
        resolve(walks: true, &turn)
    }

    // MARK: The resolver

    private mutating func resolve(walks: Bool, _ turn: inout Turn) {
        guard let media else { return }
        let work = turn.newWork()
        stage = .resolving(work, walks: walks)
        turn.add(.resolve(work, media))
        turn.add(.startTimer(.resolve, afterMs: Constants.resolveTimeoutMs))
    }

    /// Takes the resolver's answer.
    mutating func resolved(_ work: WorkKey, _ offered: [OfferedCandidate], _ turn: inout Turn) {
        guard case .resolving(work, let walks) = stage else { return }
        turn.add(.cancelTimer(.resolve))
        answered(offered, walks: walks, &turn)
    }

    /// Takes the resolver's throw, which means no candidates.
    mutating func resolveFailed(_ work: WorkKey, _ failure: FailureKey, _ turn: inout Turn) {
        guard case .resolving(work, let walks) = stage else { return }
        turn.add(.cancelTimer(.resolve))
        turn.announce(.emit(.resolveFailed(failure)))
        answered([], walks: walks, &turn)
    }

    /// Takes the end of the resolver's time.
    mutating func resolveTimedOut(_ turn: inout Turn) {
        guard case .resolving(let work, let walks) = stage else { return }
        turn.add(.cancelWork(work))
        turn.announce(.emit(.resolveFailed(nil)))
        answered([], walks: walks, &turn)
    }

    private mutating func answered(_ offered: [OfferedCandidate], walks: Bool, _ turn: inout Turn) {
        guard let media else { return }
        let walk = Walk(
            walk: MatchingWalk(media: media, candidates: offered.map(CandidateFacts.init)),
            offered: offered
        )
        if walks {
            go(on: walk, &turn)
        } else {
            list(walk)
            stage = .resting
        }
    }

    // MARK: The walk

    private mutating func go(on walk: Walk, _ turn: inout Turn) {
        var walk = walk
        let step = walk.walk.next(atLocalMs: turn.nowMs)
        list(walk)
        switch step {
        case .probe(let index, let cancelAfterMs):
            let work = turn.newWork()
            walk.probe = work
            stage = .walking(walk)
            turn.add(.probe(work, walk.offered[index].key))
            turn.add(.startTimer(.probe, afterMs: cancelAfterMs))
        case .finished(let outcome):
            stage = .resting
            finish(outcome, of: walk.offered)
        }
    }

    /// Takes the answer of a probe, of the walk or of `choose`.
    mutating func probed(_ work: WorkKey, durationMs: Int64?, _ turn: inout Turn) {
        if case .walking(var walk) = stage, walk.probe == work {
            turn.add(.cancelTimer(.probe))
            walk.probe = nil
            walk.walk.probeAnswered(durationMs: durationMs, atLocalMs: turn.nowMs)
            go(on: walk, &turn)
        } else if let choosing, choosing.probe == work {
            self.choosing = nil
            let duration = countingDuration(durationMs)
            if let duration { take(choosing.candidate, durationMs: duration, &turn) }
            turn.announce(.finish(choosing.call, .chose(duration != nil)))
        }
    }

    /// Takes the end of the running probe's time.
    mutating func probeTimedOut(_ turn: inout Turn) {
        guard case .walking(var walk) = stage, let work = walk.probe else { return }
        turn.add(.cancelWork(work))
        walk.probe = nil
        walk.walk.probeMissed()
        go(on: walk, &turn)
    }

    private mutating func list(_ walk: Walk) {
        entries = walk.walk.ranked.map { PublicState.Entry(walk.offered[$0.index].key, deltaMs: $0.deltaMs) }
    }

    private mutating func finish(_ outcome: WalkOutcome, of offered: [OfferedCandidate]) {
        match = outcome.match
        switch outcome {
        case .matched(let index, _): choice = Choice(candidate: offered[index].key, ref: offered[index].ref)
        case .mismatch(let index, let deltaMs): offer = Offer(candidate: offered[index], deltaMs: deltaMs)
        case .unavailable: break
        }
    }

    private mutating func cancelWalk(_ turn: inout Turn) {
        guard case .walking(let walk) = stage else { return }
        stage = .resting
        guard let work = walk.probe else { return }
        turn.add(.cancelWork(work))
        turn.add(.cancelTimer(.probe))
    }

    // MARK: The user's answers

    /// Takes `acceptMismatch`.
    mutating func acceptMismatch() {
        guard let offer else { return }
        choice = Choice(candidate: offer.candidate.key, ref: offer.candidate.ref)
        match = Match(state: .mismatched, deltaMs: offer.deltaMs)
        self.offer = nil
    }

    /// Takes `declineMismatch`.
    mutating func declineMismatch() {
        guard let offer else { return }
        choice = nil
        match = Match(state: .unavailable, deltaMs: offer.deltaMs)
        self.offer = nil
    }

    /// Takes `choose`, which ends now, or with its probe.
    mutating func choose(_ candidate: OfferedCandidate, _ call: CallKey, _ turn: inout Turn) {
        guard media != nil else { return turn.announce(.finish(call, .chose(false))) }
        cancelChoosing(&turn)
        if let duration = countingDuration(candidate.durationMs) {
            take(candidate, durationMs: duration, &turn)
            turn.announce(.finish(call, .chose(true)))
        } else if candidate.hasProbe {
            let work = turn.newWork()
            choosing = Choosing(call: call, candidate: candidate, probe: work)
            turn.add(.probe(work, candidate.key))
        } else {
            turn.announce(.finish(call, .chose(false)))
        }
    }

    /// Sets a candidate that the user picked; a resolver's call goes on, for the list alone.
    private mutating func take(_ candidate: OfferedCandidate, durationMs: Int64, _ turn: inout Turn) {
        guard let media else { return }
        cancelWalk(&turn)
        if case .resolving(let work, _) = stage { stage = .resolving(work, walks: false) }
        offer = nil
        choice = Choice(candidate: candidate.key, ref: candidate.ref)
        let deltaMs = durationMs - media.durationMs
        let matches = deltaMs.magnitude <= UInt64(Constants.matchToleranceMs)
        match = Match(state: matches ? .matched : .mismatched, deltaMs: deltaMs)
    }

    /// Takes the end of the task that awaits a `choose`.
    mutating func cancelChoosing(_ call: CallKey, _ turn: inout Turn) {
        if choosing?.call == call { cancelChoosing(&turn) }
    }

    private mutating func cancelChoosing(_ turn: inout Turn) {
        guard let choosing else { return }
        self.choosing = nil
        turn.add(.cancelWork(choosing.probe))
        turn.announce(.finish(choosing.call, .chose(false)))
    }
}

extension CandidateFacts {
    /// Takes what the machine looks at.
    fileprivate init(_ candidate: OfferedCandidate) {
        self.init(
            durationMs: candidate.durationMs,
            sizeBytes: candidate.sizeBytes,
            oshash: candidate.oshash,
            name: candidate.name,
            hasProbe: candidate.hasProbe
        )
    }
}
