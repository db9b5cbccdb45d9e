// OpenWatchParty for Swift. See LICENSE.

/// An array or object of a tree, as far as it has been read.
private enum OpenValue {
    case object(JSONMembers, [String: JSONValue], name: String)
    case array(JSONElements, [JSONValue])

    /// Takes the value of the member or element read last.
    mutating func add(_ value: JSONValue) {
        switch self {
        case .object(let members, var values, let name):
            self = .array(JSONElements(), [])  // So that `values` is not shared while it grows.
            // Of two names that a Dictionary cannot hold apart, the first is kept.
            if values[name] == nil { values[name] = value }
            self = .object(members, values, name: name)
        case .array(let elements, var values):
            self = .array(elements, [])
            values.append(value)
            self = .array(elements, values)
        }
    }

    /// What has been read.
    var value: JSONValue {
        switch self {
        case .object(_, let values, _): .object(values)
        case .array(_, let values): .array(values)
        }
    }
}

extension JSONReader {
    /// Takes any value as a tree, by a loop as ``skip()`` does.
    ///
    /// A string or name with an unpaired surrogate breaks a rule. A number beyond a double's range breaks one when
    /// `finite` is true, and becomes infinite otherwise.
    mutating func value(finite: Bool) throws(ReadFailure) -> JSONValue {
        var open: [OpenValue] = []
        while true {
            var complete: JSONValue?
            switch next() {
            case UInt8(ascii: "{"): open.append(.object(try object(""), [:], name: ""))
            case UInt8(ascii: "["): open.append(.array(try array(""), []))
            default: complete = try scalar(finite: finite)
            }
            while var innermost = open.popLast() {
                if let complete { innermost.add(complete) }
                if try another(in: &innermost) {
                    open.append(innermost)
                    complete = nil
                    break
                }
                complete = innermost.value
            }
            if let complete { return complete }
        }
    }

    /// Whether an array or object of a tree has another value, which is next; false once it is left.
    private mutating func another(in open: inout OpenValue) throws(ReadFailure) -> Bool {
        switch open {
        case .object(var members, let values, _):
            guard let name = try name(of: &members) else { return false }
            guard !name.hasUnpaired else { throw .rule("a member name has an unpaired surrogate") }
            open = .object(members, values, name: name.string)
            return true
        case .array(var elements, let values):
            guard try element(of: &elements) else { return false }
            open = .array(elements, values)
            return true
        }
    }

    /// Takes any value that is no array and no object.
    private mutating func scalar(finite: Bool) throws(ReadFailure) -> JSONValue {
        switch next() {
        case UInt8(ascii: "\""):
            let string = try string()
            guard !string.hasUnpaired else { throw .rule("a string has an unpaired surrogate") }
            return .string(string.string)
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
}
