// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPWire

/// The session in a room, with what takes it up after a drop (section 7.3).
struct Membership: Sendable {
    /// The member connection; while reconnecting, the dropped one, whose clock stays in use.
    var connection: RelayConnection
    /// The room's code.
    let code: String
    /// The own peer ID.
    let peerId: String
    private let token: String

    /// Takes a `joined`.
    init(_ joined: JoinedMessage, on connection: RelayConnection) {
        self.connection = connection
        code = joined.code
        peerId = joined.peerId
        token = joined.token
    }

    /// The request that takes the session up again.
    var resume: ClientMessage { .resume(code: code, peerId: peerId, token: token) }
}

/// The media that this party last shared, and its own file of it (section 9.1).
struct SharedMedia: Sendable {
    /// The descriptor's compact JSON, by which it is recognised.
    let json: String
    /// The party's own file.
    let choice: MatchSearch.Choice

    /// Whether a descriptor is this one.
    func isSame(as media: Media) -> Bool { sameScalars(json, media.compactJSON) }
}
