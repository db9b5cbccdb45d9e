// OpenWatchParty for Swift. See LICENSE.

/// A string as the reader found it, its escapes decoded; valid as long as the reader.
struct JSONString {
    /// The string in UTF-8; an unpaired surrogate stands in it as the three bytes that UTF-8 has no use for.
    let bytes: UnsafeBufferPointer<UInt8>
    /// Whether an escape in it was an unpaired surrogate, which no receive check lets pass.
    let hasUnpaired: Bool

    /// The string, each unpaired surrogate as U+FFFD (section 16.8).
    var string: String {
        guard hasUnpaired else { return String(decoding: bytes, as: UTF8.self) }
        var repaired: [UInt8] = []
        var index = 0
        while index < bytes.count {
            // ED with A0 and above would be a surrogate: only the reader itself writes that, three bytes at a time.
            if bytes[index] == 0xED, index + 2 < bytes.count, bytes[index + 1] >= 0xA0 {
                repaired += [0xEF, 0xBF, 0xBD]
                index += 3
            } else {
                repaired.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: repaired, as: UTF8.self)
    }

    /// Whether the string is this ASCII text.
    @inline(__always)
    static func ~= (text: StaticString, string: JSONString) -> Bool {
        guard string.bytes.count == text.utf8CodeUnitCount else { return false }
        for index in 0..<text.utf8CodeUnitCount where string.bytes[index] != text.utf8Start[index] { return false }
        return true
    }
}

extension JSONReader {
    /// Takes a string.
    mutating func string(_ rule: StaticString) throws(ReadFailure) -> JSONString {
        guard next() == UInt8(ascii: "\"") else { throw .rule(rule) }
        return try string()
    }

    /// Takes a string whose opening quote is next.
    mutating func string() throws(ReadFailure) -> JSONString {
        at += 1
        let start = at
        while at < bytes.count {
            if at + 8 <= bytes.count {
                let plain = plainBytes(eightBytes())
                at += plain
                if plain == 8 { continue }
            }
            let byte = bytes[at]
            if byte == UInt8(ascii: "\"") {
                let content = UnsafeBufferPointer(start: bytes.baseAddress.map { $0 + start }, count: at - start)
                at += 1
                return JSONString(bytes: content, hasUnpaired: false)
            }
            if byte == UInt8(ascii: "\\") { return try escaped(from: start) }
            guard byte >= 0x20 else { throw failure(.controlCharacter) }
            at += 1
        }
        throw failure(.unexpectedEnd)
    }

    /// The next eight bytes, which must be there, the first one lowest.
    @inline(__always)
    private func eightBytes() -> UInt64 {
        UInt64(littleEndian: UnsafeRawBufferPointer(bytes).loadUnaligned(fromByteOffset: at, as: UInt64.self))
    }

