// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPSync
import OWPWire
import OpenWatchParty

/// An event of a party as a trace writes it.
protocol EventJSON {
    /// Its name, and what it carries.
    var json: (name: String, value: JSONValue) { get }
}

extension ActionEvent: EventJSON {
    var json: (name: String, value: JSONValue) {
        let value: JSONValue = [
            "kind": .string(kind), "byPeerId": byPeerId.map { .string($0) } ?? .null, "by": by?.traceJSON ?? .null,
            "byMe": .bool(byMe), "room": room.traceJSON,
        ]
        return ("Action", value)
    }
}

extension ParticipantJoinedEvent: EventJSON {
    var json: (name: String, value: JSONValue) { ("ParticipantJoined", participant.traceJSON) }
}

extension ParticipantLeftEvent: EventJSON {
    var json: (name: String, value: JSONValue) { ("ParticipantLeft", participant.traceJSON) }
}

extension ErrorEvent: EventJSON {
    var json: (name: String, value: JSONValue) { ("Error", error.traceJSON) }
}

extension ResolveFailedEvent: EventJSON {
    var json: (name: String, value: JSONValue) { ("ResolveFailed", .string(traceName(of: error))) }
}

extension PlayBlockedEvent: EventJSON {
    var json: (name: String, value: JSONValue) { ("PlayBlocked", .string(traceName(of: error))) }
}

extension EndedEvent: EventJSON {
    var json: (name: String, value: JSONValue) {
        ("Ended", ["reason": .string(reason.rawValue), "error": error?.traceJSON ?? .null])
    }
}

/// The name of an error that the trace threw; `timeout` for the language's own.
private func traceName(of error: any Error) -> String {
    switch error {
    case let failure as TraceFailure: failure.name
    case is TimeoutError: "timeout"
    case is CancellationError: "cancellation"
    default: "\(error)"
    }
}

extension PartyError {
    var traceJSON: JSONValue {
        ["code": .string(code.rawValue), "message": .string(message), "re": re.map { .string($0) } ?? .null]
    }
}

extension PlayerAction {
    var json: JSONValue {
        switch self {
        case .pause: "pause"
        case .play: "play"
        case .seek(let positionMs): ["seek": .number(Double(positionMs))]
        case .setRate(let rate): ["setRate": .number(rate)]
        }
    }
}

extension Room {
    /// The snapshot as on the wire.
    var traceJSON: JSONValue {
        guard case .object(var members)? = try? JSONValue(parsing: RelayMessage.room(RoomMessage(room: self)).text)
        else {
            return .null
        }
        members["type"] = nil
        return .object(members)
    }
}

extension Participant {
    /// The entry as on the wire.
    var traceJSON: JSONValue {
        let room = Room(
            rev: 1,
            code: "",
            epoch: 0,
            phase: .idle,
            positionMs: 0,
            atMs: 0,
            rate: 1,
            control: .host,
            locked: false,
            waitingOn: [],
            participants: [self]
        )
        guard case .array(let entries)? = room.traceJSON["participants"] else { return .null }
        return entries.first ?? .null
    }
}

extension Candidate<String> {
    /// Its ID, with its ref when that is another.
    var traceJSON: JSONValue { id == ref ? .string(id) : ["id": .string(id), "ref": .string(ref)] }
}

extension PartyState<String> {
    /// The state, without the members that are null.
    var traceJSON: JSONValue {
        func delta(_ deltaMs: Int64?) -> JSONValue { deltaMs.map { .number(Double($0)) } ?? .null }
        let all: JSONValue = [
            "connection": .string(connection.rawValue),
            "peerId": peerId.map { .string($0) } ?? .null,
            "room": room?.traceJSON ?? .null,
            "media": media?.toJSON() ?? .null,
            "match": match.map { ["state": .string($0.state.rawValue), "deltaMs": delta($0.deltaMs)] } ?? .null,
            "choice": choice?.traceJSON ?? .null,
            "mismatch": mismatch.map { ["id": $0.candidate.traceJSON, "deltaMs": delta($0.deltaMs)] } ?? .null,
            "candidates": .array(candidates.map { ["id": $0.candidate.traceJSON, "deltaMs": delta($0.deltaMs)] }),
            "offsetMs": .number(Double(offsetMs)),
            "player": .string(player.rawValue),
            "endReason": endReason.map { .string($0.rawValue) } ?? .null,
        ]
        return all
    }
}

/// A value without any member that is null.
func withoutNull(_ value: JSONValue) -> JSONValue {
    switch value {
    case .object(let members): .object(members.filter { $0.value != .null }.mapValues(withoutNull))
    case .array(let elements): .array(elements.map(withoutNull))
    default: value
    }
}
