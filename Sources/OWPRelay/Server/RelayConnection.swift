// OpenWatchParty for Swift. See LICENSE.

import OWPWebSocket

/// One accepted connection as the server keeps it, from its HTTP head to its end.
final class RelayConnection {
    /// How far it has come.
    enum Stage {
        /// The HTTP head is being read.
        case head(HTTPHeadReader)
        /// Messages pass.
        case open
        /// A close frame was sent; the peer's is awaited, and its messages count no more.
        case closing
        /// The last bytes are being written; what still comes is dropped.
        case ending
        /// All is written and our side is closed; the peer's end is awaited, so that it gets our last bytes.
        case lingering
    }

    /// Its name: the descriptor, and a number that makes it unique.
    let id: ConnectionID
    /// Its socket.
    let descriptor: Int32
    /// Where its TCP connection comes from.
    let address: NetworkAddress
    /// Whether it came to the admin listener.
    let isAdmin: Bool

    var stage = Stage.head(HTTPHeadReader())
    var endpoint: WebSocketEndpoint?
    /// What is to be written, from ``written`` on.
    var output: [UInt8] = []
    var written = 0
    /// Whether it stands in the list of those to be flushed.
    var isDirty = false
    /// Whether it is watched for writing.
    var isBlocked = false
    /// When the server ends it, unless its stage moves on; the hub has its own deadlines for an open one.
    var deadlineMs: Int64?

    init(id: ConnectionID, descriptor: Int32, address: NetworkAddress, isAdmin: Bool) {
        self.id = id
        self.descriptor = descriptor
        self.address = address
        self.isAdmin = isAdmin
    }

    /// How much waits for a peer that does not read.
    var unsent: Int { output.count - written }

    /// Whether messages may be sent to it.
    var isOpen: Bool {
        if case .open = stage { return true }
        return false
    }

    /// Whether it is none of a WebSocket yet.
    var isHead: Bool {
        if case .head = stage { return true }
        return false
    }

    /// Appends a message that was encoded once for all of its receivers.
    func send(_ frame: SharedFrame) {
        endpoint?.send(frame, output: &output)
    }
}
