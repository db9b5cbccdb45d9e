// OpenWatchParty for Swift. See LICENSE.

/// What decides the player state that a participant reports (section 10.2).
public struct PlayerFacts: Hashable, Sendable {
    /// Whether the room has media.
    public var hasMedia: Bool
    /// How matching stands; nil without media.
    public var match: MatchState?
    /// Whether the app detached its player to take no part.
    public var away: Bool
    /// Whether the attached player has the chosen file of this epoch.
    public var bound: Bool
    /// Whether a seek of the party's own is queued or running.
    public var seekInFlight: Bool
    /// Whether the player refused to start.
    public var blocked: Bool
    /// The room's timeline; nil without a snapshot.
    public var timeline: Timeline?
    /// Relay time now in ms; nil before the first clock sample.
    public var relayMs: Int64?
    /// The local offset in ms.
    public var offsetMs: Int64
    /// The attached player; nil without one.
    public var player: PlayerReading?

    /// Gathers the facts.
    public init(
        hasMedia: Bool,
        match: MatchState?,
        away: Bool,
        bound: Bool,
        seekInFlight: Bool,
        blocked: Bool,
        timeline: Timeline?,
        relayMs: Int64?,
        offsetMs: Int64,
        player: PlayerReading?
    ) {
        self.hasMedia = hasMedia
        self.match = match
        self.away = away
        self.bound = bound
        self.seekInFlight = seekInFlight
        self.blocked = blocked
        self.timeline = timeline
        self.relayMs = relayMs
        self.offsetMs = offsetMs
        self.player = player
    }
}

/// The player state to report: the value of the first of ten rules that applies (section 10.2).
public func playerStatus(_ facts: PlayerFacts) -> PlayerState {
    if !facts.hasMedia || facts.match == .unavailable || facts.away { return .idle }
    guard facts.bound, let player = facts.player, let timeline = facts.timeline else { return .loading }
    if !player.firstFrameShown || facts.seekInFlight { return .loading }
    if timeline.phase == .playing && facts.relayMs == nil { return .loading }
    let hold = LocalHold(timeline, atRelayMs: facts.relayMs, offsetMs: facts.offsetMs, player: player)
    if let hold, player.isFarther(than: Constants.heldSeekThresholdMs, from: hold.positionMs) { return .loading }
    if facts.blocked { return .loading }
    if player.buffering {
        let running = facts.relayMs.map(timeline.isRunning(atRelayMs:)) ?? false
        return running && hold == nil ? .buffering : .loading
    }
    return .ready
}
