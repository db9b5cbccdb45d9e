// OpenWatchParty for Swift. See LICENSE.

extension JSONReader {
    /// Takes any value as a tree.
    ///
    /// A string or name with an unpaired surrogate breaks a rule. A number beyond a double's range breaks one when
    /// `finite` is true, and becomes infinite otherwise.
    mutating func value(finite: Bool) throws(ReadFailure) -> JSONValue {
        switch next() {
        case UInt8(ascii: "\""):
            return .string(try pairedString())
        case UInt8(ascii: "{"):
            var members = try object("")
            var values: [String: JSONValue] = [:]
            while let name = try name(of: &members) {
                guard !name.hasUnpaired else { throw .rule("a member name has an unpaired surrogate") }
                let name = name.string
                let value = try value(finite: finite)
                // Of two names that a Dictionary cannot hold apart, the first is kept.
                if values[name] == nil { values[name] = value }
            }
            return .object(values)
        case UInt8(ascii: "["):
            var elements = try array("")
            var values: [JSONValue] = []
            while try element(of: &elements) { values.append(try value(finite: finite)) }
            return .array(values)
        case UInt8(ascii: "t"), UInt8(ascii: "f"):
            return .bool(try bool(""))
        case UInt8(ascii: "n"):
            _ = try null()
            return .null
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
            let number = try number()
            guard number.isFinite || !finite else { throw .rule("a number is beyond a double's range") }
            return .number(number)
        default:
            throw unexpected()
        }
    }

    private mutating func pairedString() throws(ReadFailure) -> String {
        let string = try string()
        guard !string.hasUnpaired else { throw .rule("a string has an unpaired surrogate") }
        return string.string
    }
}
