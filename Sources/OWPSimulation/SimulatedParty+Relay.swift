// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPRelay
import OWPWire

// The relay: its room decides, and what stands between the room and the sockets is as short as it can be.

extension SimulatedParty {
    /// How long the relay bears with a silent client, in ms.
    static let relaySilenceMs: Int64 = 30_000

    mutating func received(_ text: String, on wire: Int) {
        guard let message = try? ClientMessage(parsing: text) else { return fault(.malformedMessage, lastedMs: 0) }
        let connection = ConnectionID(UInt64(wire))
        switch message {
        case .ping(let id):
            send(.pong(id: id, serverTimeMs: relayMs), on: wire)
        case .create(let name, let client):
            make(code: "222222", for: newcomer(connection, name, client))
        case .join(let code, let name, let client, _):
            let newcomer = newcomer(connection, name, client)
            guard room != nil else { return make(code: code, for: newcomer) }
            ask { $0.joinAsked(by: newcomer, at: $1) }
        case .resume(_, let peerId, let token):
            if room == nil {
                send(.error(ErrorMessage(code: "resume_failed", message: "no such session", re: "resume")), on: wire)
            } else {
                let token = ResumeToken(token)
                ask { $0.resumeAsked(peerId: peerId, token: token, on: connection, at: $1) }
                if room?.hasMember(on: connection) ?? false { figures.resumes += 1 }
            }
        default:
            watchCommand(message, of: wires[wire].person)
            ask { $0.received(message, from: connection, at: $1) }
        }
    }

    mutating func dropped(_ wire: Int) {
        ask { $0.connectionDropped(ConnectionID(UInt64(wire)), at: $1) }
    }

    mutating func roomTimerFired(_ plan: Int) {
        guard roomTimer?.plan == plan else { return }
        roomTimer = nil
        ask { $0.timersDue(at: $1) }
    }

    /// Closes a connection on which nothing has come for 30 s.
    mutating func checkSilence(of wire: Int) {
        guard !wires[wire].isOverForRelay else { return }
        let dueUs = wires[wire].heardUs + Self.relaySilenceMs * 1000
        guard nowUs >= dueUs else { return queue.plan(.relaySilence(wire: wire), atUs: dueUs) }
        closeFromRelay(wire, code: 1008)
        dropped(wire)
    }

    private mutating func newcomer(_ connection: ConnectionID, _ name: String, _ client: String) -> Newcomer {
        lastToken += 1
        let digits = String(lastToken)
        let token = String(repeating: "A", count: 43 - digits.utf8.count) + digits
        return Newcomer(connection: connection, name: name, client: client, token: ResumeToken(token))
    }

    private mutating func make(code: String, for newcomer: Newcomer) {
        let made = RelayRoom.make(code: code, for: newcomer, times: plan.roomTimes, at: relayMs)
        room = made.room
        apply(made.effects)
    }

    /// Lets the room take something at this relay time, and does what it asks for.
    private mutating func ask(_ take: (inout RelayRoom, Int64) -> [RoomEffect]) {
        let now = relayMs
        // Taken out meanwhile, so that it is not copied.
        guard var room = room.take() else { return }
        let effects = take(&room, now)
        self.room = room
        apply(effects)
    }

    private mutating func apply(_ effects: [RoomEffect]) {
        for effect in effects {
            switch effect {
            case .send(let message, let connections):
                watchBroadcast(message)
                let text = message.text
                for connection in connections { send(text, on: Int(connection.value)) }
            case .replace(let connection): closeFromRelay(Int(connection.value), code: 4000)
            case .release, .dismiss: break
            case .forget: room = nil
            }
        }
        planRoomTimer()
    }

    private mutating func planRoomTimer() {
        guard let dueMs = room?.nextTimerMs else { return roomTimer = nil }
        guard roomTimer?.dueMs != dueMs else { return }
        lastRoomPlan += 1
        roomTimer = (dueMs, lastRoomPlan)
        queue.plan(.roomTimer(plan: lastRoomPlan), atUs: max(nowUs, (dueMs - Self.relayOriginMs) * 1000))
    }

    private mutating func closeFromRelay(_ wire: Int, code: Int) {
        wires[wire].isOverForRelay = true
        queue.plan(.endsForPerson(wire: wire, code: code), atUs: arrivalAtPersonUs(on: wire))
    }

    private mutating func send(_ message: RelayMessage, on wire: Int) { send(message.text, on: wire) }

    private mutating func send(_ text: String, on wire: Int) {
        guard !wires[wire].isOverForRelay else { return }
        queue.plan(.toPerson(wire: wire, text), atUs: arrivalAtPersonUs(on: wire))
    }
}
