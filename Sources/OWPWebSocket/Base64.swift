// OpenWatchParty for Swift. See LICENSE.

/// The digits of Base64 (RFC 4648, section 4).
private let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

/// Some bytes in Base64, padded.
func base64(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count + 2) / 3 * 4)
    for start in stride(from: 0, to: bytes.count, by: 3) {
        let group = bytes[start..<min(start + 3, bytes.count)]
        let bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
        for index in 0..<4 {
            let digit = digits[Int(bits >> UInt32(18 - 6 * index) & 63)]
            text.append(index <= group.count ? digit : UInt8(ascii: "="))
        }
    }
    return String(decoding: text, as: UTF8.self)
}

/// Whether a text is the padded Base64 of exactly 16 bytes, as a handshake's key must be.
func isBase64OfSixteenBytes(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    return bytes.count == 24 && bytes[22...].allSatisfy { $0 == UInt8(ascii: "=") }
        && bytes[..<22].allSatisfy { digits.contains($0) }
}
