// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPWire

/// What the hub asks the sockets to do, in this order.
enum HubEffect: Hashable, Sendable {
    /// Send one message to each of some connections.
    case send(RelayMessage, to: [ConnectionID])
    /// Close a connection with a status; the hub knows it no longer.
    case close(ConnectionID, code: Int)
}

/// Everything between the sockets and the rooms: which rooms there are, who is in which, and the limits.
///
/// It reads no clock and touches no socket. Times are ms of relay time.
struct RelayHub: Sendable {
    /// An open connection.
    struct Session: Sendable {
        /// Where it comes from.
        let address: NetworkAddress
        /// The code of the room it is in.
        var roomCode: String?
        /// When it last came to be in no room.
        var roomlessSinceMs: Int64
        /// When it was told `closed`, and may close by itself.
        var dismissedAtMs: Int64?
        /// When its last message came.
        var heardAtMs: Int64
        /// What it may still send.
        var messages: RateLimit
        /// When it began to send more than it may, and when it last did.
        var flood: (sinceMs: Int64, lastMs: Int64)?
    }

    /// What has a deadline.
    enum Deadline: Hashable, Sendable {
        case room(String)
        case session(ConnectionID)
    }

    let configuration: RelayConfiguration
    let times: HubTimes
    let roomTimes: RoomTimes
    var rooms: [String: RelayRoom] = [:]
    var sessions: [ConnectionID: Session] = [:]
    /// Who made each room, for the limit of rooms; not known of a restored one.
    var makers: [String: NetworkAddress] = [:]
    var roomCounts: [NetworkAddress: Int] = [:]
    private var connectionCounts: [NetworkAddress: Int] = [:]
    var failedJoins: [NetworkAddress: RateLimit] = [:]
    /// How many addresses there may be until those that have waited long enough are forgotten.
    private var mostFailedJoins = 1000
    private var deadlines = DeadlineQueue<Deadline>()
    var random: any RandomNumberGenerator & Sendable
    /// What happened so far.
    var metrics = RelayMetrics()
    /// The codes of the rooms that changed, or went, since they were last taken.
    private var changedCodes: Set<String> = []

    init(_ configuration: RelayConfiguration, random: any RandomNumberGenerator & Sendable) {
        self.configuration = configuration
        times = HubTimes(configuration)
        roomTimes = configuration.roomTimes ?? RoomTimes(scale: configuration.timerScale)
        self.random = random
    }

    // MARK: State

    /// Takes the rooms of an earlier run.
    mutating func restore(_ rooms: [RelayRoom]) {
        for room in rooms {
            self.rooms[room.code] = room
            changedCodes.insert(room.code)
            deadlines.set(.room(room.code), dueMs: room.nextTimerMs)
        }
    }

    /// Whether there is something to save.
    var hasChanges: Bool { !changedCodes.isEmpty }

    /// The rooms that changed since the last call, by code; nil for one that is gone.
    mutating func takeChanges() -> [String: RelayRoom?] {
        defer { changedCodes = [] }
        return Dictionary(uniqueKeysWithValues: changedCodes.map { ($0, rooms[$0]) })
    }

    // MARK: Connections

    /// Whether an address may have one more connection, and if not, the HTTP status that says so.
    func refusalStatus(for address: NetworkAddress) -> Int? {
        if sessions.count >= configuration.maxConnections { return 503 }
        return connectionCounts[address, default: 0] >= configuration.maxConnectionsPerIP ? 429 : nil
    }

    /// A connection was upgraded.
    mutating func opened(_ connection: ConnectionID, from address: NetworkAddress, at nowMs: Int64) {
        let perMs = configuration.messagesPerSecond / (1000 * configuration.timerScale)
        connectionCounts[address, default: 0] += 1
        metrics.connections += 1
        let session = Session(
            address: address,
            roomlessSinceMs: nowMs,
            heardAtMs: nowMs,
            messages: RateLimit(capacity: Double(configuration.messageBurst), perMs: perMs, at: nowMs)
        )
        sessions[connection] = session
        deadlines.set(.session(connection), dueMs: times.deadlineMs(session))
    }

    /// A connection is gone, or about to go: nothing it still sends counts.
    mutating func closed(_ connection: ConnectionID, at nowMs: Int64) -> [HubEffect] {
        guard let session = forget(connection), let code = session.roomCode else { return [] }
        let effects = rooms[code]?.connectionDropped(connection, at: nowMs) ?? []
        return apply(effects, in: code, at: nowMs)
    }

    private mutating func forget(_ connection: ConnectionID) -> Session? {
        guard let session = sessions.removeValue(forKey: connection) else { return nil }
        deadlines.set(.session(connection), dueMs: nil)
        lower(&connectionCounts, session.address)
        return session
    }

    private func lower(_ counts: inout [NetworkAddress: Int], _ address: NetworkAddress) {
        let count = counts[address, default: 0] - 1
        counts[address] = count > 0 ? count : nil
    }

    // MARK: Messages

