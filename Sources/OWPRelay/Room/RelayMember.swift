// OpenWatchParty for Swift. See LICENSE.

package import OWPCore

/// A participant as its room keeps it: what the others are shown, and what decides who waits for whom.
package struct RelayMember: Hashable, Sendable {
    /// The participant's number in the room, from 1, never reused.
    package let number: Int64
    /// `p` and the number.
    package let peerId: String
    /// The display name.
    package let name: String
    /// The app and its version.
    package let client: String
    /// The SHA-256 of the resume token.
    package let tokenDigest: [UInt8]

    /// The connection it stands on; nil after a drop.
    package var connection: ConnectionID?
    /// When it dropped, in relay time; nil while connected.
    package var droppedAtMs: Int64?

    /// What its player last reported.
    package var player: PlayerState
    /// What its search last reported.
    package var match: Match?
    /// Its last offset in ms.
    package var offsetMs: Int64 = 0
    /// Its last round trip in ms, 1000 at most; nil when it gave none.
    package var rttMs: Int64?

    /// Whether the room stopped waiting for it, until it next reports `ready`.
    package var isExcused = false
    /// Whether it never stops those who play.
    package var isLate = false
    /// Whether the room last stopped for a stall of its own: once started again it is late.
    package var hasStalled = false
    /// Whether it was ready once in this epoch.
    package var wasReady = false
    /// Since when it has been connected and `ready` on end; nil while it is not.
    package var readySinceMs: Int64?
    /// Since when it has been connected and `buffering` on end; nil while it is not.
    package var bufferingSinceMs: Int64?
    /// What moved the room's position so that its last `ready` says nothing any more.
    package var unsettled: Unsettled?

    /// A move of the position that a participant has yet to follow.
    package struct Unsettled: Hashable, Sendable {
        /// When the position moved.
        package var sinceMs: Int64
        /// Whether the participant moved it, and so knows of it already.
        package var byItself: Bool
    }

    init(
        number: Int64,
        name: String,
        client: String,
        tokenDigest: [UInt8],
        connection: ConnectionID?,
        player: PlayerState
    ) {
        self.number = number
        peerId = "p\(number)"
        self.name = name
        self.client = client
        self.tokenDigest = tokenDigest
        self.connection = connection
        self.player = player
    }

    /// A participant that has just joined; it starts as everyone does with a new epoch.
    init(_ newcomer: Newcomer, number: Int64, hasMedia: Bool) {
        self.init(
            number: number,
            name: newcomer.name,
            client: newcomer.client,
            tokenDigest: newcomer.token.digest,
            connection: newcomer.connection,
            player: hasMedia ? .loading : .idle
        )
    }

    /// Whether its connection stands.
    package var isConnected: Bool { connection != nil }

    /// The round trip that settling reckons with.
    var settlingRttMs: Int64 { rttMs ?? 250 }

    /// Forgets everything that belongs to one epoch.
    mutating func beginEpoch(hasMedia: Bool) {
        player = hasMedia ? .loading : .idle
        match = nil
        isExcused = false
        wasReady = false
        readySinceMs = nil
        bufferingSinceMs = nil
        unsettled = nil
        endLateness()
    }

    /// A command gave everyone a fresh start: it counts again, and an earlier stall is forgotten.
    mutating func endLateness() {
        isLate = false
        hasStalled = false
    }

    /// Its entry in a snapshot.
    func participant(hostNumber: Int64) -> Participant {
        Participant(
            peerId: peerId,
            name: name,
            client: client,
            host: number == hostNumber,
            connected: isConnected,
            player: player,
            match: match,
            offsetMs: offsetMs
        )
    }
}
