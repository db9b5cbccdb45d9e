// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPWire

/// A connection on its way into a room: it opens, sends one request and waits for the answer (section 7.1).
///
/// Its deadline runs from the start to the open, and again from the request to the answer.
struct EntryConnection: Sendable {
    /// What the relay said to the request.
    enum Answer {
        /// Nothing yet.
        case none
        /// The way into the room.
        case joined(JoinedMessage)
        /// A `joined` that fails the checks of section 8.
        case malformed
        /// An `error` with the request's type in `re`.
        case refused(ErrorMessage)
    }

    /// The connection.
    private(set) var connection: RelayConnection
    /// Whether the request was sent.
    private(set) var isSent = false
    private let request: ClientMessage

    /// Opens a connection for a request.
    init(url: String, request: ClientMessage, _ turn: inout Turn) {
        connection = RelayConnection(opening: url, &turn)
        self.request = request
        startDeadline(&turn)
    }

    /// Sends a request on an open connection.
    init(open connection: RelayConnection, request: ClientMessage, _ turn: inout Turn) {
        self.connection = connection
        self.request = request
        send(&turn)
    }

    /// Its connection's key.
    var key: ConnectionKey { connection.key }

    /// Takes the open: pings, and asks at once.
    ///
    /// The ping comes first, so that relay time is known early.
    mutating func opened(_ turn: inout Turn) {
        connection.opened(&turn)
        send(&turn)
    }

    /// Takes a message; while it waits, it ignores all but pongs and the answer.
    mutating func received(_ message: ReadMessage, _ turn: Turn) -> Answer {
        connection.heard(turn)
        switch message {
        case .message(.pong(let id, let serverTimeMs)):
            _ = connection.pong(id: id, serverTimeMs: serverTimeMs, turn)
            return .none
        case .message(.joined(let joined)):
            return isSent ? .joined(joined) : .none
        case .malformedJoined:
            return isSent ? .malformed : .none
        case .message(.error(let error)):
            guard isSent, let re = error.re, sameScalars(re, request.type) else { return .none }
            return .refused(error)
        case .message(.room), .message(.closed), .ignored:
            return .none
        }
    }

    /// Sends the pings that are due.
    mutating func sendPings(_ turn: inout Turn) { connection.sendPings(&turn) }

    /// Ends the deadline, when the answer has come.
    func stopDeadline(_ turn: inout Turn) { turn.add(.cancelTimer(.deadline(key))) }

    /// Closes the connection with status 1000, after a `leave` when the relay took the party in.
    func close(leaving: Bool = false, _ turn: inout Turn) {
        stopDeadline(&turn)
        if leaving { turn.send(.leave, on: key) }
        connection.close(&turn)
    }

    /// Takes the connection's end.
    func ended(_ turn: inout Turn) {
        stopDeadline(&turn)
        connection.stopPings(&turn)
    }

    private mutating func send(_ turn: inout Turn) {
        turn.send(request, on: key)
        isSent = true
        startDeadline(&turn)
    }

    private func startDeadline(_ turn: inout Turn) {
        turn.add(.startTimer(.deadline(key), afterMs: Constants.connectTimeoutMs))
    }
}
