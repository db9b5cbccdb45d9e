// OpenWatchParty for Swift. See LICENSE.

/// A player that must stand still: the room does not play, or has not yet reached this file's start (section 11.2).
struct LocalHold {
    /// Where it stands, in ms of the app's own file.
    let positionMs: Int64
    /// How long until it plays, in ms; nil while the room itself stands.
    let playInMs: Int64?

    /// Finds whether a player is held at a relay time.
    ///
    /// - Returns: nil while the player plays, while the room is idle, and while it plays at an unknown relay time.
    init?(_ timeline: Timeline, atRelayMs relayMs: Int64?, offsetMs: Int64, player: PlayerReading) {
        let anchor = timeline.positionMs.saturatingAdd(offsetMs)
        switch timeline.phase {
        case .idle:
            return nil
        case .paused, .waiting:
            playInMs = nil
        case .playing:
            guard let relayMs else { return nil }
            // An offset below 0 may put this file's start after the room's.
            let late = anchor < 0 ? -Double(anchor) / timeline.rate : 0
            let startAt = Double(timeline.atMs) + late
            let now = Double(relayMs)
            guard now < startAt else { return nil }
            playInMs = Int64(saturating: (startAt - now).rounded(.up))
        }
        positionMs = player.clamp(anchor)
    }
}
