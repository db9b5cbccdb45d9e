// OpenWatchParty for Swift. See LICENSE.

/// A JSON value (RFC 8259), as `ext` of a descriptor holds it (section 9.7).
///
/// Numbers are doubles, as in every SDK; an integer within ±(2^53 − 1) keeps its value. Of two member names that
/// differ in their scalars but are canonically equivalent, an object holds the first.
public enum JSONValue: Hashable, Sendable {
    /// `null`.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// A number; written as an integer when it is integral and within ±(2^53 − 1).
    case number(Double)
    /// A string of Unicode scalars.
    case string(String)
    /// An array.
    case array([JSONValue])
    /// An object; member order carries no meaning.
    case object([String: JSONValue])
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Makes `null`.
    public init(nilLiteral: ()) { self = .null }
    /// Makes a boolean.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// Makes a number.
    public init(integerLiteral value: Int64) { self = .number(Double(value)) }
    /// Makes a number.
    public init(floatLiteral value: Double) { self = .number(value) }
    /// Makes a string.
    public init(stringLiteral value: String) { self = .string(value) }
    /// Makes an array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    /// Makes an object; of two equal names the first is kept.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements, uniquingKeysWith: { first, _ in first }))
    }
}

extension JSONValue {
    /// The value of a member, when this is an object that has it.
    package subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members[name]
    }

    /// The integer this number stands for: integral as a double and within ±(2^53 − 1) (section 8); nil otherwise.
    package var wireInt: Int64? {
        guard case .number(let value) = self else { return nil }
        return OWPCore.wireInt(value)
    }
}
