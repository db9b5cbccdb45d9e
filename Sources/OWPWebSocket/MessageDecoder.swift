// OpenWatchParty for Swift. See LICENSE.

/// Turns a stream of bytes into messages and control frames; the same however the stream is cut.
///
/// A message that arrives in one piece goes from the reader's buffer straight into its string; only what is cut is
/// gathered here. What has been thrown is final: the decoder is not fed again.
struct MessageDecoder: Sendable {
    /// A whole message or control frame.
    enum Item: Hashable, Sendable {
        case text(String)
        case binary([UInt8])
        case ping([UInt8])
        case pong([UInt8])
        case close(WebSocketClose)
    }

    private let receiver: WebSocketRole
    private let limit: Int
    /// The bytes of a header that is cut.
    private var cutHeader: [UInt8] = []
    /// The frame whose payload is being read.
    private var frame: FrameHeader?
    /// The payload bytes of `frame` still to come.
    private var remaining = 0
    /// The masking key, turned to the next payload byte.
    private var key: UInt32 = 0
    /// `text` or `binary` while a message is unfinished.
    private var kind: Opcode?
    /// What has come of the unfinished message.
    private var message: [UInt8] = []
    /// What has come of the unfinished control frame.
    private var control: [UInt8] = []
    private var check = UTF8Check()

    /// Makes a decoder.
    ///
    /// - Parameters:
    ///   - receiver: The side that reads.
    ///   - limit: The largest message, in bytes over all of its frames.
    init(receiver: WebSocketRole, limit: Int) {
        self.receiver = receiver
        self.limit = limit
    }

    /// Reads on to the end of the next item, or of the bytes.
    ///
    /// - Parameters:
    ///   - bytes: A reader's buffer; what is read of it is unmasked in place.
    ///   - offset: Where to go on; moved past what was read.
    /// - Returns: The next item; nil once all bytes are read.
    /// - Throws: ``WebSocketError`` at the first byte that is wrong, and for a frame too long before its payload is read.
    mutating func next(
        _ bytes: UnsafeMutableRawBufferPointer,
        at offset: inout Int
    ) throws(WebSocketError) -> Item? {
        while true {
            if frame == nil { try readHeader(bytes, at: &offset) }
            guard let current = frame else { return nil }
            let count = min(remaining, bytes.count - offset)
            let piece = UnsafeMutableRawBufferPointer(rebasing: bytes[offset..<(offset + count)])
            offset += count
            remaining -= count
            if current.mask != nil { applyMask(piece, key: &key) }
            let isEnd = remaining == 0
            if isEnd { frame = nil }
            let item =
                current.opcode.isControl
                ? try takeControl(current.opcode, UnsafeRawBufferPointer(piece), isEnd: isEnd)
                : try takeData(UnsafeRawBufferPointer(piece), isEnd: isEnd && current.isFinal)
            if let item { return item }
            if !isEnd { return nil }
        }
    }

    /// Reads the next header into `frame`, which stays nil while bytes are missing.
    private mutating func readHeader(
        _ bytes: UnsafeMutableRawBufferPointer,
        at offset: inout Int
    ) throws(WebSocketError) {
        let start = offset
        if cutHeader.isEmpty {
            let whole = try FrameHeader.read(available: bytes.count - start, receiver: receiver) { bytes[start + $0] }
            if let (header, size) = whole {
                offset += size
                return try begin(header)
            }
        }
        while offset < bytes.count {
            cutHeader.append(bytes[offset])
            offset += 1
            let gathered = cutHeader
            if let (header, _) = try FrameHeader.read(
                available: gathered.count,
                receiver: receiver,
                byte: { gathered[$0] }
            ) {
                cutHeader = []
                return try begin(header)
            }
        }
    }

    /// Takes a header, checking what depends on the frames before it.
    private mutating func begin(_ header: FrameHeader) throws(WebSocketError) {
        if !header.opcode.isControl {
            let isContinuation = header.opcode == .continuation
            guard isContinuation == (kind != nil) else {
                throw WebSocketError(isContinuation ? .strayContinuation : .missingContinuation)
            }
            guard header.length <= UInt64(max(0, limit - message.count)) else { throw WebSocketError(.messageTooLarge) }
            if !isContinuation { kind = header.opcode }
        }
        frame = header
        // At most `limit`, or 125.
        remaining = Int(header.length)
        key = header.mask ?? 0
    }

    /// Takes the next piece of a control frame.
    private mutating func takeControl(
        _ opcode: Opcode,
        _ piece: UnsafeRawBufferPointer,
        isEnd: Bool
    ) throws(WebSocketError) -> Item? {
        control.append(contentsOf: piece)
        guard isEnd else { return nil }
        let payload = control
        control = []
        switch opcode {
        case .close: return .close(try WebSocketClose.read(payload))
        case .ping: return .ping(payload)
        default: return .pong(payload)
        }
    }

    /// Takes the next piece of a message.
    private mutating func takeData(
        _ piece: UnsafeRawBufferPointer,
        isEnd: Bool
    ) throws(WebSocketError) -> Item? {
        let isText = kind == .text
        if isText {
            guard check.take(piece), !isEnd || check.isComplete else { throw WebSocketError(.invalidUTF8) }
        }
        guard isEnd, message.isEmpty else {
            message.append(contentsOf: piece)
            return isEnd ? finishMessage() : nil
        }
        kind = nil
        return isText ? .text(String(decoding: piece, as: UTF8.self)) : .binary(Array(piece))
    }

    /// Hands out a message that was gathered from several pieces.
    private mutating func finishMessage() -> Item {
        let whole = message
        let isText = kind == .text
        kind = nil
        message = []
        return isText ? .text(String(decoding: whole, as: UTF8.self)) : .binary(whole)
    }
}
