// OpenWatchParty for Swift. See LICENSE.

/// How far an object has been read.
struct JSONMembers {
    fileprivate var isFirst = true
    /// Where this object's names begin among those of the reader.
    fileprivate let start: Int
    /// A bit for each name, by its length and ends; a clear bit says that a name is new.
    fileprivate var seen: UInt64 = 0
}

/// How far an array has been read.
struct JSONElements {
    fileprivate var isFirst = true
}

/// An array or object that has been entered and not left.
enum JSONContainer {
    case object(JSONMembers)
    case array(JSONElements)
}

/// Up to how many names of an object are compared one by one; more are sorted first.
private let fewNames = 32

extension JSONReader {
    /// Enters an object.
    mutating func object(_ rule: StaticString) throws(ReadFailure) -> JSONMembers {
        guard next() == UInt8(ascii: "{") else { throw .rule(rule) }
        try enter()
        return JSONMembers(start: nameCount)
    }

    /// Enters an array.
    mutating func array(_ rule: StaticString) throws(ReadFailure) -> JSONElements {
        guard next() == UInt8(ascii: "[") else { throw .rule(rule) }
        try enter()
        return JSONElements()
    }

    private mutating func enter() throws(ReadFailure) {
        guard depth < JSONLimits.depth else { throw failure(.tooDeep) }
        depth += 1
        at += 1
    }

    /// Takes the next member's name and colon, so that its value is next; nil once the object is left.
    mutating func name(of members: inout JSONMembers) throws(ReadFailure) -> JSONString? {
        var byte = next()
        if byte == UInt8(ascii: "}") {
            at += 1
            depth -= 1
            try leave(members)
            return nil
        }
        if members.isFirst {
            members.isFirst = false
        } else {
            guard byte == UInt8(ascii: ",") else { throw unexpected() }
            at += 1
            byte = next()
        }
        guard byte == UInt8(ascii: "\"") else { throw unexpected() }
        let name = try string()
        if policy == .message { try note(name.bytes, in: &members) }
        guard next() == UInt8(ascii: ":") else { throw unexpected() }
        at += 1
        return name
    }

    /// Whether another element is next; false once the array is left.
    mutating func element(of elements: inout JSONElements) throws(ReadFailure) -> Bool {
        let byte = next()
        if byte == UInt8(ascii: "]") {
            at += 1
            depth -= 1
            return false
        }
        if elements.isFirst {
            elements.isFirst = false
            return true
        }
        guard byte == UInt8(ascii: ",") else { throw unexpected() }
        at += 1
        if next() == UInt8(ascii: "]") { throw unexpected() }
        return true
    }

    /// Enters an array or object, when one is next.
    mutating func container() throws(ReadFailure) -> JSONContainer? {
        switch next() {
        case UInt8(ascii: "{"): return .object(try object(""))
        case UInt8(ascii: "["): return .array(try array(""))
        default: return nil
        }
    }

    /// Whether an array or object has another value, which is next; false once it is left.
    mutating func another(in container: inout JSONContainer) throws(ReadFailure) -> Bool {
        switch container {
        case .object(var members):
            let hasAnother = try name(of: &members) != nil
            container = .object(members)
            return hasAnother
        case .array(var elements):
            let hasAnother = try element(of: &elements)
            container = .array(elements)
            return hasAnother
        }
    }

    /// Remembers a member's name; throws when it is known to stand twice.
    private mutating func note(_ name: UnsafeBufferPointer<UInt8>, in members: inout JSONMembers) throws(ReadFailure) {
        let ends = name.isEmpty ? 0 : Int(name[0]) &* 5 &+ Int(name[name.count - 1]) &* 3
        let bit = UInt64(1) << UInt64((name.count &* 7 &+ ends) & 63)
        if members.seen & bit != 0, nameCount - members.start <= fewNames {
            for index in members.start..<nameCount where sameBytes(names[index], name) {
                throw failure(.repeatedName)
            }
        }
        members.seen |= bit
        if nameCount < names.count {
            names[nameCount] = name
        } else {
            names.append(name)
        }
        nameCount += 1
    }

    /// Forgets a left object's names; throws when one of many stands twice.
    private mutating func leave(_ members: JSONMembers) throws(ReadFailure) {
        let count = nameCount - members.start
        if count > fewNames {
            let sorted = names[members.start..<nameCount].sorted { $0.lexicographicallyPrecedes($1) }
            for index in 1..<count where sameBytes(sorted[index - 1], sorted[index]) {
                throw failure(.repeatedName)
            }
        }
        nameCount = members.start
    }
}

/// Whether two runs of bytes are the same.
private func sameBytes(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    for index in 0..<left.count where left[index] != right[index] { return false }
    return true
}
