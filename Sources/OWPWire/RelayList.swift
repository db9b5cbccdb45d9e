// OpenWatchParty for Swift. See LICENSE.

/// Reads a public relay list (section 3.2).
///
/// - Parameter text: The list's JSON text, read by the policy of messages.
/// - Returns: The entries in order, their four members alone; nil when any part of the list is invalid.
package func readRelayList(_ text: String) -> [Relay]? {
    do throws(ReadFailure) {
        return try JSONReader.reading(text) { reader throws(ReadFailure) in
            let relays = try reader.relayList()
            try reader.end()
            return relays
        }
    } catch {
        return nil
    }
}

extension JSONReader {
    fileprivate mutating func relayList() throws(ReadFailure) -> [Relay] {
        var members = try object("the list: an object")
        var relays: [Relay]?
        while let name = try name(of: &members) {
            switch name {
            case "relays": relays = try self.relays()
            default: try skip()
            }
        }
        guard let relays, !relays.isEmpty else { throw .rule("relays: at least 1") }
        return relays
    }

    private mutating func relays() throws(ReadFailure) -> [Relay] {
        var elements = try array("relays: an array")
        var relays: [Relay] = []
        var ids: Set<String> = []
        var symbols: Set<UInt8> = []
        while try element(of: &elements) {
            let relay = try self.relay()
            guard ids.insert(relay.id).inserted else { throw .rule("id: unique") }
            for symbol in relay.prefixes.utf8 {
                guard symbols.insert(symbol).inserted else { throw .rule("prefixes: a symbol has one place") }
            }
            relays.append(relay)
        }
        return relays
    }

    private mutating func relay() throws(ReadFailure) -> Relay {
        var members = try object("a relay: an object")
        var id: String?
        var label: String?
        var url: String?
        var prefixes: String?
        while let name = try name(of: &members) {
            switch name {
            case "id": id = try text("id: 1 to 32 of a-z 0-9 -, not - first", isValidRelayId)
            case "name": label = try text("name: 1 to 64 code points, none forbidden") { isPlainText($0, limit: 64) }
            case "url": url = try text("url: wss:// to /v1/ws", isListedURL)
            case "prefixes":
                prefixes = try text("prefixes: symbols of codes") { !$0.isEmpty && $0.utf8.allSatisfy(isCodeSymbol) }
            default: try skip()
            }
        }
        guard let id, let label, let url, let prefixes else { throw .rule("a relay: id, name, url and prefixes") }
        return Relay(id: id, name: label, url: url, prefixes: prefixes)
    }
}

/// Whether a URL may stand in a list: a relay's, and secure.
private func isListedURL(_ url: String) -> Bool {
    let bytes = Array(url.utf8)
    return bytes.starts(with: "wss://".utf8) && isRelayURL(bytes)
}
