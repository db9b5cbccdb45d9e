// OpenWatchParty for Swift. See LICENSE.

/// Whether a scalar is forbidden in names, clients, titles and file names: controls, line separators, directional
/// overrides and isolates, and U+FEFF.
package func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x00...0x1F, 0x7F...0x9F, 0x2028, 0x2029, 0x202A...0x202E, 0x2066...0x2069, 0xFEFF: true
    default: false
    }
}

/// Whether a text has from 1 to `limit` code points, none of them forbidden.
package func isPlainText(_ text: String, limit: Int = .max) -> Bool {
    var count = 0
    // ASCII, which most names are, needs no decoding.
    var text = text
    let isPrintable = text.withUTF8 { bytes in bytes.allSatisfy { 0x20 <= $0 && $0 < 0x7F } }
    if isPrintable { return (1...limit).contains(text.utf8.count) }
    for scalar in text.unicodeScalars {
        count += 1
        if count > limit || isForbidden(scalar) { return false }
    }
    return count > 0
}

/// Whether a display name is valid: 1 to 32 code points, none forbidden (section 7.1).
package func isValidName(_ name: String) -> Bool {
    isPlainText(name, limit: 32)
}

/// Whether a client is valid (section 7.1).
///
/// It has 1 to 64 code points, none forbidden, and is non-empty on both sides of its first `/`.
package func isValidClient(_ client: String) -> Bool {
    guard isPlainText(client, limit: 64) else { return false }
    var client = client
    return client.withUTF8 { bytes in
        guard let slash = bytes.firstIndex(of: UInt8(ascii: "/")) else { return false }
        return slash > 0 && slash < bytes.count - 1
    }
}

/// Whether a file name is valid: plain text, without `/` or `\`, not `.` or `..` (section 9.7).
package func isValidFileName(_ name: String) -> Bool {
    guard isPlainText(name) else { return false }
    let bytes = name.utf8
    if bytes.elementsEqual(".".utf8) || bytes.elementsEqual("..".utf8) { return false }
    return !bytes.contains { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }
}

/// Whether a hash has the OpenSubtitles form: 16 lower-case hexadecimal digits (section 9.7).
package func isValidOSHash(_ hash: String) -> Bool {
    let bytes = hash.utf8
    return bytes.count == 16 && bytes.allSatisfy(isLowerHex)
}

/// Whether a byte is a lower-case hexadecimal digit.
private func isLowerHex(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"): true
    default: false
    }
}

/// Whether a peer ID has its form: 1 to 16 of `A–Z a–z 0–9 _ -` (section 8).
package func isValidPeerId(_ peerId: String) -> Bool {
    (1...16).contains(peerId.utf8.count) && peerId.utf8.allSatisfy(isURLSafe)
}

/// Whether a resume token has its form: 43 of `A–Z a–z 0–9 _ -` (section 8).
package func isValidToken(_ token: String) -> Bool {
    token.utf8.count == 43 && token.utf8.allSatisfy(isURLSafe)
}

/// Whether a byte is one of base64url's.
private func isURLSafe(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
        true
    default: false
    }
}

/// Whether two texts have the same scalars; Swift's `==` also takes composed and decomposed forms for equal.
package func sameScalars(_ left: String, _ right: String) -> Bool {
    left.utf8.elementsEqual(right.utf8)
}

/// Whether two optional texts are equal ignoring case: both present and non-empty, only A–Z folding (section 2).
package func equalIgnoringCase(_ left: String?, _ right: String?) -> Bool {
    guard let left, let right, !left.isEmpty, left.utf8.count == right.utf8.count else { return false }
    return zip(left.utf8, right.utf8).allSatisfy { foldASCII($0) == foldASCII($1) }
}

/// A byte with A–Z as a–z.
private func foldASCII(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
}

/// The duration when it counts: from 1 to 604800000 ms (section 9.2).
package func countingDuration(_ durationMs: Int64?) -> Int64? {
    guard let durationMs, (1...Constants.largestDurationMs).contains(durationMs) else { return nil }
    return durationMs
}

/// Whether a member name of `ext` has its form: words of `a–z 0–9 -` with single dots between, two at least (section 9.7).
package func isValidExtName(_ name: String) -> Bool {
    let words = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return words.count >= 2 && words.allSatisfy { !$0.isEmpty && $0.allSatisfy(isIdByte) }
}

/// Whether a byte is one of a relay's ID and of a word of an `ext` name.
private func isIdByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
    default: false
    }
}

/// Whether a relay's ID is valid: 1 to 32 of `a–z 0–9 -`, not beginning with `-` (section 3.2).
package func isValidRelayId(_ id: String) -> Bool {
    let bytes = id.utf8
    return (1...32).contains(bytes.count) && bytes.first != UInt8(ascii: "-") && bytes.allSatisfy(isIdByte)
}
