// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPWire

// The ways into a room, with the limits that guard them.

extension RelayHub {
    mutating func entered(
        _ message: ClientMessage,
        from connection: ConnectionID,
        at nowMs: Int64
    ) -> [HubEffect] {
        switch message {
        case .create(let name, let client):
            return create(code: nil, name: name, client: client, for: connection, re: message.type, at: nowMs)
        case .join(let code, let name, let client, let create):
            if isBlocked(client) { return [blocked(connection, re: message.type)] }
            guard mayTry(connection, at: nowMs) else { return [tooManyFailures(connection, re: message.type)] }
            if create, rooms[code] == nil, owns(code) {
                return self.create(
                    code: code,
                    name: name,
                    client: client,
                    for: connection,
                    re: message.type,
                    at: nowMs
                )
            }
            let newcomer = Newcomer(connection: connection, name: name, client: client, token: drawToken())
            let effects = rooms[code]?.joinAsked(by: newcomer, at: nowMs)
            return answer(effects, of: code, refusal: "room_not_found", re: message.type, to: connection, at: nowMs)
        case .resume(let code, let peerId, let text):
            guard mayTry(connection, at: nowMs) else { return [tooManyFailures(connection, re: message.type)] }
            let token = ResumeToken(text)
            if let client = rooms[code]?.client(of: peerId, token: token), isBlocked(client) {
                return [blocked(connection, re: message.type)]
            }
            let effects = rooms[code]?.resumeAsked(peerId: peerId, token: token, on: connection, at: nowMs)
            return answer(effects, of: code, refusal: "resume_failed", re: message.type, to: connection, at: nowMs)
        default:
            return []
        }
    }

    /// Performs what a room answered to a join or resume, and counts the failures of an address.
    private mutating func answer(
        _ effects: [RoomEffect]?,
        of code: String,
        refusal: String,
        re: String,
        to connection: ConnectionID,
        at nowMs: Int64
    ) -> [HubEffect] {
        if rooms[code]?.hasMember(on: connection) == true {
            enter(connection, code)
        } else if let address = sessions[connection]?.address {
            var limit = failedJoins[address] ?? failureLimit(at: nowMs)
            _ = limit.take(at: nowMs)
            failedJoins[address] = limit
        }
        guard let effects else {
            return [self.refusal(refusal, "no such room or session", re: re, to: connection)]
        }
        return apply(effects, in: code, at: nowMs)
    }

    private mutating func create(
        code wanted: String?,
        name: String,
        client: String,
        for connection: ConnectionID,
        re: String,
        at nowMs: Int64
    ) -> [HubEffect] {
        guard let address = sessions[connection]?.address else { return [] }
        if isBlocked(client) { return [blocked(connection, re: re)] }
        guard roomCounts[address, default: 0] < configuration.maxRoomsPerIP else {
            return [refusal("rate_limited", "too many rooms from this address", re: re, to: connection)]
        }
        guard rooms.count < configuration.maxRooms, let code = wanted ?? drawCode() else {
            return [refusal("relay_full", "the relay takes no more rooms", re: re, to: connection)]
        }
        let newcomer = Newcomer(connection: connection, name: name, client: client, token: drawToken())
        let made = RelayRoom.make(
            code: code,
            for: newcomer,
            times: roomTimes,
            largestMembers: configuration.maxParticipants,
            at: nowMs
        )
        rooms[code] = made.room
        metrics.rooms += 1
        makers[code] = address
        roomCounts[address, default: 0] += 1
        enter(connection, code)
        return apply(made.effects, in: code, at: nowMs)
    }

    private mutating func enter(_ connection: ConnectionID, _ code: String) {
        sessions[connection]?.roomCode = code
        sessions[connection]?.dismissedAtMs = nil
    }

    private func owns(_ code: String) -> Bool {
        code.utf8.first.map { configuration.prefixes.utf8.contains($0) } ?? false
    }

    private func isBlocked(_ client: String) -> Bool {
        let app = client.utf8.prefix { $0 != UInt8(ascii: "/") }
        return configuration.blockedClients.contains { $0.utf8.elementsEqual(app) }
    }

    private func blocked(_ connection: ConnectionID, re: String) -> HubEffect {
        refusal("client_blocked", "this app is refused here", re: re, to: connection)
    }

    private func tooManyFailures(_ connection: ConnectionID, re: String) -> HubEffect {
        refusal("rate_limited", "too many failed joins", re: re, to: connection)
    }

    /// Whether an address has not failed too often; asked before any look at the code, of which it tells nothing.
    private func mayTry(_ connection: ConnectionID, at nowMs: Int64) -> Bool {
        guard let address = sessions[connection]?.address else { return false }
        return failedJoins[address]?.hasPermit(at: nowMs) ?? true
    }

    private func failureLimit(at nowMs: Int64) -> RateLimit {
        let capacity = Double(configuration.failedJoinsPerMinute)
        return RateLimit(capacity: capacity, perMs: capacity / (60_000 * configuration.timerScale), at: nowMs)
    }

    private mutating func drawCode() -> String? {
        let (prefixes, symbols) = (Array(configuration.prefixes.utf8), Array(codeAlphabet.utf8))
        for _ in 0..<1000 {
            var code: [UInt8] = []
            for place in 0..<6 {
                guard let symbol = (place == 0 ? prefixes : symbols).randomElement(using: &random) else { return nil }
                code.append(symbol)
            }
            let text = String(decoding: code, as: UTF8.self)
            if rooms[text] == nil { return text }
        }
        return nil
    }

    private mutating func drawToken() -> ResumeToken {
        ResumeToken(base64url((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) }))
    }
}
