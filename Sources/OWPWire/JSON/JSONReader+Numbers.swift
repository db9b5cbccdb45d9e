// OpenWatchParty for Swift. See LICENSE.

/// The powers of ten that a double holds exactly.
private let exactPowers: [Double] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20,
    1e21, 1e22,
]

/// Whether a byte is a decimal digit.
@inline(__always)
private func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

extension JSONReader {
    /// Takes an integer of the wire within a range (section 8); `42.0` and `-0` are integers.
    mutating func int(in range: ClosedRange<Int64>, _ rule: StaticString) throws(ReadFailure) -> Int64 {
        guard let value = wireInt(try number(rule)), range.contains(value) else { throw .rule(rule) }
        return value
    }

    /// Takes a number, infinite when it lies beyond a double's range.
    mutating func number(_ rule: StaticString) throws(ReadFailure) -> Double {
        let byte = next()
        guard isDigit(byte) || byte == UInt8(ascii: "-") else { throw .rule(rule) }
        return try number()
    }

    /// Takes a number whose first byte is next.
    mutating func number() throws(ReadFailure) -> Double {
        let start = at
        let isNegative = bytes[at] == UInt8(ascii: "-")
        if isNegative { at += 1 }
        var decimal = Decimal()
        guard at < bytes.count, isDigit(bytes[at]) else { throw failure(.invalidNumber) }
        if bytes[at] == UInt8(ascii: "0") {
            at += 1
            if at < bytes.count, isDigit(bytes[at]) { throw failure(.invalidNumber) }
        } else {
            digits(&decimal)
        }
        var exponent = 0
        if at < bytes.count, bytes[at] == UInt8(ascii: ".") {
            at += 1
            let first = at
            digits(&decimal)
            guard at > first else { throw failure(.invalidNumber) }
            exponent = first - at
        }
        if at < bytes.count, bytes[at] | 0x20 == UInt8(ascii: "e") { exponent += try self.exponent() }
        guard decimal.isWhole, let value = decimal.value(exponent: exponent) else {
            // Rounded correctly by the standard library, which knows every text of this grammar.
            return Double(String(decoding: bytes[start..<at], as: UTF8.self)) ?? .infinity
        }
        return isNegative ? -value : value
    }

    /// Takes digits, none included.
    private mutating func digits(_ decimal: inout Decimal) {
        while at < bytes.count, isDigit(bytes[at]) {
            decimal.append(bytes[at] &- UInt8(ascii: "0"))
            at += 1
        }
    }

    /// Takes an exponent, cut off where no double reaches.
    private mutating func exponent() throws(ReadFailure) -> Int {
        at += 1
        guard at < bytes.count else { throw failure(.invalidNumber) }
        let isNegative = bytes[at] == UInt8(ascii: "-")
        if isNegative || bytes[at] == UInt8(ascii: "+") { at += 1 }
        let first = at
        var value = 0
        while at < bytes.count, isDigit(bytes[at]) {
            value = min(value * 10 + Int(bytes[at] &- UInt8(ascii: "0")), 100_000_000)
            at += 1
        }
        guard at > first else { throw failure(.invalidNumber) }
        return isNegative ? -value : value
    }
}

/// The digits of a number, as long as 64 bits hold them.
private struct Decimal {
    private var mantissa: UInt64 = 0
    /// Whether every digit is in the mantissa.
    private(set) var isWhole = true

    @inline(__always)
    mutating func append(_ digit: UInt8) {
        guard mantissa < 1_000_000_000_000_000_000 else {
            isWhole = false
            return
        }
        mantissa = mantissa * 10 + UInt64(digit)
    }

    /// The value times a power of ten, when one rounding gives it; nil otherwise.
    func value(exponent: Int) -> Double? {
        if exponent == 0 || mantissa == 0 { return Double(mantissa) }
        guard mantissa <= 1 << 53, exponent.magnitude < exactPowers.count else { return nil }
        let power = exactPowers[Int(exponent.magnitude)]
        return exponent < 0 ? Double(mantissa) / power : Double(mantissa) * power
    }
}
