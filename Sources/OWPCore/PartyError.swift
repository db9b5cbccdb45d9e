// OpenWatchParty for Swift. See LICENSE.

/// A failure that the SDK reports (section 15).
///
/// Apps show their own text for each ``code``, with a general one for codes they do not know.
public struct PartyError: Error, Sendable {
    /// A stable code; the set is the relay's and open (section 16.1).
    public struct Code: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
        /// The code as on the wire, such as `room_not_found`.
        public let rawValue: String
        /// Makes a code from its wire form.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// Makes a code from its wire form.
        public init(stringLiteral value: String) { self.rawValue = value }
        /// The wire form.
        public var description: String { rawValue }

        /// What was typed is no room code.
        public static let invalidCode: Code = "invalid_code"
        /// The relay cannot be reached, or did not answer in time.
        public static let unreachable: Code = "unreachable"
        /// The attempt was cancelled by `leave` or `close`.
        public static let cancelled: Code = "cancelled"
        /// The party is not connected to a room.
        public static let notInRoom: Code = "not_in_room"
        /// The party is in a room, or on its way into one.
        public static let alreadyInRoom: Code = "already_in_room"
        /// Only the host, or a controller, may do this.
        public static let forbidden: Code = "forbidden"
        /// A value is out of its bounds, or a message is malformed.
        public static let invalidMessage: Code = "invalid_message"
        /// No room has this code.
        public static let roomNotFound: Code = "room_not_found"
        /// The room has no place left.
        public static let roomFull: Code = "room_full"
        /// The host refuses new joins.
        public static let roomLocked: Code = "room_locked"
        /// Too much in too short a time.
        public static let rateLimited: Code = "rate_limited"
        /// The relay takes no more rooms.
        public static let relayFull: Code = "relay_full"
        /// The session cannot be resumed.
        public static let resumeFailed: Code = "resume_failed"
        /// The relay refuses this app or this version of it.
        public static let clientBlocked: Code = "client_blocked"
    }

    /// What failed.
    public let code: Code
    /// English text for logs only; never shown to users.
    public let message: String
    /// The type of the refused message, when a relay refused one.
    public let re: String?
    /// The error underneath, when there is one.
    public let underlying: (any Error)?

    /// Makes an error.
    public init(_ code: Code, _ message: String, re: String? = nil, underlying: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.re = re
        self.underlying = underlying
    }
}

extension PartyError: CustomStringConvertible {
    /// The code and the message, for logs.
    public var description: String {
        let cause = underlying.map { " (\($0))" } ?? ""
        return "\(code.rawValue): \(message)\(cause)"
    }
}

/// An answer of the app did not come in time, such as the resolver's 30000 ms (section 9.2).
public struct TimeoutError: Error, Hashable, Sendable {
    /// Makes a timeout error.
    public init() {}
}
