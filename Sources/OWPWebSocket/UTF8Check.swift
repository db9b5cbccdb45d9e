// OpenWatchParty for Swift. See LICENSE.

/// An incremental check of UTF-8 (RFC 3629) that fails at the first byte no valid text can have there.
struct UTF8Check: Hashable, Sendable {
    /// The continuation bytes that the current character still needs.
    private var missing: UInt8 = 0
    /// The least value of the next continuation byte.
    private var lowest: UInt8 = 0x80
    /// The largest value of the next continuation byte.
    private var highest: UInt8 = 0xBF

    /// Whether the text may end here.
    var isComplete: Bool { missing == 0 }

    /// Goes on with the next bytes; false when they cannot stand there.
    mutating func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while index < bytes.count {
            if missing == 0 {
                // Eight ASCII bytes a step.
                while index + 8 <= bytes.count {
                    let eight = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                    guard eight & 0x8080_8080_8080_8080 == 0 else { break }
                    index += 8
                }
                guard index < bytes.count else { break }
                guard start(bytes[index]) else { return false }
            } else {
                guard (lowest...highest).contains(bytes[index]) else { return false }
                (missing, lowest, highest) = (missing - 1, 0x80, 0xBF)
            }
            index += 1
        }
        return true
    }

    /// Takes the first byte of a character.
    private mutating func start(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x00...0x7F: break
        case 0xC2...0xDF: missing = 1
        case 0xE0: (missing, lowest) = (2, 0xA0)  // Not in a longer form than needed.
        case 0xED: (missing, highest) = (2, 0x9F)  // No surrogates.
        case 0xE1...0xEF: missing = 2
        case 0xF0: (missing, lowest) = (3, 0x90)
        case 0xF1...0xF3: missing = 3
        case 0xF4: (missing, highest) = (3, 0x8F)  // Nothing above U+10FFFF.
        default: return false
        }
        return true
    }
}
