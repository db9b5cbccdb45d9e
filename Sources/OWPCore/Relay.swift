// OpenWatchParty for Swift. See LICENSE.

/// One entry of a relay list (section 3.2).
public struct Relay: Hashable, Sendable {
    /// The entry's ID: 1 to 32 of `a–z 0–9 -`, unique in its list; `custom` for a self-hosted relay.
    public let id: String
    /// The relay's name, 1 to 64 code points; a self-hosted relay's is its base URL.
    public let name: String
    /// The WebSocket's URL, ending in `/v1/ws`.
    public let url: String
    /// The code symbols that this relay owns.
    public let prefixes: String

    /// Makes an entry without checking it.
    public init(id: String, name: String, url: String, prefixes: String) {
        self.id = id
        self.name = name
        self.url = url
        self.prefixes = prefixes
    }
}

extension Relay {
    /// The one relay at a base URL, which owns every symbol (section 3.1).
    ///
    /// - Parameter baseURL: An `https://` or `http://` base; trailing slashes are removed.
    /// - Returns: The entry `custom`.
    /// - Throws: `invalid_message` when the base or the relay URL made of it is bad.
    package static func custom(baseURL: String) throws(PartyError) -> Relay {
        var base = Array(baseURL.utf8)
        while base.last == UInt8(ascii: "/") { base.removeLast() }
        let secure = base.starts(with: "https://".utf8)
        guard secure || base.starts(with: "http://".utf8) else {
            throw PartyError(.invalidMessage, "a relay's base URL starts with https:// or http://")
        }
        let rest = base.dropFirst(secure ? 8 : 7)
        guard let first = rest.first, !"/?#".utf8.contains(first) else {
            throw PartyError(.invalidMessage, "a relay's base URL names a host")
        }
        let url = Array((secure ? "wss://" : "ws://").utf8) + rest + Array("/v1/ws".utf8)
        guard isRelayURL(url) else {
            throw PartyError(.invalidMessage, "a relay's base URL is printable ASCII without ? and #")
        }
        return Relay(
            id: "custom",
            name: String(decoding: base, as: UTF8.self),
            url: String(decoding: url, as: UTF8.self),
            prefixes: codeAlphabet
        )
    }
}

/// Whether bytes are a relay's URL: `wss://` or `ws://`, a host, and `/v1/ws` at the end (section 3.2).
package func isRelayURL(_ url: [UInt8]) -> Bool {
    let scheme = url.starts(with: "wss://".utf8) ? 6 : url.starts(with: "ws://".utf8) ? 5 : 0
    let path = Array("/v1/ws".utf8)
    guard scheme > 0, url.suffix(path.count).elementsEqual(path) else { return false }
    // Non-empty between `://` and the next `/`; a host of `v1` may share its slash with the path's end.
    guard url.count > scheme, url[scheme] != UInt8(ascii: "/"), url[scheme...].contains(UInt8(ascii: "/")) else {
        return false
    }
    return url.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
}

/// The relay that owns a normalized code's first symbol (section 4.2); a valid list has at most one.
package func relay(forCode code: String, in relays: [Relay]) -> Relay? {
    guard let symbol = code.utf8.first else { return nil }
    return relays.first { $0.prefixes.utf8.contains(symbol) }
}
