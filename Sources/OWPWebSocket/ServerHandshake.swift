// OpenWatchParty for Swift. See LICENSE.

/// The server's half of the opening handshake (RFC 6455, section 4.2).
public enum ServerHandshake: Hashable, Sendable {
    /// The bytes of the 101 to send; frames follow it, and may have come already.
    case accepted([UInt8])
    /// The answer to send before the connection is closed.
    case refused(HTTPAnswer)

    /// Judges a request for an upgrade; which paths exist is the server's own affair.
    ///
    /// A method other than GET is refused with 405, another version of the protocol with 426, all else with 400.
    /// No extension and no subprotocol is ever chosen.
    public init(_ request: HTTPRequest) {
        let head = request.head
        guard request.method == "GET" else {
            self = .refused(HTTPAnswer(status: 405, fields: [("Allow", "GET")]))
            return
        }
        // A body would be taken for frames.
        let hasBody =
            !head.values(of: "Transfer-Encoding").isEmpty
            || head.values(of: "Content-Length").contains { $0 != "0" }
        guard request.minorVersion >= 1, !hasBody, let host = head.value(of: "Host"), !host.isEmpty,
            head.hasToken("websocket", in: "Upgrade"), head.hasToken("upgrade", in: "Connection"),
            let key = head.value(of: "Sec-WebSocket-Key"), isBase64OfSixteenBytes(key),
            let version = head.value(of: "Sec-WebSocket-Version")
        else {
            self = .refused(HTTPAnswer(status: 400, body: "This is no valid upgrade to WebSocket.\n"))
            return
        }
        guard version == "13" else {
            let fields = [("Upgrade", "websocket"), ("Sec-WebSocket-Version", "13")]
            self = .refused(HTTPAnswer(status: 426, fields: fields))
            return
        }
        let fields = [
            ("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Accept", acceptKey(for: key)),
        ]
        self = .accepted(httpHead("HTTP/1.1 101 Switching Protocols", fields))
    }

    /// The answer to a head that could not be read: 431 for one too large, else 400.
    public static func refusal(of error: WebSocketError) -> HTTPAnswer {
        HTTPAnswer(status: error.code == .headTooLarge ? 431 : 400)
    }
}

/// What a server answers to a key (RFC 6455, section 4.2.2).
func acceptKey(for key: String) -> String {
    base64(sha1(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)))
}
