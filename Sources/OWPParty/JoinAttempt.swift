// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPWire

/// A `join`: routed by its code's first symbol, with at most one forced refresh of the list (section 4.2).
struct JoinAttempt: EntryAttempt {
    let call: CallKey
    private let code: String
    private let request: ClientMessage
    private var source: RelaySource
    private var entry: EntryConnection?
    private var hasRefreshed = false
    /// The `room_not_found` of the relay at `refusedURL`, which stands unless the code has moved.
    private var refusal: PartyFailure?
    private var refusedURL: String?

    /// Prepares the join of a normalized code.
    init(call: CallKey, code: String, request: ClientMessage, source: RelaySource) {
        self.call = call
        self.code = code
        self.request = request
        self.source = source
    }

    mutating func start(_ turn: inout Turn) -> EntryOutcome {
        switch source {
        case .only(let relay):
            connect(relay.url, &turn)
            return .underWay
        case .list(let relays):
            guard let relay = relay(forCode: code, in: relays) else { return refresh(&turn) }
            connect(relay.url, &turn)
            return .underWay
        }
    }

    mutating func opened(_ key: ConnectionKey, _ turn: inout Turn) -> EntryOutcome {
        if entry?.key == key { entry?.opened(&turn) }
        return .underWay
    }

    mutating func lost(_ key: ConnectionKey, _ failure: FailureKey?, _ turn: inout Turn) -> EntryOutcome {
        guard let entry, entry.key == key else { return .underWay }
        entry.ended(&turn)
        return .failed(.unreachable(failure))
    }

    mutating func received(_ key: ConnectionKey, _ message: ReadMessage, _ turn: inout Turn) -> EntryOutcome {
        guard entry?.key == key, let answer = entry?.received(message, turn), let entry else { return .underWay }
        switch answer {
        case .none:
            return .underWay
        case .joined(let joined):
            entry.stopDeadline(&turn)
            return .entered(entry.connection, joined)
        case .malformed:
            entry.close(leaving: true, &turn)
            return .failed(.malformedJoined)
        case .refused(let error):
            entry.close(&turn)
            self.entry = nil
            let failure = PartyFailure(error)
            guard mayRefresh, sameScalars(error.code, PartyError.Code.roomNotFound.rawValue) else {
                return .failed(failure)
            }
            refusal = failure
            refusedURL = entry.connection.url
            return refresh(&turn)
        }
    }

    mutating func timerFired(_ timer: PartyTimer, _ turn: inout Turn) -> EntryOutcome {
        switch timer {
        case .ping(let key):
            if entry?.key == key { entry?.sendPings(&turn) }
            return .underWay
        case .deadline(let key):
            guard let entry, entry.key == key else { return .underWay }
            entry.close(&turn)
            return .failed(.unreachable())
        default:
            return .underWay
        }
    }

    mutating func relaysRefreshed(_ source: RelaySource, _ turn: inout Turn) -> EntryOutcome {
        guard case .list(let relays) = source, entry == nil else { return .underWay }
        let notFound = refusal ?? PartyFailure(.roomNotFound, "no relay holds codes with this first symbol")
        guard let relay = relay(forCode: code, in: relays) else { return .failed(notFound) }
        if let refusedURL, sameScalars(refusedURL, relay.url) { return .failed(notFound) }
        connect(relay.url, &turn)
        return .underWay
    }

    mutating func cancel(_ turn: inout Turn) -> EntryConnection? {
        if let entry, entry.isSent { return entry }
        entry?.close(&turn)
        return nil
    }

    /// Whether a refresh could still change the route: one relay that owns every symbol never does.
    private var mayRefresh: Bool {
        if case .only = source { return false }
        return !hasRefreshed
    }

    private mutating func refresh(_ turn: inout Turn) -> EntryOutcome {
        hasRefreshed = true
        turn.add(.refreshRelays(call))
        return .underWay
    }

    private mutating func connect(_ url: String, _ turn: inout Turn) {
        entry = EntryConnection(url: url, request: request, &turn)
    }
}
