// OpenWatchParty for Swift. See LICENSE.

/// What a peer did against RFC 6455 or against a limit, in a handshake or after it.
public struct WebSocketError: Error, Hashable, Sendable {
    /// A stable reason; new ones may appear in a minor release.
    public struct Code: Hashable, Sendable {
        /// The reasons with their texts.
        enum Base: String {
            case reservedBits = "a reserved bit is set and no extension was agreed on"
            case reservedOpcode = "the frame has a reserved opcode"
            case maskingRule = "a client's frame is not masked, or a server's frame is"
            case lengthForm = "the length is not in its shortest form, or is negative"
            case longControl = "a control frame is longer than 125 bytes"
            case fragmentedControl = "a control frame is fragmented"
            case strayContinuation = "a continuation came with no message begun"
            case missingContinuation = "a new message began inside another"
            case closePayload = "the close frame has a payload of one byte or a code that may not be sent"
            case invalidUTF8 = "the text is not valid UTF-8"
            case messageTooLarge = "the message is larger than the limit"
            case invalidURL = "the URL is not a ws:// or wss:// URL with a host, without user name and fragment"
            case malformedHead = "the HTTP head is malformed"
            case headTooLarge = "the HTTP head is larger than the limit"
            case refused = "the server refused the upgrade"
            case notAnUpgrade = "the server's answer lacks Upgrade: websocket or Connection: Upgrade"
            case wrongAccept = "the server's Sec-WebSocket-Accept does not answer the key"
            case unknownExtension = "the server chose an extension or a subprotocol that was not offered"
        }

        let base: Base
        private init(_ base: Base) { self.base = base }

        /// A reserved bit of a frame is set.
        public static let reservedBits = Code(.reservedBits)
        /// A frame has a reserved opcode.
        public static let reservedOpcode = Code(.reservedOpcode)
        /// A client's frame is not masked, or a server's frame is.
        public static let maskingRule = Code(.maskingRule)
        /// A frame's length is not in its shortest form, or its highest bit is set.
        public static let lengthForm = Code(.lengthForm)
        /// A control frame is longer than 125 bytes.
        public static let longControl = Code(.longControl)
        /// A control frame is fragmented.
        public static let fragmentedControl = Code(.fragmentedControl)
        /// A continuation came with no message begun.
        public static let strayContinuation = Code(.strayContinuation)
        /// A new message began inside another.
        public static let missingContinuation = Code(.missingContinuation)
        /// A close frame has a payload of one byte, or a code that may not be sent.
        public static let closePayload = Code(.closePayload)
        /// A text, or a close frame's reason, is not valid UTF-8.
        public static let invalidUTF8 = Code(.invalidUTF8)
        /// A message is larger than the limit.
        public static let messageTooLarge = Code(.messageTooLarge)
        /// The URL is none of a WebSocket.
        public static let invalidURL = Code(.invalidURL)
        /// The head of a request or an answer is malformed.
        public static let malformedHead = Code(.malformedHead)
        /// The head of a request or an answer is larger than the limit.
        public static let headTooLarge = Code(.headTooLarge)
        /// The server answered with another status than 101; ``WebSocketError/httpStatus`` tells it.
        public static let refused = Code(.refused)
        /// The server's 101 is not one to WebSocket.
        public static let notAnUpgrade = Code(.notAnUpgrade)
        /// The server's accept key is missing, repeated or wrong.
        public static let wrongAccept = Code(.wrongAccept)
        /// The server chose an extension or a subprotocol that was not offered.
        public static let unknownExtension = Code(.unknownExtension)
    }

    /// The reason.
    public let code: Code
    /// The server's status, when it refused the upgrade.
    public let httpStatus: Int?

    /// Makes an error.
    init(_ code: Code, httpStatus: Int? = nil) {
        self.code = code
        self.httpStatus = httpStatus
    }

    /// The status of the close frame that this error is answered with: 1007, 1009, or 1002 for all else.
    public var closeCode: Int {
        switch code {
        case .invalidUTF8: 1007
        case .messageTooLarge: 1009
        default: 1002
        }
    }
}

extension WebSocketError: CustomStringConvertible {
    /// The reason in words, for logs.
    public var description: String {
        code.base.rawValue + (httpStatus.map { " (HTTP status \($0))" } ?? "")
    }
}
