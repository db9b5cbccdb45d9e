// OpenWatchParty for Swift. See LICENSE.

/// A request as a server reads it: the request line taken apart, and the fields (RFC 7230, section 3.1.1).
public struct HTTPRequest: Hashable, Sendable {
    /// The method, in the case it was sent.
    public let method: String
    /// The path, without the query; of a target in absolute form, the part after the host.
    public let path: String
    /// What follows the path's `?`; nil without one.
    public let query: String?
    /// The minor version of HTTP/1.
    public let minorVersion: Int
    /// The head that it was read from.
    public let head: HTTPHead

    /// Reads the request line.
    ///
    /// - Parameter head: The head of a request.
    /// - Throws: ``WebSocketError``, `malformedHead`: three parts, HTTP/1.0 or 1.1 and a target are needed.
    public init(_ head: HTTPHead) throws(WebSocketError) {
        let parts = Array(head.firstLine.utf8).split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard parts.count == 3, isToken(parts[0]), let target = HTTPRequest.target(parts[1]) else {
            throw WebSocketError(.malformedHead)
        }
        switch String(decoding: parts[2], as: UTF8.self) {
        case "HTTP/1.1": minorVersion = 1
        case "HTTP/1.0": minorVersion = 0
        default: throw WebSocketError(.malformedHead)
        }
        method = String(decoding: parts[0], as: UTF8.self)
        let mark = target.firstIndex(of: UInt8(ascii: "?"))
        path = String(decoding: target[..<(mark ?? target.endIndex)], as: UTF8.self)
        query = mark.map { String(decoding: target[($0 + 1)...], as: UTF8.self) }
        self.head = head
    }

    /// The path and query of a request's target, when it is in origin or absolute form.
    private static func target(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        if bytes.first == UInt8(ascii: "/") { return bytes }
        for scheme in ["http://", "https://"] {
            guard equalIgnoringCase(String(decoding: bytes.prefix(scheme.utf8.count), as: UTF8.self), scheme) else {
                continue
            }
            let rest = bytes.dropFirst(scheme.utf8.count)
            guard let end = rest.firstIndex(where: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }) else {
                return rest.isEmpty ? nil : [UInt8(ascii: "/")]
            }
            if end == rest.startIndex { return nil }
            return rest[end] == UInt8(ascii: "/") ? rest[end...] : [UInt8(ascii: "/")] + rest[end...]
        }
        return nil
    }
}

/// A whole answer of a server, which then closes the connection.
public struct HTTPAnswer: Hashable, Sendable {
    /// The status, such as 404.
    public let status: Int
    /// The fields beside `Content-Length`, `Content-Type` and `Connection`.
    public let fields: [(name: String, value: String)]
    /// The body, as plain text.
    public let body: String

    /// Makes an answer.
    ///
    /// - Parameters:
    ///   - status: The status, such as 404.
    ///   - fields: Further fields; their texts are written as they are.
    ///   - body: The body; nil for the status in words.
    public init(status: Int, fields: [(name: String, value: String)] = [], body: String? = nil) {
        self.status = status
        self.fields = fields
        self.body = body ?? HTTPAnswer.reason(status) + "\n"
    }

    /// Whether both answers have the same bytes.
    public static func == (left: HTTPAnswer, right: HTTPAnswer) -> Bool { left.bytes == right.bytes }

    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

    /// The answer as it is sent.
    public var bytes: [UInt8] {
        let own = [
            ("Content-Type", "text/plain; charset=utf-8"), ("Content-Length", String(body.utf8.count)),
            ("Connection", "close"),
        ]
        return httpHead("HTTP/1.1 \(status) \(HTTPAnswer.reason(status))", fields + own) + Array(body.utf8)
    }

    /// The status in words.
    private static func reason(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 400: "Bad Request"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 408: "Request Timeout"
        case 426: "Upgrade Required"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 503: "Service Unavailable"
        default: "Status \(status)"
        }
    }
}

/// A head as it is sent, with the empty line that ends it.
func httpHead(_ firstLine: String, _ fields: [(name: String, value: String)]) -> [UInt8] {
    var text = firstLine + "\r\n"
    for (name, value) in fields { text += "\(name): \(value)\r\n" }
    return Array((text + "\r\n").utf8)
}
