// OpenWatchParty for Swift. See LICENSE.

/// The offset of the first byte that is not part of well-formed UTF-8; nil when there is none.
///
/// Overlong forms, surrogates and values above U+10FFFF are not well formed.
package func firstInvalidUTF8(_ bytes: UnsafeBufferPointer<UInt8>) -> Int? {
    var at = 0
    while at < bytes.count {
        let first = bytes[at]
        // What follows the first byte, and which second bytes keep the value in its range.
        let length: Int
        let second: ClosedRange<UInt8>
        switch first {
        case 0x00...0x7F:
            at += 1
            continue
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: return at
        }
        guard at + length <= bytes.count, second.contains(bytes[at + 1]) else { return at }
        for index in at + 2..<at + length where bytes[index] & 0xC0 != 0x80 { return at }
        at += length
    }
    return nil
}
