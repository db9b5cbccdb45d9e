// OpenWatchParty for Swift. See LICENSE.

/// What arrived on a WebSocket.
public enum WebSocketEvent: Hashable, Sendable {
    /// A text message; it may be empty.
    case text(String)
    /// A binary message.
    case binary([UInt8])
    /// The answer to a ping, or an unasked one.
    case pong([UInt8])
    /// The peer's close frame; it has been answered, and nothing follows.
    case closed(WebSocketClose)
    /// The peer broke a rule or a limit; it has been sent a close frame, and nothing follows.
    case failed(WebSocketError)
}

/// One text message as a server's frame, encoded once for any number of receivers.
public struct SharedFrame: Hashable, Sendable {
    /// The frame.
    public let bytes: [UInt8]

    /// Encodes a text message.
    public init(text: String) {
        var frame: [UInt8] = []
        var text = text
        text.withUTF8 { payload in
            frame.reserveCapacity(payload.count + 10)
            writeFrame(.text, UnsafeRawBufferPointer(payload), mask: nil, to: &frame)
        }
        bytes = frame
    }
}

/// One side of an open WebSocket as a state machine: bytes in, events and bytes out (RFC 6455, sections 5 to 7).
///
/// Its owner moves bytes: what it reads goes through ``receive(_:at:output:)``, and what the endpoint appends to
/// `output` goes to the peer in that order. Pings are answered by the endpoint, and so is a close. Once `isFinished`,
/// a server closes the socket when its output is written, and a client waits a moment for the server to do that.
public struct WebSocketEndpoint: Sendable {
    /// How far the closing handshake has come.
    private enum State: Hashable, Sendable {
        case open
        /// Our close frame is sent; the peer's has not come.
        case closing
        /// Nothing is sent or read any more.
        case finished
    }

    private var state = State.open
    private var decoder: MessageDecoder
    /// Makes a client's masking keys; nil for a server.
    private var random: (any RandomNumberGenerator & Sendable)?

    /// Makes a server's side.
    ///
    /// - Parameter messageLimit: The largest message it takes, in bytes; a larger one fails with 1009.
    public init(serverWithMessageLimit messageLimit: Int) {
        decoder = MessageDecoder(receiver: .server, limit: messageLimit)
    }

    /// Makes a client's side.
    ///
    /// - Parameters:
    ///   - messageLimit: The largest message it takes, in bytes; a larger one fails with 1009.
    ///   - random: The source of the masking keys, which must be unpredictable (RFC 6455, section 5.3).
    public init(clientWithMessageLimit messageLimit: Int, random: any RandomNumberGenerator & Sendable) {
        decoder = MessageDecoder(receiver: .client, limit: messageLimit)
        self.random = random
    }

    /// Whether messages can be sent: no close frame has been sent or received.
    public var isOpen: Bool { state == .open }

    /// Whether both close frames have passed or the peer failed, so that only output remains to be written.
    public var isFinished: Bool { state == .finished }

    /// Reads on to the next event, or to the end of the bytes.
    ///
    /// - Parameters:
    ///   - bytes: A reader's buffer, kept by nobody; what is read of it is unmasked in place.
    ///   - offset: Where to go on; moved past what was read.
    ///   - output: Bytes for the peer are appended: pongs, and close frames.
    /// - Returns: The next event; nil once all bytes are read.
    public mutating func receive(
        _ bytes: UnsafeMutableRawBufferPointer,
        at offset: inout Int,
        output: inout [UInt8]
    ) -> WebSocketEvent? {
        while state != .finished {
            do throws(WebSocketError) {
                switch try decoder.next(bytes, at: &offset) {
                case nil: return nil
                case .text(let text)?: return .text(text)
                case .binary(let bytes)?: return .binary(bytes)
                case .pong(let payload)?: return .pong(payload)
                case .ping(let payload)?:
                    if state == .open { write(.pong, payload, to: &output) }
                case .close(let close)?:
                    finish(WebSocketClose(code: close.code), to: &output)
                    return .closed(close)
                }
            } catch {
                finish(WebSocketClose(code: error.closeCode), to: &output)
                return .failed(error)
            }
        }
        offset = bytes.count
        return nil
    }

    /// Appends a text message.
    ///
    /// - Parameters:
    ///   - text: The message.
    ///   - output: Where its frame is appended.
    /// - Returns: Whether it was; false once a close frame has been sent or received.
    @discardableResult
    public mutating func send(_ text: String, output: inout [UInt8]) -> Bool {
        guard state == .open else { return false }
        var text = text
        let mask = nextMask()
        text.withUTF8 { writeFrame(.text, UnsafeRawBufferPointer($0), mask: mask, to: &output) }
        return true
    }

    /// Appends a binary message.
    ///
    /// - Parameters:
    ///   - bytes: The message.
    ///   - output: Where its frame is appended.
    /// - Returns: Whether it was; false once a close frame has been sent or received.
    @discardableResult
    public mutating func send(_ bytes: [UInt8], output: inout [UInt8]) -> Bool {
        guard state == .open else { return false }
        write(.binary, bytes, to: &output)
        return true
    }

    /// Appends a message that was encoded before; only a server's endpoint may.
    ///
    /// - Parameters:
    ///   - frame: The message.
    ///   - output: Where its frame is appended.
    /// - Returns: Whether it was; false once a close frame has been sent or received.
    @discardableResult
    public mutating func send(_ frame: SharedFrame, output: inout [UInt8]) -> Bool {
        precondition(random == nil, "a client's frames are masked one by one")
        guard state == .open else { return false }
        // An empty output takes the frame's own storage, so that many receivers share one.
        if output.isEmpty { output = frame.bytes } else { output += frame.bytes }
        return true
    }

    /// Appends a ping.
    ///
    /// - Parameters:
    ///   - payload: What the pong will carry; at most 125 bytes, the rest is dropped.
    ///   - output: Where its frame is appended.
    public mutating func ping(_ payload: [UInt8] = [], output: inout [UInt8]) {
        guard state == .open else { return }
        write(.ping, Array(payload.prefix(125)), to: &output)
    }

    /// Starts the closing handshake; does nothing when a close frame has been sent or received.
    ///
    /// What still arrives before the peer's close frame comes out of ``receive(_:at:output:)`` as ever.
    ///
    /// - Parameters:
    ///   - code: The status; without one, or with one that may not be sent, the frame is empty.
    ///   - reason: The reason, cut to 123 bytes.
    ///   - output: Where the close frame is appended.
    public mutating func close(code: Int?, reason: String = "", output: inout [UInt8]) {
        guard state == .open else { return }
        write(.close, WebSocketClose(code: code, reason: reason).payload, to: &output)
        state = .closing
    }

    /// Sends a close frame unless one was sent, and ends.
    private mutating func finish(_ close: WebSocketClose, to output: inout [UInt8]) {
        if state == .open { write(.close, close.payload, to: &output) }
        state = .finished
    }

    private mutating func write(_ opcode: Opcode, _ payload: [UInt8], to output: inout [UInt8]) {
        let mask = nextMask()
        payload.withUnsafeBytes { writeFrame(opcode, $0, mask: mask, to: &output) }
    }

    /// A new masking key for a client; nil for a server.
    private mutating func nextMask() -> UInt32? {
        guard let draw = random?.next() else { return nil }
        return UInt32(truncatingIfNeeded: draw)
    }
}
