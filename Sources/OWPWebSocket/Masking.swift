// OpenWatchParty for Swift. See LICENSE.

/// Masks or unmasks bytes in place (RFC 6455, section 5.3).
///
/// - Parameters:
///   - bytes: The next bytes of a payload.
///   - key: The masking key, its first byte lowest; turned so that it fits the bytes that follow.
func applyMask(_ bytes: UnsafeMutableRawBufferPointer, key: inout UInt32) {
    var index = 0
    let wide = UInt64(key) << 32 | UInt64(key)
    while index + 8 <= bytes.count {
        let masked = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self)) ^ wide
        bytes.storeBytes(of: masked.littleEndian, toByteOffset: index, as: UInt64.self)
        index += 8
    }
    while index < bytes.count {
        bytes[index] ^= UInt8(truncatingIfNeeded: key)
        key = key >> 8 | key << 24
        index += 1
    }
}
