// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPWire

/// Runs a case of `code-routing`: normalizing a code, or finding its relay in a list (section 4).
func codeRouting(_ given: CaseInput) throws -> JSONValue {
    let code = try given.string("code")
    let normalized = normalizeCode(code)
    guard given.has("relays") else {
        let formatted = try? formatCode(code)
        return [
            "normalized": normalized.map { .string($0) } ?? .null, "formatted": formatted.map { .string($0) } ?? .null,
        ]
    }
    let list: JSONValue = ["relays": try given.required("relays")]
    guard let relays = readRelayList(try list.text) else { throw TableError("given.relays is no valid list") }
    let owner = normalized.flatMap { relay(forCode: $0, in: relays) }
    return ["relay": owner.map { .string($0.id) } ?? .null]
}

/// Runs a case of `relay-list`: a public list, or the base URL of a relay of one's own (sections 3.1 and 3.2).
func relayList(_ given: CaseInput) throws -> JSONValue {
    if given.has("baseUrl") {
        let relay = try? Relay.custom(baseURL: given.string("baseUrl"))
        return ["relay": relay.map(json) ?? .null]
    }
    let relays = readRelayList(try rawText("list", of: given))
    return ["relays": relays.map { .array($0.map(json)) } ?? .null]
}

/// Runs a case of `names` (section 7.1).
func names(_ given: CaseInput) throws -> JSONValue {
    let isName = given.has("name")
    guard case .string(let text)? = try given.value(isName ? "name" : "client") else { return ["valid": false] }
    return ["valid": .bool(isName ? isValidName(text) : isValidClient(text))]
}

/// Runs a case of `media-check` (section 9.7).
func mediaCheck(_ given: CaseInput) throws -> JSONValue {
    let text = try rawText("media", of: given)
    guard let media = try? parseMedia(text: text) else { return ["received": false, "sent": false] }
    return [
        "received": true,
        "sent": .bool(checkMedia(media) == nil),
        "encoded": .string(media.compactJSON),
    ]
}

/// Runs a case of `room-check` (section 8).
func roomCheck(_ given: CaseInput) throws -> JSONValue {
    let read = RelayMessage.read(try rawText("message", of: given))
    let isNewEpoch = try given.isTrue("newEpoch")
    let valid =
        switch (try given.string("as"), read) {
        case ("room", .message(.room(let message))):
            !isNewEpoch || message.media.isUsable
        case ("joined", .message(.joined)), ("pong", .message(.pong)), ("error", .message(.error)),
            ("closed", .message(.closed)):
            true
        case ("room", _), ("joined", _), ("pong", _), ("error", _), ("closed", _):
            false
        case (let type, _):
            throw TableError("given.as: '\(type)' is not known")
        }
    return ["valid": .bool(valid)]
}

extension ReceivedMedia {
    /// Whether a new epoch may begin with it: it is null or a valid descriptor.
    fileprivate var isUsable: Bool {
        switch self {
        case .none, .valid: true
        case .absent, .malformed: false
        }
    }
}

/// A member's JSON text, as the case gives it or written from its value.
private func rawText(_ name: String, of given: CaseInput) throws -> String {
    guard given.has(name) else { throw TableError("\(given.path).\(name) is missing") }
    if let text = try given.text(of: name) { return text }
    return try (given.value(name) ?? .null).text
}

private func json(_ relay: Relay) -> JSONValue {
    [
        "id": .string(relay.id), "name": .string(relay.name), "url": .string(relay.url),
        "prefixes": .string(relay.prefixes),
    ]
}
