// OpenWatchParty for Swift. See LICENSE.

/// The 31 symbols of room codes, in alphabet order (section 3.2).
package let codeAlphabet = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"

/// Whether a byte is one of the 31 symbols.
package func isCodeSymbol(_ byte: UInt8) -> Bool {
    codeAlphabet.utf8.contains(byte)
}

/// Whether a text is a normalized room code: 6 of the 31 symbols (section 8).
package func isRoomCode(_ code: String) -> Bool {
    code.utf8.count == 6 && code.utf8.allSatisfy(isCodeSymbol)
}

/// Normalizes a typed or pasted room code (section 4.1).
///
/// Removes exactly the separators that the section lists, and maps ASCII a–z to A–Z and nothing else.
///
/// - Returns: The code's 6 symbols; nil when the code is invalid.
package func normalizeCode(_ text: String) -> String? {
    // Scalars, since a Character may hold CR LF or a symbol with a mark.
    var symbols: [UInt8] = []
    for scalar in text.unicodeScalars where !isCodeSeparator(scalar) {
        guard let byte = UInt8(exactly: scalar.value), symbols.count < 6 else { return nil }
        let symbol = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) ? byte - 0x20 : byte
        guard isCodeSymbol(symbol) else { return nil }
        symbols.append(symbol)
    }
    return symbols.count == 6 ? String(decoding: symbols, as: UTF8.self) : nil
}

/// Whether a scalar only separates symbols (section 4.1).
private func isCodeSeparator(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x20, 0x09, 0x0A, 0x0D, 0xA0, 0x2007, 0x202F, 0x2D, 0x2010...0x2014, 0x2212: true
    default: false
    }
}

/// Formats a room code for display, such as `K7M-Q2X` (section 4.1).
///
/// - Throws: ``PartyError`` with `invalid_code` when the text is no room code.
public func formatCode(_ code: String) throws -> String {
    guard let normalized = normalizeCode(code) else {
        throw PartyError(.invalidCode, "not a room code")
    }
    return "\(normalized.prefix(3))-\(normalized.suffix(3))"
}
