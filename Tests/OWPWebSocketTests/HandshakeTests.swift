// OpenWatchParty for Swift. See LICENSE.

import Testing

@testable import OWPWebSocket

/// Reads a head in pieces of some bytes, and says how many bytes are left after it.
func readHead(_ text: String, pieces: Int = .max, limit: Int = 8192) -> Result<(HTTPHead, rest: Int)?, WebSocketError> {
    var reader = HTTPHeadReader(limit: limit)
    let bytes = Array(text.utf8)
    return Result { () throws(WebSocketError) in
        var start = 0
        while start < bytes.count {
            let end = pieces < bytes.count - start ? start + pieces : bytes.count
            let piece = Array(bytes[start..<end])
            let read = piece.withUnsafeBytes { all in
                var offset = 0
                return Result { () throws(WebSocketError) in try reader.read(all, at: &offset) }.map { ($0, offset) }
            }
            let (head, offset) = try read.get()
            if let head { return (head, bytes.count - start - offset) }
            start = end
        }
        return nil
    }
}

/// A good request with some lines replaced, removed or added.
func request(
    _ line: String = "GET /v1/ws HTTP/1.1",
    without removed: [String] = [],
    _ added: String...
) -> String {
    let lines = [
        "Host: relay.example.com", "Upgrade: websocket", "Connection: Upgrade",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13",
    ]
    let kept = lines.filter { line in !removed.contains { line.hasPrefix($0) } }
    return ([line] + kept + added + ["", ""]).joined(separator: "\r\n")
}

@Suite("The server's opening handshake (RFC 6455, section 4.2)")
struct ServerHandshakeTests {
    struct Vector: Sendable, CustomTestStringConvertible {
        var name: String
        var text: String
        /// The status, 101 for an accepted request.
        var status: Int
        var testDescription: String { name }
    }

