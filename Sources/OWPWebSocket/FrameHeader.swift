// OpenWatchParty for Swift. See LICENSE.

/// The side of a connection that an endpoint is on.
public enum WebSocketRole: Hashable, Sendable {
    /// It sends masked frames and receives unmasked ones.
    case client
    /// It sends unmasked frames and receives masked ones.
    case server
}

/// What a frame carries (RFC 6455, section 5.2).
enum Opcode: UInt8, Hashable, Sendable {
    case continuation = 0x0
    case text = 0x1
    case binary = 0x2
    case close = 0x8
    case ping = 0x9
    case pong = 0xA

    /// Whether it is one of the control frames, which are short, whole, and may stand inside a message.
    var isControl: Bool { rawValue >= 0x8 }
}

/// The head of a frame: 2 to 14 bytes before its payload (RFC 6455, section 5.2).
struct FrameHeader: Hashable, Sendable {
    /// Whether it is the last frame of its message.
    var isFinal: Bool
    /// What it carries.
    var opcode: Opcode
    /// The masking key, its first byte lowest; nil for an unmasked frame.
    var mask: UInt32?
    /// The length of the payload, in bytes.
    var length: UInt64
}

extension FrameHeader {
    /// Reads a header, checking every bit of it that can be wrong by itself.
    ///
    /// - Parameters:
    ///   - available: How many bytes there are.
    ///   - receiver: The side that reads, which fixes whether the frame has to be masked.
    ///   - byte: Gives the byte at an index below `available`.
    /// - Returns: The header and its size in bytes; nil while bytes are missing.
    /// - Throws: ``WebSocketError``, as soon as the first two bytes or the length are known to be wrong.
    static func read(
        available: Int,
        receiver: WebSocketRole,
        byte: (Int) -> UInt8
    ) throws(WebSocketError) -> (header: FrameHeader, size: Int)? {
        guard available >= 2 else { return nil }
        let (first, second) = (byte(0), byte(1))
        guard first & 0x70 == 0 else { throw WebSocketError(.reservedBits) }
        guard let opcode = Opcode(rawValue: first & 0x0F) else { throw WebSocketError(.reservedOpcode) }
        let isFinal = first & 0x80 != 0
        let isMasked = second & 0x80 != 0
        let short = second & 0x7F
        if opcode.isControl {
            guard isFinal else { throw WebSocketError(.fragmentedControl) }
            guard short <= 125 else { throw WebSocketError(.longControl) }
        }
        guard isMasked == (receiver == .server) else { throw WebSocketError(.maskingRule) }

        let extended = short == 126 ? 2 : short == 127 ? 8 : 0
        guard available >= 2 + extended else { return nil }
        var length = UInt64(short)
        if extended > 0 {
            length = 0
            for index in 0..<extended { length = length << 8 | UInt64(byte(2 + index)) }
            let least: UInt64 = extended == 2 ? 126 : 65_536
            guard (least...UInt64(Int64.max)).contains(length) else { throw WebSocketError(.lengthForm) }
        }

        guard isMasked else {
            return (FrameHeader(isFinal: isFinal, opcode: opcode, mask: nil, length: length), 2 + extended)
        }
        let size = 6 + extended
        guard available >= size else { return nil }
        var mask: UInt32 = 0
        for index in 0..<4 { mask |= UInt32(byte(2 + extended + index)) << UInt32(8 * index) }
        return (FrameHeader(isFinal: isFinal, opcode: opcode, mask: mask, length: length), size)
    }

    /// Appends the header, with the length in its shortest form.
    func write(to output: inout [UInt8]) {
        let masked: UInt8 = mask == nil ? 0 : 0x80
        output.append((isFinal ? 0x80 : 0) | opcode.rawValue)
        let extended: Int
        switch length {
        case ...125: (extended, _) = (0, output.append(masked | UInt8(length)))
        case ...65_535: (extended, _) = (2, output.append(masked | 126))
        default: (extended, _) = (8, output.append(masked | 127))
        }
        for index in (0..<extended).reversed() {
            output.append(UInt8(truncatingIfNeeded: length >> UInt64(8 * index)))
        }
        guard let mask else { return }
        for index in 0..<4 { output.append(UInt8(truncatingIfNeeded: mask >> UInt32(8 * index))) }
    }
}

/// Appends a whole frame.
///
/// - Parameters:
///   - opcode: What the frame carries.
///   - payload: Its payload, unmasked.
///   - mask: The masking key of a client's frame; nil for a server's.
///   - output: Where the frame is appended.
func writeFrame(_ opcode: Opcode, _ payload: UnsafeRawBufferPointer, mask: UInt32?, to output: inout [UInt8]) {
    FrameHeader(isFinal: true, opcode: opcode, mask: mask, length: UInt64(payload.count)).write(to: &output)
    let start = output.count
    output.append(contentsOf: payload)
    guard var key = mask else { return }
    output.withUnsafeMutableBytes { applyMask(UnsafeMutableRawBufferPointer(rebasing: $0[start...]), key: &key) }
}
