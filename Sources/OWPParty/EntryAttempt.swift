// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPWire

/// A `create` or `join` under way (section 7.2).
///
/// It owns its connections: what it does not hand on as entered, it closes.
protocol EntryAttempt: Sendable {
    /// The call that it ends.
    var call: CallKey { get }
    /// The error underneath that it may still report.
    var failureInUse: FailureKey? { get }
    /// Begins.
    mutating func start(_ turn: inout Turn) -> EntryOutcome
    /// Takes a connection's open.
    mutating func opened(_ key: ConnectionKey, _ turn: inout Turn) -> EntryOutcome
    /// Takes a connection that failed to open, or ended.
    mutating func lost(_ key: ConnectionKey, _ failure: FailureKey?, _ turn: inout Turn) -> EntryOutcome
    /// Takes a message.
    mutating func received(_ key: ConnectionKey, _ message: ReadMessage, _ turn: inout Turn) -> EntryOutcome
    /// Takes a timer of a connection, or of the race.
    mutating func timerFired(_ timer: PartyTimer, _ turn: inout Turn) -> EntryOutcome
    /// Takes the list after a forced refresh.
    mutating func relaysRefreshed(_ source: RelaySource, _ turn: inout Turn) -> EntryOutcome
    /// Closes its connections, but one that waits for an answer.
    ///
    /// - Returns: The connection whose request is out.
    mutating func cancel(_ turn: inout Turn) -> EntryConnection?
}

extension EntryAttempt {
    var failureInUse: FailureKey? { nil }
    mutating func relaysRefreshed(_ source: RelaySource, _ turn: inout Turn) -> EntryOutcome { .underWay }
}

/// How an attempt stands.
enum EntryOutcome {
    /// It goes on.
    case underWay
    /// The relay took the party in on this connection.
    case entered(RelayConnection, JoinedMessage)
    /// The call fails; all connections are closed.
    case failed(PartyFailure)
}

extension PartyFailure {
    /// A relay's refusal.
    init(_ error: ErrorMessage) {
        self.init(PartyError.Code(rawValue: error.code), error.message, re: error.re)
    }

    /// No connection, or no answer in time.
    static func unreachable(_ failure: FailureKey? = nil) -> PartyFailure {
        PartyFailure(.unreachable, "the relay cannot be reached", underlying: failure)
    }

    /// An answer of the relay that breaks the rules.
    static let malformedJoined = PartyFailure(.invalidMessage, "the relay's joined is malformed")
}