    static let vectors = [
        Vector(name: "good", text: request(), status: 101),
        Vector(name: "with a query", text: request("GET /v1/ws?a=b HTTP/1.1"), status: 101),
        Vector(name: "absolute target", text: request("GET http://relay.example.com/v1/ws HTTP/1.1"), status: 101),
        Vector(
            name: "names and tokens in another case",
            text: request(
                without: ["Upgrade", "Connection"],
                "UPGRADE: WebSocket",
                "connection: keep-alive , uPGRADE"
            ),
            status: 101
        ),
        Vector(
            name: "Connection in two fields",
            text: request(without: ["Connection"], "Connection: keep-alive", "Connection: Upgrade"),
            status: 101
        ),
        Vector(
            name: "a folded Connection",
            text: request(without: ["Connection"], "Connection: keep-alive,\r\n\tUpgrade"),
            status: 101
        ),
        Vector(
            name: "offers are ignored",
            text: request(
                "GET /v1/ws HTTP/1.1",
                "Sec-WebSocket-Extensions: permessage-deflate",
                "Sec-WebSocket-Protocol: chat"
            ),
            status: 101
        ),
        Vector(name: "blanks around values", text: request(without: ["Host"], "Host: \t a \t "), status: 101),
        Vector(name: "POST", text: request("POST /v1/ws HTTP/1.1"), status: 405),
        Vector(name: "get", text: request("get /v1/ws HTTP/1.1"), status: 405),
        Vector(name: "HTTP/1.0", text: request("GET /v1/ws HTTP/1.0"), status: 400),
        Vector(name: "HTTP/2.0", text: request("GET /v1/ws HTTP/2.0"), status: 400),
        Vector(name: "no Host", text: request(without: ["Host"]), status: 400),
        Vector(name: "two Hosts", text: request("GET /v1/ws HTTP/1.1", "Host: b"), status: 400),
        Vector(name: "no Upgrade", text: request(without: ["Upgrade"]), status: 400),
        Vector(name: "Upgrade: h2c", text: request(without: ["Upgrade"], "Upgrade: h2c"), status: 400),
        Vector(name: "no Connection", text: request(without: ["Connection"]), status: 400),
        Vector(
            name: "Connection: upgrades",
            text: request(without: ["Connection"], "Connection: upgrades"),
            status: 400
        ),
        Vector(name: "no key", text: request(without: ["Sec-WebSocket-Key"]), status: 400),
        Vector(
            name: "two keys",
            text: request("GET / HTTP/1.1", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="),
            status: 400
        ),
        Vector(
            name: "a key of 15 bytes",
            text: request(without: ["Sec-WebSocket-Key"], "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25j"),
            status: 400
        ),
        Vector(
            name: "a key of 17 bytes",
            text: request(without: ["Sec-WebSocket-Key"], "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZTE="),
            status: 400
        ),
        Vector(
            name: "a key that is no Base64",
            text: request(without: ["Sec-WebSocket-Key"], "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25j*Q=="),
            status: 400
        ),
        Vector(name: "no version", text: request(without: ["Sec-WebSocket-Version"]), status: 400),
        Vector(name: "two versions", text: request("GET / HTTP/1.1", "Sec-WebSocket-Version: 13"), status: 400),
        Vector(
            name: "version 8",
            text: request(without: ["Sec-WebSocket-Version"], "Sec-WebSocket-Version: 8"),
            status: 426
        ),
        Vector(
            name: "version 14",
            text: request(without: ["Sec-WebSocket-Version"], "Sec-WebSocket-Version: 14"),
            status: 426
        ),
        Vector(name: "a body", text: request("GET / HTTP/1.1", "Content-Length: 5"), status: 400),
        Vector(name: "a chunked body", text: request("GET / HTTP/1.1", "Transfer-Encoding: chunked"), status: 400),
        Vector(name: "no target", text: request("GET HTTP/1.1"), status: 400),
        Vector(name: "two blanks", text: request("GET  / HTTP/1.1"), status: 400),
        Vector(name: "a target without a slash", text: request("GET v1/ws HTTP/1.1"), status: 400),
        Vector(name: "a control character in the target", text: request("GET /\u{1} HTTP/1.1"), status: 400),
        Vector(name: "a space before the colon", text: request("GET / HTTP/1.1", "X : y"), status: 400),
        Vector(name: "a field without a colon", text: request("GET / HTTP/1.1", "nonsense"), status: 400),
        Vector(name: "a field without a name", text: request("GET / HTTP/1.1", ": y"), status: 400),
        Vector(name: "a NUL in a value", text: request("GET / HTTP/1.1", "X: a\u{0}b"), status: 400),
        Vector(name: "a bare CR", text: request("GET / HTTP/1.1", "X: a\rb"), status: 400),
        Vector(name: "a bare LF", text: request("GET / HTTP/1.1", "X: a\nb: c"), status: 400),
        Vector(name: "a fold before any field", text: request("GET / HTTP/1.1\r\n folded"), status: 400),
        Vector(
            name: "too large",
            text: request("GET / HTTP/1.1", "X: " + String(repeating: "x", count: 9000)),
            status: 431
        ),
    ]

    @Test("The answer", arguments: vectors)
    func answer(_ vector: Vector) {
        for pieces in [Int.max, 1, 2, 7] {
            let status: Int?
            do throws(WebSocketError) {
                guard let (head, rest) = try readHead(vector.text + "xyz", pieces: pieces).get() else {
                    Issue.record("no head")
                    return
                }
                #expect(rest <= 3)
                switch ServerHandshake(try HTTPRequest(head)) {
                case .accepted(let bytes):
                    status = 101
                    #expect(String(decoding: bytes, as: UTF8.self).contains("Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"))
                case .refused(let answer): status = answer.status
                }
            } catch {
                status = ServerHandshake.refusal(of: error).status
            }
            #expect(status == vector.status)
        }
    }

    @Test("The limit counts every byte of the head")
    func limit() {
        let text = request()
        let count = text.utf8.count
        #expect((try? readHead(text, limit: count).get()) != nil)
        guard case .failure(let error) = readHead(text, limit: count - 1) else {
            Issue.record("not refused")
            return
        }
        #expect(error.code == .headTooLarge)
    }

    @Test(
        "Method, path and query of a request",
        arguments: [
            ("GET /health HTTP/1.1", "/health", nil), ("GET /a?b?c HTTP/1.1", "/a", "b?c"),
            ("GET http://host HTTP/1.1", "/", nil), ("GET HTTPS://host?q HTTP/1.1", "/", "q"),
        ] as [(String, String, String?)]
    )
    func parts(line: String, path: String, query: String?) throws {
        let head = HTTPHead(firstLine: line, fields: [])
        let request = try HTTPRequest(head)
        #expect(request.path == path && request.query == query && request.method == "GET")
    }

    @Test("Refusals say what the client needs to know")
    func refusals() {
        let text = String(decoding: HTTPAnswer(status: 404).bytes, as: UTF8.self)
        #expect(text.hasPrefix("HTTP/1.1 404 Not Found\r\n"))
        #expect(text.hasSuffix("Content-Length: 10\r\nConnection: close\r\n\r\nNot Found\n"))
    }
}

@Suite("The client's opening handshake (RFC 6455, section 4.1)")
struct ClientHandshakeTests {
    static let accept = "Sec-WebSocket-Accept: "

