// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPParty

/// Keeps the app's refs, candidates and errors behind the keys by which the machine speaks of them.
///
/// It is the one place that compares refs, with their own `==` (section 10.2).
struct RefTable<Ref: Equatable & Sendable> {
    private var refs: [(key: RefKey, ref: Ref)] = []
    private var candidates: [CandidateKey: Candidate<Ref>] = [:]
    private var candidateKeys: [ObjectIdentifier: CandidateKey] = [:]
    private var failures: [FailureKey: any Error] = [:]
    private var lastKey = 0
    /// Whether something came in since ``forget(allBut:_:_:)``.
    private(set) var hasGrown = false

    /// A key that nothing has yet.
    private mutating func newKey<Thing>() -> Key<Thing> {
        lastKey += 1
        return Key(lastKey)
    }

    /// The key of a ref, which equal refs share.
    mutating func key(for ref: Ref) -> RefKey {
        if let known = refs.first(where: { $0.ref == ref }) { return known.key }
        let key: RefKey = newKey()
        refs.append((key, ref))
        hasGrown = true
        return key
    }

    /// What the machine needs to know of a candidate; the same object always has the same key.
    mutating func offer(_ candidate: Candidate<Ref>) -> OfferedCandidate {
        let key = candidateKeys[ObjectIdentifier(candidate)] ?? newKey()
        candidateKeys[ObjectIdentifier(candidate)] = key
        candidates[key] = candidate
        hasGrown = true
        return OfferedCandidate(
            key: key,
            ref: self.key(for: candidate.ref),
            durationMs: candidate.durationMs,
            sizeBytes: candidate.sizeBytes,
            oshash: candidate.oshash,
            name: candidate.name,
            hasProbe: candidate.probe != nil
        )
    }

    /// The candidate of a key that the machine has named.
    func candidate(_ key: CandidateKey) -> Candidate<Ref>? { candidates[key] }

    /// A key for an error.
    mutating func key(for error: any Error) -> FailureKey {
        let key: FailureKey = newKey()
        failures[key] = error
        hasGrown = true
        return key
    }

    /// The error of a key that the machine has named.
    func error(_ key: FailureKey) -> (any Error)? { failures[key] }

    /// Drops what the machine will not name again.
    mutating func forget(
        allBut candidatesInUse: Set<CandidateKey>,
        _ refsInUse: Set<RefKey>,
        _ failuresInUse: Set<FailureKey>
    ) {
        candidates = candidates.filter { candidatesInUse.contains($0.key) }
        candidateKeys = candidateKeys.filter { candidatesInUse.contains($0.value) }
        refs.removeAll { !refsInUse.contains($0.key) }
        failures = failures.filter { failuresInUse.contains($0.key) }
        hasGrown = false
    }
}

extension RefTable {
    /// The error that an app sees for one of the machine's.
    func partyError(_ failure: PartyFailure) -> PartyError {
        PartyError(
            failure.code,
            failure.message,
            re: failure.re,
            underlying: failure.underlying.flatMap { error($0) }
        )
    }

    /// The state that an app sees for one of the machine's.
    func partyState(_ state: PublicState) -> PartyState<Ref> {
        PartyState(
            connection: state.connection,
            peerId: state.peerId,
            room: state.room,
            media: state.media,
            match: state.match,
            choice: state.choice.flatMap { candidate($0) },
            mismatch: state.mismatch.flatMap { offer in
                candidate(offer.candidate).map { Mismatch(candidate: $0, deltaMs: offer.deltaMs) }
            },
            candidates: state.candidates.compactMap { entry in
                candidate(entry.candidate).map { Ranked(candidate: $0, deltaMs: entry.deltaMs) }
            },
            offsetMs: state.offsetMs,
            player: state.player,
            endReason: state.endReason
        )
    }

    /// The event that an app sees for one of the machine's.
    func partyEvent(_ event: PublicEvent) -> any PartyEvent {
        switch event {
        case .action(let kind, let byPeerId, let by, let byMe, let room):
            ActionEvent(kind: kind, byPeerId: byPeerId, by: by, byMe: byMe, room: room)
        case .participantJoined(let participant): ParticipantJoinedEvent(participant: participant)
        case .participantLeft(let participant): ParticipantLeftEvent(participant: participant)
        case .error(let failure): ErrorEvent(error: partyError(failure))
        case .resolveFailed(let key): ResolveFailedEvent(error: key.flatMap { error($0) } ?? TimeoutError())
        case .playBlocked(let key): PlayBlockedEvent(error: error(key) ?? CancellationError())
        case .ended(let reason, let failure): EndedEvent(reason: reason, error: failure.map { partyError($0) })
        }
    }
}
