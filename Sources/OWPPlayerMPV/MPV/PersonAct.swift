// OpenWatchParty for Swift. See LICENSE.

/// What a person did with the player's own controls, behind the party's back.
public enum PersonAct: Hashable, Sendable {
    /// The person pressed play; the adapter has already put the player back, since the room starts everyone.
    case play
    /// The person paused; the player stays paused.
    case pause
    /// The person moved to a position in ms; the player stays there.
    case seek(toMs: Int64)
    /// The person changed the speed by a factor; the adapter has already set it back.
    case rate(factor: Double)
}