    struct Vector: Sendable, CustomTestStringConvertible {
        var name: String
        var lines: [String]
        /// Why it fails; nil when the connection opens.
        var failure: WebSocketError?
        var testDescription: String { name }
    }

    static let good = ["HTTP/1.1 101 Switching Protocols", "Upgrade: websocket", "Connection: Upgrade", "ACCEPT"]

    static func replaced(_ index: Int, _ lines: String...) -> [String] {
        Array(good[..<index]) + lines + Array(good[(index + 1)...])
    }

    static let vectors = [
        Vector(name: "good", lines: good),
        Vector(name: "other cases", lines: replaced(1, "uPGRADE: WEBSOCKET") + ["X-More: 1"]),
        Vector(name: "no reason", lines: replaced(0, "HTTP/1.1 101")),
        Vector(name: "Connection as a list", lines: replaced(2, "Connection: keep-alive, upgrade")),
        Vector(name: "after an interim answer", lines: ["HTTP/1.1 103 Early Hints", "Link: x", ""] + good),
        Vector(name: "429", lines: ["HTTP/1.1 429 Too Many Requests"], failure: .init(.refused, httpStatus: 429)),
        Vector(name: "503", lines: ["HTTP/1.1 503 No"], failure: .init(.refused, httpStatus: 503)),
        Vector(
            name: "a redirect",
            lines: ["HTTP/1.1 302 Found", "Location: /"],
            failure: .init(.refused, httpStatus: 302)
        ),
        Vector(name: "200", lines: replaced(0, "HTTP/1.1 200 OK"), failure: .init(.refused, httpStatus: 200)),
        Vector(name: "a refusal by HTTP/1.0", lines: ["HTTP/1.0 503 No"], failure: .init(.refused, httpStatus: 503)),
        Vector(name: "HTTP/1.0", lines: replaced(0, "HTTP/1.0 101 No"), failure: .init(.malformedHead)),
        Vector(name: "no HTTP", lines: ["SSH-2.0-OpenSSH"], failure: .init(.malformedHead)),
        Vector(name: "a status of two digits", lines: ["HTTP/1.1 10 X"], failure: .init(.malformedHead)),
        Vector(name: "no Upgrade", lines: replaced(1), failure: .init(.notAnUpgrade)),
        Vector(name: "Upgrade: h2c", lines: replaced(1, "Upgrade: h2c"), failure: .init(.notAnUpgrade)),
        Vector(name: "no Connection", lines: replaced(2), failure: .init(.notAnUpgrade)),
        Vector(name: "no accept", lines: replaced(3), failure: .init(.wrongAccept)),
        Vector(name: "a wrong accept", lines: replaced(3, accept + "x"), failure: .init(.wrongAccept)),
        Vector(name: "two accepts", lines: good + ["ACCEPT"], failure: .init(.wrongAccept)),
        Vector(
            name: "an extension",
            lines: good + ["Sec-WebSocket-Extensions: permessage-deflate"],
            failure: .init(.unknownExtension)
        ),
        Vector(
            name: "a subprotocol",
            lines: good + ["Sec-WebSocket-Protocol: chat"],
            failure: .init(.unknownExtension)
        ),
    ]

