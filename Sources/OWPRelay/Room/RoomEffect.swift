// OpenWatchParty for Swift. See LICENSE.

package import OWPWire

/// A connection's name, given by whoever accepted it and never reused.
package struct ConnectionID: Hashable, Sendable {
    /// The number that makes it unique.
    package let value: UInt64
    /// Makes a name of a number.
    package init(_ value: UInt64) { self.value = value }
}

/// What a room asks the server to do, in this order.
package enum RoomEffect: Hashable, Sendable {
    /// Send one message to each of some connections.
    case send(RelayMessage, to: [ConnectionID])
    /// Close a connection with status 4000: its participant resumed on another.
    case replace(ConnectionID)
    /// A connection is in no room any more: its participant left.
    case release(ConnectionID)
    /// A connection is in no room any more, and was told so by `closed`.
    case dismiss(ConnectionID)
    /// Forget the room: its code is free.
    case forget
}

/// A participant's secret for resuming.
package struct ResumeToken: Hashable, Sendable {
    /// The 43 characters that the participant gets.
    package let text: String
    /// Their SHA-256, which is all that the room keeps.
    package let digest: [UInt8]

    /// Takes the token as sent, and computes its digest.
    package init(_ text: String) {
        self.text = text
        digest = SHA256.digest(Array(text.utf8))
    }

    /// Whether two digests are equal, in a time that tells nothing about where they differ.
    package static func matches(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
