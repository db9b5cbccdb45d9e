// OpenWatchParty for Swift. See LICENSE.

public import OWPCore

/// Everything a party's user interface shows, as one value (section 16.6).
///
/// It changes with a snapshot, the media, matching, the player state, the offset or the connection, never on a tick.
/// Positions are read on demand, from `roomPositionMs()` or the player.
public struct PartyState<Ref: Equatable & Sendable>: Equatable, Sendable {
    /// The session status.
    public let connection: Connection
    /// The own peer ID while in a room.
    public let peerId: String?
    /// The last accepted snapshot of the room.
    public let room: Room?
    /// The room's descriptor, which is untrusted.
    public let media: Media?
    /// How the room's media matched the user's files, as reported to the room; nil without media.
    public let match: Match?
    /// The file to open for the room's media.
    public let choice: Candidate<Ref>?
    /// The file offered while the user decides.
    public let mismatch: Mismatch<Ref>?
    /// The resolver's candidates, ranked (section 9.5).
    public let candidates: [Ranked<Ref>]
    /// The local offset in ms, within ±604800000 (section 13).
    public let offsetMs: Int64
    /// What the player is reported as.
    public let player: PlayerState
    /// Why the party ended; nil while it has not, and from the start of the next attempt.
    public let endReason: EndReason?

    /// Makes a state; by default that of a party that has not joined a room.
    public init(
        connection: Connection = .idle,
        peerId: String? = nil,
        room: Room? = nil,
        media: Media? = nil,
        match: Match? = nil,
        choice: Candidate<Ref>? = nil,
        mismatch: Mismatch<Ref>? = nil,
        candidates: [Ranked<Ref>] = [],
        offsetMs: Int64 = 0,
        player: PlayerState = .idle,
        endReason: EndReason? = nil
    ) {
        self.connection = connection
        self.peerId = peerId
        self.room = room
        self.media = media
        self.match = match
        self.choice = choice
        self.mismatch = mismatch
        self.candidates = candidates
        self.offsetMs = offsetMs
        self.player = player
        self.endReason = endReason
    }

    /// The own entry among the room's participants; a snapshot may have none (section 8).
    public var me: Participant? {
        guard let peerId else { return nil }
        return room?.participants.first { $0.peerId == peerId }
    }

    /// Whether this party is the host.
    public var isHost: Bool { me?.host ?? false }

    /// Whether this party may play, pause, seek and set the rate: the host, or anyone while everyone controls.
    public var canControl: Bool {
        guard let me else { return false }
        return me.host || room?.control == .everyone
    }
}