    @Test("The server's answer is checked, however it is cut", arguments: vectors)
    func answer(_ vector: Vector) throws {
        for pieces in [Int.max, 1, 3] {
            var random = Splitmix(state: 5)
            var handshake = ClientHandshake(to: try WebSocketURL("ws://a/"), random: &random)
            let sent = String(decoding: handshake.request, as: UTF8.self)
            let key = try #require(sent.split(separator: "\r\n").first { $0.hasPrefix("Sec-WebSocket-Key: ") })
            let accept = Self.accept + acceptKey(for: String(key.dropFirst(19)))
            let lines = vector.lines.map { $0 == "ACCEPT" ? accept : $0 }
            let bytes = Array((lines + ["", ""]).joined(separator: "\r\n").utf8) + [0x81, 0x00]
            var start = 0
            var opened = false
            var failure: WebSocketError?
            while start < bytes.count, !opened, failure == nil {
                let piece = Array(bytes[start..<(pieces < bytes.count - start ? start + pieces : bytes.count)])
                var offset = 0
                let read = piece.withUnsafeBytes { all in
                    Result { () throws(WebSocketError) in try handshake.read(all, at: &offset) }
                }
                switch read {
                case .success(let isOpen): opened = isOpen
                case .failure(let error): failure = error
                }
                start += offset
            }
            #expect(failure == vector.failure)
            #expect(opened == (vector.failure == nil))
            if opened { #expect(bytes.count - start == 2) }
        }
    }

    @Test("The request, which the server's half accepts")
    func request() throws {
        var random = Splitmix(state: 9)
        let handshake = ClientHandshake(to: try WebSocketURL("ws://Host:8080/v1/ws?x"), random: &random)
        let text = String(decoding: handshake.request, as: UTF8.self)
        #expect(text.hasPrefix("GET /v1/ws?x HTTP/1.1\r\nHost: Host:8080\r\nUpgrade: websocket\r\n"))
        guard let (head, _) = try readHead(text).get(), case .accepted = ServerHandshake(try HTTPRequest(head)) else {
            Issue.record("not accepted")
            return
        }
    }

    @Test(
        "URLs taken apart",
        arguments: [
            ("ws://a", "a", 80, "/", "a"), ("wss://a", "a", 443, "/", "a"), ("WSS://A:443/x", "A", 443, "/x", "A"),
            ("ws://a:8080?q", "a", 8080, "/?q", "a:8080"), ("ws://[::1]:9/v1/ws", "[::1]", 9, "/v1/ws", "[::1]:9"),
            ("wss://[::1]", "[::1]", 443, "/", "[::1]"), ("ws://a:/b", "a", 80, "/b", "a"),
        ]
    )
    func url(text: String, host: String, port: Int, target: String, hostField: String) throws {
        let url = try WebSocketURL(text)
        #expect(url.host == host && url.port == port && url.target == target && url.hostField == hostField)
    }

    @Test(
        "What is no WebSocket URL",
        arguments: [
            "", "a", "http://a", "ws:/a", "ws://", "ws:///v1/ws", "ws://a b", "ws://a#f", "ws://u@a", "ws://u:p@a",
            "ws://a:0",
            "ws://a:65536", "ws://a:x", "ws://a:-1", "ws://a:123456", "ws://[::1", "ws://::1", "ws://[]", "ws://\u{E9}",
            "ws://a\r\nb",
            "ws://:80", "ws://[::1]x",
        ]
    )
    func badURL(text: String) {
        #expect(throws: WebSocketError.self) { try WebSocketURL(text) }
    }
}
