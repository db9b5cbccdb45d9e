// OpenWatchParty for Swift. See LICENSE.

package import OWPCore

/// What `PartyState` holds, with candidates by their keys (section 16.6).
package struct PublicState: Hashable, Sendable {
    /// A candidate with its difference once known.
    package struct Entry: Hashable, Sendable {
        /// The candidate.
        package var candidate: CandidateKey
        /// Its duration minus the descriptor's, in ms.
        package var deltaMs: Int64?

        /// Makes an entry.
        package init(_ candidate: CandidateKey, deltaMs: Int64?) {
            self.candidate = candidate
            self.deltaMs = deltaMs
        }
    }

    /// The offered candidate while the user decides.
    package struct Offer: Hashable, Sendable {
        /// The candidate.
        package var candidate: CandidateKey
        /// Its duration minus the descriptor's, in ms.
        package var deltaMs: Int64

        /// Makes an offer.
        package init(_ candidate: CandidateKey, deltaMs: Int64) {
            self.candidate = candidate
            self.deltaMs = deltaMs
        }
    }

    /// The session status.
    package var connection: Connection = .idle
    /// The own peer ID while in a room.
    package var peerId: String?
    /// The last accepted snapshot.
    package var room: Room?
    /// The current descriptor.
    package var media: Media?
    /// The match as reported in `status`.
    package var match: Match?
    /// The file to open.
    package var choice: CandidateKey?
    /// The file offered while the user decides.
    package var mismatch: Offer?
    /// The ranked candidates.
    package var candidates: [Entry] = []
    /// The local offset in ms.
    package var offsetMs: Int64 = 0
    /// The player as reported in `status`.
    package var player: PlayerState = .idle
    /// Why the party ended.
    package var endReason: EndReason?

    /// The state of a new party.
    package init() {}
}

/// What the events hold, with errors by their keys (section 15).
package enum PublicEvent: Hashable, Sendable {
    /// An accepted `room` carried an action; `by` is the acting peer's entry in this snapshot.
    case action(kind: String, byPeerId: String?, by: Participant?, byMe: Bool, room: Room)
    /// A peer ID appeared.
    case participantJoined(Participant)
    /// A peer ID disappeared; its last known entry.
    case participantLeft(Participant)
    /// The relay sent an error on the member connection.
    case error(PartyFailure)
    /// The resolver threw this; nil: it took longer than 30000 ms, and the event carries a `TimeoutError`.
    case resolveFailed(FailureKey?)
    /// The player refused to start, with what its `play` threw.
    case playBlocked(FailureKey)
    /// The party ended; the error is there for `lost` alone.
    case ended(EndReason, PartyFailure?)
}
