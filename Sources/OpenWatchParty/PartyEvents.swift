// OpenWatchParty for Swift. See LICENSE.

public import OWPCore

/// Something that happened in a party (section 15).
///
/// A later 1.x may add events: match with `as` casts, and ignore what is not known.
public protocol PartyEvent: Sendable {}

/// An accepted change of the room carried an action, such as someone pressing play (section 15).
public struct ActionEvent: PartyEvent, Hashable {
    /// What happened, such as `play`; an open set.
    public let kind: String
    /// The acting peer's ID; nil for the relay.
    public let byPeerId: String?
    /// The acting peer's entry in ``room``; nil when it has none.
    public let by: Participant?
    /// Whether this party acted.
    public let byMe: Bool
    /// The accepted snapshot.
    public let room: Room

    /// Makes an event.
    public init(kind: String, byPeerId: String?, by: Participant?, byMe: Bool, room: Room) {
        self.kind = kind
        self.byPeerId = byPeerId
        self.by = by
        self.byMe = byMe
        self.room = room
    }
}

/// Someone joined the room.
public struct ParticipantJoinedEvent: PartyEvent, Hashable {
    /// Their entry.
    public let participant: Participant

    /// Makes an event.
    public init(participant: Participant) { self.participant = participant }
}

/// Someone left the room.
public struct ParticipantLeftEvent: PartyEvent, Hashable {
    /// Their last known entry.
    public let participant: Participant

    /// Makes an event.
    public init(participant: Participant) { self.participant = participant }
}

/// The relay reported an error on the room's connection, such as a refused command.
public struct ErrorEvent: PartyEvent {
    /// The relay's error; `re` is the type of the refused message.
    public let error: PartyError

    /// Makes an event.
    public init(error: PartyError) { self.error = error }
}

/// The resolver failed (section 9.2).
public struct ResolveFailedEvent: PartyEvent {
    /// What it threw, or a ``TimeoutError`` when it took longer than 30000 ms.
    public let error: any Error

    /// Makes an event.
    public init(error: any Error) { self.error = error }
}

/// The player refused to start: ask the user to press play on the player itself (section 10.2).
public struct PlayBlockedEvent: PartyEvent {
    /// What the player's `play` threw.
    public let error: any Error

    /// Makes an event.
    public init(error: any Error) { self.error = error }
}

/// The party ended (section 7.4).
public struct EndedEvent: PartyEvent {
    /// Why.
    public let reason: EndReason
    /// What made the party unable to go on; nil unless the reason is `lost`.
    public let error: PartyError?

    /// Makes an event.
    public init(reason: EndReason, error: PartyError? = nil) {
        self.reason = reason
        self.error = error
    }
}
