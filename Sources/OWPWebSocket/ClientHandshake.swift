// OpenWatchParty for Swift. See LICENSE.

/// The client's half of the opening handshake (RFC 6455, section 4.1).
public struct ClientHandshake: Sendable {
    /// The request to send.
    public let request: [UInt8]
    private let accept: String
    private var reader: HTTPHeadReader
    /// Interim answers that may still come before the one that counts.
    private var interimsLeft = 8

    /// Makes the request.
    ///
    /// - Parameters:
    ///   - url: Where to.
    ///   - random: The source of the key's 16 bytes.
    ///   - headLimit: The largest head of an answer, in bytes.
    public init(
        to url: WebSocketURL,
        random: inout some RandomNumberGenerator,
        headLimit: Int = HTTPHeadReader.defaultLimit
    ) {
        let key = base64((0..<16).map { _ in UInt8.random(in: 0...255, using: &random) })
        request = httpHead(
            "GET \(url.target) HTTP/1.1",
            [
                ("Host", url.hostField), ("Upgrade", "websocket"), ("Connection", "Upgrade"),
                ("Sec-WebSocket-Key", key), ("Sec-WebSocket-Version", "13"),
            ]
        )
        accept = acceptKey(for: key)
        reader = HTTPHeadReader(limit: headLimit)
    }

    /// Reads on to the end of the server's answer, or of the bytes.
    ///
    /// - Parameters:
    ///   - bytes: What was read from the connection.
    ///   - offset: Where to go on; moved past what was read, and after the answer to the first byte of the frames.
    /// - Returns: Whether the connection is open; false while bytes are missing.
    /// - Throws: ``WebSocketError``: `refused` with the status, or what is wrong with the answer.
    public mutating func read(
        _ bytes: UnsafeRawBufferPointer,
        at offset: inout Int
    ) throws(WebSocketError) -> Bool {
        while let head = try reader.read(bytes, at: &offset) {
            let status = try ClientHandshake.status(head)
            guard status != 101 else {
                try check(head)
                return true
            }
            guard (100...199).contains(status), interimsLeft > 0 else {
                throw WebSocketError(.refused, httpStatus: status)
            }
            interimsLeft -= 1
        }
        return false
    }

    /// The status of an answer.
    private static func status(_ head: HTTPHead) throws(WebSocketError) -> Int {
        let line = Array(head.firstLine.utf8)
        let version = "HTTP/1.1 ".utf8
        let isOld = line.starts(with: "HTTP/1.0 ".utf8)
        guard isOld || line.starts(with: version), line.count == 12 || line.dropFirst(12).first == UInt8(ascii: " "),
            line.count >= 12, let status = Int(String(decoding: line[9..<12], as: UTF8.self)),
            (100...999).contains(status), !(isOld && status == 101)
        else { throw WebSocketError(.malformedHead) }
        return status
    }

    /// Checks a 101, field by field.
    private func check(_ head: HTTPHead) throws(WebSocketError) {
        guard let upgrade = head.value(of: "Upgrade"), equalIgnoringCase(upgrade, "websocket"),
            head.hasToken("upgrade", in: "Connection")
        else { throw WebSocketError(.notAnUpgrade) }
        guard head.value(of: "Sec-WebSocket-Accept") == accept else { throw WebSocketError(.wrongAccept) }
        guard head.values(of: "Sec-WebSocket-Extensions").allSatisfy({ $0.isEmpty }),
            head.values(of: "Sec-WebSocket-Protocol").isEmpty
        else { throw WebSocketError(.unknownExtension) }
    }
}
