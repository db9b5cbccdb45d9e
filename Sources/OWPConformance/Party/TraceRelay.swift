// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPWire

/// The relay of a trace, as far as it has something to say: its room, which each message changes.
struct TraceRelay {
    private static let participant: JSONValue = [
        "name": "Someone", "client": "Test/1.0", "host": false, "connected": true, "player": "ready", "match": nil,
        "offsetMs": 0,
    ]
    private static let you: JSONValue = ["peerId": "a1", "token": .string(String(repeating: "t", count: 43))]

    private let media: JSONValue
    private var room: JSONValue = [
        "rev": 1, "code": "K7MQ2X", "epoch": 1, "phase": "paused", "positionMs": 0, "atMs": 1_000_000, "rate": 1,
        "control": "host", "locked": false, "waitingOn": [],
        "participants": [["peerId": "a1", "host": true], ["peerId": "b1"]],
    ]
    /// The snapshots that were sent, by their `rev`.
    private(set) var sent: [Double: JSONValue] = [:]

    init(media: JSONValue) { self.media = media }

    /// The text of a step that is a relay's message; nil for another step.
    mutating func text(of step: TraceStep) throws -> String? {
        let input = step.input
        switch step.event {
        case "joined":
            return try joined(input).text
        case "room":
            return try changed(input).text
        case "says": return try input.required("says").text
        case "saysText": return try input.string("saysText")
        default: return nil
        }
    }

    private mutating func joined(_ input: CaseInput) throws -> JSONValue {
        change(try input.required("joined"))
        return [
            "type": "joined", "code": room["code"] ?? .null,
            "you": merged(Self.you, with: try input.value("you") ?? [:]),
            "serverTime": 1_000_000, "room": snapshot, "media": descriptor(try input.value("media") ?? .null),
        ]
    }

    private mutating func changed(_ input: CaseInput) throws -> JSONValue {
        change(try input.required("room"))
        guard case .object(var message) = snapshot else { throw TableError("\(input.path).room must be an object") }
        message["type"] = "room"
        if input.has("media") { message["media"] = descriptor(try input.value("media") ?? .null) }
        if let action = try input.value("action") {
            message["action"] = merged(["by": nil], with: action, keepingNull: true)
        }
        return .object(message)
    }

    private mutating func change(_ patch: JSONValue) {
        room = merged(room, with: patch)
        if case .number(let rev)? = room["rev"] { sent[rev] = snapshot }
    }

    /// The room with every participant's entry whole.
    private var snapshot: JSONValue {
        guard case .object(var members) = room, case .array(let participants)? = members["participants"] else {
            return room
        }
        members["participants"] = .array(participants.map(Self.entry))
        return .object(members)
    }

    /// A participant's whole entry, of which the trace says what is not usual.
    static func entry(_ short: JSONValue) -> JSONValue { merged(participant, with: short, keepingNull: true) }

    /// A descriptor, which may be given by its name.
    func descriptor(_ value: JSONValue) -> JSONValue {
        guard case .string(let name) = value else { return value }
        return media[name] ?? value
    }
}

/// Merges the members of one object into another, null included.
private func merged(_ target: JSONValue, with members: JSONValue, keepingNull: Bool) -> JSONValue {
    guard case .object(let old) = target, case .object(let new) = members else { return members }
    return .object(old.merging(new) { $1 })
}
