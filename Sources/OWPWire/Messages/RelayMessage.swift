// OpenWatchParty for Swift. See LICENSE.

/// A message from the relay to a client.
///
/// The two large cases are indirect, so that the small ones, which are most, do not carry their size around.
public enum RelayMessage: Hashable, Sendable {
    /// The answer to `create`, `join` and `resume`.
    indirect case joined(JoinedMessage)
    /// A snapshot of the room.
    indirect case room(RoomMessage)
    /// The answer to the ping of this id, with the relay's time in ms, at least 0 (section 5).
    case pong(id: Int64, serverTimeMs: Int64)
    /// A refusal.
    case error(ErrorMessage)
    /// The end of the session: `ended`, `kicked`, `expired`, or a reason of a newer relay; never empty (section 7.4).
    case closed(reason: String)
}

/// What a client makes of a text from its relay (section 8).
public enum ReadMessage: Hashable, Sendable {
    /// A message that passed its checks.
    case message(RelayMessage)
    /// A `joined` that breaks a rule: a pending call fails by it, and so does an attempt to resume.
    case malformedJoined
    /// No JSON object, an unknown type, or another message that breaks a rule.
    case ignored
}

/// The answer to `create`, `join` and `resume` (section 8).
public struct JoinedMessage: Hashable, Sendable {
    /// The room's code, 6 symbols.
    public var code: String
    /// The party's own peer ID.
    public var peerId: String
    /// The token that a resume needs, 43 characters of base64url.
    public var token: String
    /// The relay's time in ms, at least 0; the clock does not use it (section 5).
    public var serverTimeMs: Int64
    /// The snapshot.
    public var room: Room
    /// The descriptor of the room's media; nil without media.
    public var media: Media?

    /// Makes a message without checking it.
    public init(code: String, peerId: String, token: String, serverTimeMs: Int64, room: Room, media: Media?) {
        self.code = code
        self.peerId = peerId
        self.token = token
        self.serverTimeMs = serverTimeMs
        self.room = room
        self.media = media
    }
}

/// A snapshot of the room, and what changed it (section 8).
public struct RoomMessage: Hashable, Sendable {
    /// The snapshot.
    public var room: Room
    /// What changed the room, when it was a command or a rule of the relay.
    public var action: RoomAction?
    /// The `media` member, which counts only when the snapshot's epoch is new.
    public var media: ReceivedMedia

    /// Makes a message without checking it.
    public init(room: Room, action: RoomAction? = nil, media: ReceivedMedia = .absent) {
        self.room = room
        self.action = action
        self.media = media
    }
}

/// What changed a room (section 15).
public struct RoomAction: Hashable, Sendable {
    /// What happened, such as `play`: never empty, an open set.
    public var kind: String
    /// The peer ID of who did it; nil for the relay.
    public var by: String?

    /// Makes an action.
    public init(kind: String, by: String?) {
        self.kind = kind
        self.by = by
    }
}

/// The `media` member of a `room`: ignored in the party's own epoch, required in a new one (section 8).
public enum ReceivedMedia: Hashable, Sendable {
    /// There is no such member.
    case absent
    /// It is null: the room has no media.
    case none
    /// A descriptor that passed the receive checks of section 9.7.
    indirect case valid(Media)
    /// Anything else.
    case malformed
}

/// A refusal (section 8).
public struct ErrorMessage: Hashable, Sendable {
    /// The code, never empty; an open set.
    public var code: String
    /// English text for logs.
    public var message: String
    /// The type of the refused message; nil when the relay could not tell.
    public var re: String?

    /// Makes a refusal.
    public init(code: String, message: String, re: String?) {
        self.code = code
        self.message = message
        self.re = re
    }
}
