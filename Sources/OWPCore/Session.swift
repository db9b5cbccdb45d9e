// OpenWatchParty for Swift. See LICENSE.

/// The session status of a party (section 16.6).
///
/// The set is fixed for SDK 1.x.
public enum Connection: String, Hashable, Sendable, CaseIterable {
    /// In no room.
    case idle
    /// A `create` or `join` is under way.
    case connecting
    /// In a room.
    case connected
    /// In a room whose connection dropped; the party is resuming.
    case reconnecting
    /// The party ended; it may start over.
    case ended
}

/// Why a party ended (section 7.4).
///
/// The set is fixed for SDK 1.x.
public enum EndReason: String, Hashable, Sendable, CaseIterable {
    /// The app called `leave`.
    case left
    /// The room ended for everyone.
    case ended
    /// The host removed this participant.
    case kicked
    /// The room reached its greatest age.
    case expired
    /// The session was resumed elsewhere.
    case replaced
    /// The party could not go on; its event carries the error.
    case lost
}
