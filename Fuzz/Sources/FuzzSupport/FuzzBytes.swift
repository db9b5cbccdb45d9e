// OpenWatchParty for Swift. See LICENSE.

/// The fuzzer's bytes as a source of values; when they run out, every value is 0.
public struct FuzzBytes {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var at = 0

    /// Takes what libFuzzer hands over.
    public init(_ start: UnsafePointer<UInt8>?, _ count: Int) {
        bytes = UnsafeBufferPointer(start: start, count: count)
    }

    /// Whether bytes are left.
    public var hasMore: Bool { at < bytes.count }

    /// The next byte.
    public mutating func byte() -> UInt8 {
        guard at < bytes.count else { return 0 }
        defer { at += 1 }
        return bytes[at]
    }

    /// A boolean.
    public mutating func bool() -> Bool { byte() & 1 == 1 }

    /// A number below a bound.
    public mutating func below(_ bound: Int) -> Int { Int(byte()) % bound }

    /// 64 bits.
    public mutating func bits() -> UInt64 {
        (0..<8).reduce(0) { bits, _ in bits << 8 | UInt64(byte()) }
    }

    /// An integer: small, of the size of media, of the size of a time, at an end of its range, or any.
    public mutating func int() -> Int64 {
        switch byte() % 6 {
        case 0: Int64(Int8(bitPattern: byte()))
        case 1: Int64(byte()) << 8 | Int64(byte())
        case 2: Int64(bits() % 604_800_002)
        case 3: Int64(bits() >> 11) - (1 << 52)
        case 4: [Int64.min, .min + 1, -1, 0, 1, .max - 1, .max, 9_007_199_254_740_991][below(8)]
        default: Int64(bitPattern: bits())
        }
    }

    /// An integer, or none.
    public mutating func optionalInt() -> Int64? { bool() ? int() : nil }

    /// A double: a usual rate, a special value, or any bits.
    public mutating func double() -> Double {
        switch byte() % 4 {
        case 0: 0.5 + Double(byte()) / 170
        case 1: [0, -0.0, 1, .nan, .infinity, -.infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude][below(8)]
        case 2: Double(int())
        default: Double(bitPattern: bits())
        }
    }

    /// A short text, often the same one, or none.
    public mutating func text() -> String? {
        switch byte() % 5 {
        case 0: nil
        case 1: ""
        case 2: ["a", "A", "caf\u{e9}", "cafe\u{301}", "\u{212a}", "k"][below(6)]
        case 3: String(decoding: [byte(), byte()], as: UTF8.self)
        default: "8e245d9679d31e12"
        }
    }
}

/// Stops the run: a rule does not hold.
public func require(_ holds: Bool, _ rule: StaticString) {
    guard holds else { fatalError("\(rule)") }
}
