// OpenWatchParty for Swift. See LICENSE.

/// What a room is doing (section 8).
///
/// The set is fixed for protocol v1.
public enum Phase: String, Hashable, Sendable, CaseIterable {
    /// No media.
    case idle
    /// Stands at its position until somebody presses play.
    case paused
    /// Wants to play, and waits for the participants in `waitingOn`.
    case waiting
    /// Plays from `atMs` on.
    case playing
}

/// Who may play, pause, seek and set the rate (section 8).
///
/// The set is fixed for protocol v1.
public enum Control: String, Hashable, Sendable, CaseIterable {
    /// The host alone.
    case host
    /// Every participant.
    case everyone
}

/// What a participant's player reports (section 10.2).
///
/// The set is fixed for protocol v1.
public enum PlayerState: String, Hashable, Sendable, CaseIterable {
    /// Takes no part.
    case idle
    /// Not yet able to play at once.
    case loading
    /// Able to play at once, close enough that following needs no seek.
    case ready
    /// Stalled while the room runs.
    case buffering
}

/// How a participant's search for the title went (section 9).
///
/// The set is fixed for protocol v1.
public enum MatchState: String, Hashable, Sendable, CaseIterable {
    /// Still looking, or waiting for the user's answer to a mismatch.
    case searching
    /// A copy within 1500 ms of the title's duration.
    case matched
    /// A copy of another length, accepted by the user.
    case mismatched
    /// No copy.
    case unavailable
}

/// A search's state and how much longer the own copy is (section 9.6).
public struct Match: Hashable, Sendable {
    /// The state.
    public var state: MatchState
    /// The own copy's duration minus the descriptor's, in ms, once known.
    public var deltaMs: Int64?

    /// Makes a match.
    public init(state: MatchState, deltaMs: Int64? = nil) {
        self.state = state
        self.deltaMs = deltaMs
    }
}

/// One entry of a room's participants (section 8).
public struct Participant: Hashable, Sendable {
    /// The peer ID: 1 to 16 characters of `A–Z a–z 0–9 _ -`.
    public var peerId: String
    /// The display name: 1 to 32 code points.
    ///
    /// Untrusted; plain text only.
    public var name: String
    /// The participant's app and version, as `<app>/<version>`.
    public var client: String
    /// Whether this participant is the host; exactly one is.
    public var host: Bool
    /// Whether its connection stands.
    public var connected: Bool
    /// What its player last reported.
    public var player: PlayerState
    /// What its search last reported; nil without media.
    public var match: Match?
    /// Its local offset in ms, within ±604800000 (section 13).
    public var offsetMs: Int64

    /// Makes an entry.
    public init(
        peerId: String,
        name: String,
        client: String,
        host: Bool,
        connected: Bool,
        player: PlayerState,
        match: Match? = nil,
        offsetMs: Int64 = 0
    ) {
        self.peerId = peerId
        self.name = name
        self.client = client
        self.host = host
        self.connected = connected
        self.player = player
        self.match = match
        self.offsetMs = offsetMs
    }
}

/// A snapshot of a room (section 8).
public struct Room: Hashable, Sendable {
    /// The revision: at least 1, grows with every change.
    public var rev: Int64
    /// The room's code: 6 symbols, unformatted.
    public var code: String
    /// The epoch, at least 0; each new media begins another.
    ///
    /// Compared for equality only.
    public var epoch: Int64
    /// What the room is doing.
    public var phase: Phase
    /// The position at `atMs`, in ms from 0 to 604800000.
    public var positionMs: Int64
    /// When the position holds or playback starts, in ms of relay time.
    public var atMs: Int64
    /// The playback rate, from 0.5 to 2.0.
    public var rate: Double
    /// Who may control playback.
    public var control: Control
    /// Whether new joins are refused.
    public var locked: Bool
    /// The peer IDs the room waits for; non-empty only while `waiting`.
    public var waitingOn: [String]
    /// The participants in join order; never empty.
    public var participants: [Participant]

    /// Makes a snapshot without checking it.
    public init(
        rev: Int64,
        code: String,
        epoch: Int64,
        phase: Phase,
        positionMs: Int64,
        atMs: Int64,
        rate: Double,
        control: Control,
        locked: Bool,
        waitingOn: [String],
        participants: [Participant]
    ) {
        self.rev = rev
        self.code = code
        self.epoch = epoch
        self.phase = phase
        self.positionMs = positionMs
        self.atMs = atMs
        self.rate = rate
        self.control = control
        self.locked = locked
        self.waitingOn = waitingOn
        self.participants = participants
    }
}