    /// Takes the rest of a string that has an escape, and copies it whole.
    private mutating func escaped(from start: Int) throws(ReadFailure) -> JSONString {
        // The end first: a decoded string is never longer than what stands in the text.
        var close = at
        while close < bytes.count, bytes[close] != UInt8(ascii: "\"") {
            close += bytes[close] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard close < bytes.count else {
            at = bytes.count
            throw failure(.unexpectedEnd)
        }
        let copy = space(for: close - start)
        var count = 0
        var hasUnpaired = false
        at = start
        while at < close {
            let byte = bytes[at]
            guard byte >= 0x20 else { throw failure(.controlCharacter) }
            guard byte == UInt8(ascii: "\\") else {
                copy[count] = byte
                count += 1
                at += 1
                continue
            }
            let scalar = try escape()
            hasUnpaired = hasUnpaired || (0xD800...0xDFFF).contains(scalar)
            count += encode(scalar, to: copy + count)
        }
        at = close + 1
        let content = UnsafeBufferPointer(start: copy, count: count)
        return JSONString(bytes: content, hasUnpaired: hasUnpaired)
    }

    /// Room for a decoded string, which lives as long as the reader.
    private mutating func space(for count: Int) -> UnsafeMutablePointer<UInt8> {
        if let last = copies.last, count <= copiesLeft {
            copiesLeft -= count
            return last + copiesLeft
        }
        let size = max(count, min(bytes.count, 4096))
        let piece = UnsafeMutablePointer<UInt8>.allocate(capacity: size)
        copies.append(piece)
        copiesLeft = size - count
        return piece + copiesLeft
    }

    /// Takes an escape, and a whole surrogate pair when there is one.
    ///
    /// - Returns: A scalar's value, or an unpaired surrogate.
    private mutating func escape() throws(ReadFailure) -> UInt32 {
        let start = at
        at += 1
        guard at < bytes.count else { throw failure(.unexpectedEnd) }
        let letter = bytes[at]
        at += 1
        switch letter {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return UInt32(letter)
        case UInt8(ascii: "b"): return 0x08
        case UInt8(ascii: "f"): return 0x0C
        case UInt8(ascii: "n"): return 0x0A
        case UInt8(ascii: "r"): return 0x0D
        case UInt8(ascii: "t"): return 0x09
        case UInt8(ascii: "u"): break
        default:
            at = start
            throw failure(.invalidEscape)
        }
        guard let unit = hex(at: at) else { throw failure(.invalidEscape) }
        at += 4
        guard (0xD800...0xDBFF).contains(unit), at + 1 < bytes.count,
            bytes[at] == UInt8(ascii: "\\"), bytes[at + 1] == UInt8(ascii: "u"),
            let low = hex(at: at + 2), (0xDC00...0xDFFF).contains(low)
        else { return unit }
        at += 6
        return 0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00)
    }

    /// The value of four hexadecimal digits.
    private func hex(at start: Int) -> UInt32? {
        guard start + 4 <= bytes.count else { return nil }
        var value: UInt32 = 0
        for byte in bytes[start..<start + 4] {
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte - UInt8(ascii: "A") + 10
            default: return nil
            }
            value = value << 4 | UInt32(digit)
        }
        return value
    }
}

/// How many of eight bytes, from the lowest on, are neither a quote nor a backslash nor a control character.
@inline(__always)
private func plainBytes(_ word: UInt64) -> Int {
    /// The high bit of each byte that is zero; a borrow may set higher ones too, so only the lowest counts.
    func zeros(_ word: UInt64) -> UInt64 { (word &- 0x0101_0101_0101_0101) & ~word }
    let quotes = zeros(word ^ 0x2222_2222_2222_2222)
    let backslashes = zeros(word ^ 0x5C5C_5C5C_5C5C_5C5C)
    let controls = (word &- 0x2020_2020_2020_2020) & ~word
    return ((quotes | backslashes | controls) & 0x8080_8080_8080_8080).trailingZeroBitCount >> 3
}

/// Writes a scalar, or a surrogate as if it were one, in the form of UTF-8.
///
/// - Returns: How many bytes it took, at most as many as its escape.
private func encode(_ value: UInt32, to bytes: UnsafeMutablePointer<UInt8>) -> Int {
    func tail(_ shift: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: 0x80 | (value >> shift & 0x3F)) }
    switch value {
    case ..<0x80:
        bytes[0] = UInt8(truncatingIfNeeded: value)
        return 1
    case ..<0x800:
        bytes[0] = UInt8(truncatingIfNeeded: 0xC0 | value >> 6)
        bytes[1] = tail(0)
        return 2
    case ..<0x10000:
        bytes[0] = UInt8(truncatingIfNeeded: 0xE0 | value >> 12)
        bytes[1] = tail(6)
        bytes[2] = tail(0)
        return 3
    default:
        bytes[0] = UInt8(truncatingIfNeeded: 0xF0 | value >> 18)
        bytes[1] = tail(12)
        bytes[2] = tail(6)
        bytes[3] = tail(0)
        return 4
    }
}