    /// A text message arrived.
    mutating func received(_ text: String, from connection: ConnectionID, at nowMs: Int64) -> [HubEffect] {
        guard let place = sessions.index(forKey: connection) else { return [] }
        sessions.values[place].heardAtMs = nowMs
        let isWithinLimit = sessions.values[place].messages.take(at: nowMs)
        let parsed = Result { () throws(MessageRefusal) in try ClientMessage(parsing: text) }
        metrics.received[(try? parsed.get())?.type ?? "malformed", default: 0] += 1
        if !isWithinLimit, let effects = limited(parsed, from: connection, at: nowMs) { return effects }
        switch parsed {
        case .failure(let refusal):
            let error = ErrorMessage(code: refusal.code, message: refusal.message, re: refusal.re)
            return [.send(.error(error), to: [connection])]
        case .success(let message):
            return received(message, from: connection, at: nowMs)
        }
    }

    /// Answers a message beyond the limit; a `status` is not refused, since an SDK would not repeat it for 15 s.
    private mutating func limited(
        _ parsed: Result<ClientMessage, MessageRefusal>,
        from connection: ConnectionID,
        at nowMs: Int64
    ) -> [HubEffect]? {
        var flood = sessions[connection]?.flood ?? (nowMs, nowMs)
        if nowMs - flood.lastMs > times.floodPauseMs { flood.sinceMs = nowMs }
        flood.lastMs = nowMs
        sessions[connection]?.flood = flood
        if nowMs - flood.sinceMs >= times.floodMs {
            return [.close(connection, code: 1008)] + closed(connection, at: nowMs)
        }
        if case .success(.status) = parsed { return nil }
        let type: String?
        switch parsed {
        case .success(let message): type = message.type
        case .failure(let refusal): type = refusal.re
        }
        return [refusal("rate_limited", "too many messages", re: type, to: connection)]
    }

    private mutating func received(
        _ message: ClientMessage,
        from connection: ConnectionID,
        at nowMs: Int64
    ) -> [HubEffect] {
        let code = sessions[connection]?.roomCode
        switch message {
        case .ping(let id):
            return [.send(.pong(id: id, serverTimeMs: nowMs), to: [connection])]
        case .create, .join, .resume:
            if code != nil {
                return [refusal("already_in_room", "already in a room", re: message.type, to: connection)]
            }
            return entered(message, from: connection, at: nowMs)
        default:
            guard let code, let effects = rooms[code]?.received(message, from: connection, at: nowMs) else {
                return [refusal("not_in_room", "not in a room", re: message.type, to: connection)]
            }
            return apply(effects, in: code, at: nowMs)
        }
    }

    func refusal(_ code: String, _ message: String, re: String?, to connection: ConnectionID) -> HubEffect {
        .send(.error(ErrorMessage(code: code, message: message, re: re)), to: [connection])
    }

    // MARK: Effects and time

    /// Turns a room's effects into the sockets', and notes who came and went.
    mutating func apply(_ effects: [RoomEffect], in code: String, at nowMs: Int64) -> [HubEffect] {
        if configuration.stateDirectory != nil { changedCodes.insert(code) }
        var asked: [HubEffect] = []
        for effect in effects {
            switch effect {
            case .send(let message, let connections):
                asked.append(.send(message, to: connections))
            case .replace(let connection):
                _ = forget(connection)
                asked.append(.close(connection, code: 4000))
            case .release(let connection):
                leave(connection, wasTold: false, at: nowMs)
            case .dismiss(let connection):
                leave(connection, wasTold: true, at: nowMs)
            case .forget:
                rooms[code] = nil
                if let maker = makers.removeValue(forKey: code) { lower(&roomCounts, maker) }
            }
        }
        deadlines.set(.room(code), dueMs: rooms[code]?.nextTimerMs)
        return asked
    }

    private mutating func leave(_ connection: ConnectionID, wasTold: Bool, at nowMs: Int64) {
        guard var session = sessions[connection] else { return }
        session.roomCode = nil
        session.roomlessSinceMs = nowMs
        session.dismissedAtMs = wasTold ? nowMs : nil
        sessions[connection] = session
        deadlines.set(.session(connection), dueMs: times.deadlineMs(session))
    }

    /// When ``timersDue(at:)`` is next wanted; nil while nothing is due ever.
    var nextTimerMs: Int64? { deadlines.nextMs }

    /// Does what is due.
    mutating func timersDue(at nowMs: Int64) -> [HubEffect] {
        var asked: [HubEffect] = []
        while let key = deadlines.next(at: nowMs) {
            switch key {
            case .room(let code):
                guard let effects = rooms[code]?.timersDue(at: nowMs) else { continue }
                asked += apply(effects, in: code, at: nowMs)
            case .session(let connection):
                guard let session = sessions[connection] else { continue }
                let dueMs = times.deadlineMs(session)
                if dueMs > nowMs {
                    deadlines.set(key, dueMs: dueMs)
                } else {
                    asked.append(.close(connection, code: session.dismissedAtMs == nil ? 1008 : 1000))
                    asked += closed(connection, at: nowMs)
                }
            }
        }
        if failedJoins.count > mostFailedJoins {
            failedJoins = failedJoins.filter { !$0.value.isFull(at: nowMs) }
            mostFailedJoins = max(1000, 2 * failedJoins.count)
        }
        return asked
    }
}
