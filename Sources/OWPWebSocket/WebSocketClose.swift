// OpenWatchParty for Swift. See LICENSE.

/// What a close frame says (RFC 6455, section 5.5.1).
public struct WebSocketClose: Hashable, Sendable {
    /// The status as the peer sent it; nil when the frame had none.
    public let code: Int?
    /// The reason; empty when there was none.
    public let reason: String

    /// Makes a close.
    public init(code: Int?, reason: String = "") {
        self.code = code
        self.reason = reason
    }
}

extension WebSocketClose {
    /// Whether a status may stand in a close frame (RFC 6455, section 7.4, and the registry that follows it).
    public static func isSendable(_ code: Int) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }

    /// Reads the payload of a close frame.
    static func read(_ payload: [UInt8]) throws(WebSocketError) -> WebSocketClose {
        if payload.isEmpty { return WebSocketClose(code: nil) }
        guard payload.count >= 2 else { throw WebSocketError(.closePayload) }
        let code = Int(payload[0]) << 8 | Int(payload[1])
        guard isSendable(code) else { throw WebSocketError(.closePayload) }
        var check = UTF8Check()
        guard payload[2...].withUnsafeBytes({ check.take($0) }), check.isComplete else {
            throw WebSocketError(.invalidUTF8)
        }
        return WebSocketClose(code: code, reason: String(decoding: payload[2...], as: UTF8.self))
    }

    /// The payload of a close frame.
    ///
    /// Empty without a status that may be sent; the reason is cut after a whole character so that all fits in 125 bytes.
    var payload: [UInt8] {
        guard let code, Self.isSendable(code) else { return [] }
        var bytes = [UInt8(truncatingIfNeeded: code >> 8), UInt8(truncatingIfNeeded: code)]
        for scalar in reason.unicodeScalars {
            let encoded = UTF8.encode(scalar).map(Array.init) ?? []
            if bytes.count + encoded.count > 125 { break }
            bytes += encoded
        }
        return bytes
    }
}
