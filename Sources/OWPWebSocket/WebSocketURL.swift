// OpenWatchParty for Swift. See LICENSE.

/// A `ws://` or `wss://` URL taken apart (RFC 6455, section 3).
public struct WebSocketURL: Hashable, Sendable {
    /// Whether it is `wss://`.
    public let isSecure: Bool
    /// The host; an IPv6 address is in brackets.
    public let host: String
    /// The port, by default 80 or 443.
    public let port: Int
    /// The path and query that are asked for.
    public let target: String

    /// Reads a URL.
    ///
    /// - Parameter text: A URL of printable ASCII, with a host, without a user name and without a fragment.
    /// - Throws: ``WebSocketError``, `invalidURL`.
    public init(_ text: String) throws(WebSocketError) {
        let bytes = Array(text.utf8)
        guard bytes.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "#") }) else {
            throw WebSocketError(.invalidURL)
        }
        func starts(with scheme: String) -> Bool {
            equalIgnoringCase(String(decoding: bytes.prefix(scheme.utf8.count), as: UTF8.self), scheme)
        }
        isSecure = starts(with: "wss://")
        guard isSecure || starts(with: "ws://") else { throw WebSocketError(.invalidURL) }
        let rest = bytes.dropFirst(isSecure ? 6 : 5)
        let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.endIndex
        let path = String(decoding: rest[end...], as: UTF8.self)
        target = path.hasPrefix("/") ? path : "/" + path

        let authority = rest[..<end]
        var host = authority
        var port = isSecure ? 443 : 80
        let isAddress = authority.first == UInt8(ascii: "[")
        let hostEnd = isAddress ? authority.firstIndex(of: UInt8(ascii: "]")) : authority.startIndex
        guard let hostEnd else { throw WebSocketError(.invalidURL) }
        if let colon = authority[hostEnd...].firstIndex(of: UInt8(ascii: ":")) {
            host = authority[..<colon]
            let digits = authority[(colon + 1)...]
            guard digits.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains), digits.count <= 5 else {
                throw WebSocketError(.invalidURL)
            }
            if !digits.isEmpty { port = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } }
        }
        guard (1...65_535).contains(port), WebSocketURL.isHost(host) else { throw WebSocketError(.invalidURL) }
        self.host = String(decoding: host, as: UTF8.self)
        self.port = port
    }

    /// The host with the port unless it is the scheme's own, as the field `Host` has it.
    public var hostField: String {
        port == (isSecure ? 443 : 80) ? host : "\(host):\(port)"
    }

    /// Whether bytes can be a host: an address in brackets, or a name.
    private static func isHost(_ host: ArraySlice<UInt8>) -> Bool {
        let inner = host.first == UInt8(ascii: "[") ? host.dropFirst().dropLast() : host
        guard !inner.isEmpty, inner.count == host.count || host.last == UInt8(ascii: "]") else { return false }
        return !inner.contains { "@[]\\<>\"^`{|}".utf8.contains($0) }
    }
}
