// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPSync
import OWPWire

/// The attempts to take up the session after a drop (section 14).
struct ResumeAttempt: Sendable {
    /// How the attempts stand.
    enum Outcome {
        /// They go on.
        case underWay
        /// This connection has both its `joined` and a clock sample; the messages came after its `joined`.
        case resumed(RelayConnection, JoinedMessage, [ReadMessage])
        /// The relay refuses this session for good.
        case refused(PartyFailure)
    }

    private enum Stage {
        /// Has no connection: waits for the draw of the backoff's random factor, or is over.
        case drawing
        case backingOff
        case entering(EntryConnection)
        /// Has its `joined`, not yet a clock sample.
        case joined(EntryConnection, JoinedMessage, [ReadMessage])
    }

    private let url: String
    private let request: ClientMessage
    private var number = 1
    private var stage = Stage.drawing
    /// What the last failed attempt said.
    private(set) var failureInUse: FailureKey?

    /// Prepares attempt 1, with the URL and the request of all.
    init(url: String, request: ClientMessage, _ turn: inout Turn) {
        self.url = url
        self.request = request
        turn.add(.drawRandom)
    }

    /// Takes the random factor of this attempt's wait.
    mutating func drawn(_ u: Double, _ turn: inout Turn) {
        guard case .drawing = stage else { return }
        stage = .backingOff
        turn.add(.startTimer(.backoff, afterMs: backoffDelayMs(attempt: number, u: u)))
    }

    /// Takes the end of the wait.
    mutating func backoffEnded(_ turn: inout Turn) {
        guard case .backingOff = stage else { return }
        stage = .entering(EntryConnection(url: url, request: request, &turn))
    }

    /// Takes a connection's open.
    mutating func opened(_ key: ConnectionKey, _ turn: inout Turn) {
        guard case .entering(var entry) = stage, entry.key == key else { return }
        entry.opened(&turn)
        stage = .entering(entry)
    }

    /// Takes a connection that failed to open, or ended before the switch.
    mutating func lost(_ key: ConnectionKey, _ failure: FailureKey?, _ turn: inout Turn) {
        guard let entry, entry.key == key else { return }
        failureInUse = failure ?? failureInUse
        entry.ended(&turn)
        failed(&turn)
    }

    /// Takes a message.
    mutating func received(_ key: ConnectionKey, _ message: ReadMessage, _ turn: inout Turn) -> Outcome {
        switch stage {
        case .entering(var entry) where entry.key == key:
            let answer = entry.received(message, turn)
            stage = .entering(entry)
            return answered(answer, entry, &turn)
        case .joined(var entry, let joined, var backlog) where entry.key == key:
            _ = entry.received(message, turn)
            if case .message(.pong) = message {} else { backlog.append(message) }
            stage = .joined(entry, joined, backlog)
            return resumedIfReady(&turn)
        default:
            return .underWay
        }
    }

    /// Takes a connection's ping timer.
    mutating func sendPings(_ key: ConnectionKey, _ turn: inout Turn) {
        switch stage {
        case .entering(var entry) where entry.key == key:
            entry.sendPings(&turn)
            stage = .entering(entry)
        case .joined(var entry, let joined, let backlog) where entry.key == key:
            entry.sendPings(&turn)
            stage = .joined(entry, joined, backlog)
        default:
            break
        }
    }

    /// Takes the end of the time to open, or to have both the answer and a clock sample.
    mutating func deadlinePassed(_ key: ConnectionKey, _ turn: inout Turn) {
        guard let entry, entry.key == key else { return }
        entry.close(&turn)
        failed(&turn)
    }

    /// Ends the attempts with the party.
    ///
    /// - Returns: The connection whose request is out; it is to be kept until its answer.
    func cancel(_ turn: inout Turn) -> EntryConnection? {
        switch stage {
        case .drawing:
            return nil
        case .backingOff:
            turn.add(.cancelTimer(.backoff))
            return nil
        case .entering(let entry):
            if entry.isSent { return entry }
            entry.close(&turn)
            return nil
        case .joined(let entry, _, _):
            entry.close(leaving: true, &turn)
            return nil
        }
    }

    private var entry: EntryConnection? {
        switch stage {
        case .drawing, .backingOff: nil
        case .entering(let entry), .joined(let entry, _, _): entry
        }
    }

    private mutating func answered(
        _ answer: EntryConnection.Answer,
        _ entry: EntryConnection,
        _ turn: inout Turn
    ) -> Outcome {
        switch answer {
        case .none:
            return .underWay
        case .joined(let joined):
            stage = .joined(entry, joined, [])
            return resumedIfReady(&turn)
        case .malformed:
            entry.close(&turn)
            failed(&turn)
            return .underWay
        case .refused(let error):
            entry.close(&turn)
            stage = .drawing
            let failure = PartyFailure(error)
            if failure.code == .resumeFailed || failure.code == .clientBlocked { return .refused(failure) }
            failed(&turn)
            return .underWay
        }
    }

    private func resumedIfReady(_ turn: inout Turn) -> Outcome {
        guard case .joined(let entry, let joined, let backlog) = stage, entry.connection.clock?.best != nil else {
            return .underWay
        }
        entry.stopDeadline(&turn)
        return .resumed(entry.connection, joined, backlog)
    }

    private mutating func failed(_ turn: inout Turn) {
        number += 1
        stage = .drawing
        turn.add(.drawRandom)
    }
}
