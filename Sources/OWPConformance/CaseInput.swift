// OpenWatchParty for Swift. See LICENSE.

package import OWPCore
import OWPWire

/// An object of a table, whose members are read with errors that name them.
///
/// An absent member and `null` mean the same here.
package struct CaseInput: Sendable {
    /// Where the object stands in its case, such as `given.player`.
    package let path: String
    private let members: [String: JSONValue]

    /// Takes an object.
    ///
    /// - Parameters:
    ///   - value: The object.
    ///   - path: Where it stands in its case.
    /// - Throws: ``TableError`` when it is none.
    package init(_ value: JSONValue, path: String) throws {
        guard case .object(let members) = value else { throw TableError("\(path) must be an object") }
        self.members = members
        self.path = path
    }

    /// The names of its members.
    package var names: Set<String> { Set(members.keys) }

    /// Whether there is a member of this name, `null` included, or one with its JSON text.
    package func has(_ name: String) -> Bool {
        members[name] != nil || members[name + "Text"] != nil
    }

    /// The JSON text that stands for a member, when the case gives it as text.
    package func text(of name: String) throws -> String? {
        guard let text = members[name + "Text"] else { return nil }
        guard case .string(let text) = text else { throw TableError("\(path).\(name)Text must be a string") }
        return text
    }

    /// A member's value, also one given as JSON text; nil when absent or `null`.
    ///
    /// Throws ``SkippedCase`` when the text has an unpaired surrogate, which a Swift string cannot hold.
    package func value(_ name: String) throws -> JSONValue? {
        var value = members[name]
        if let text = try text(of: name) {
            do {
                try checkJSON(Array(text.utf8), policy: .message)
            } catch {
                throw TableError("\(path).\(name)Text: \(error)")
            }
            do {
                value = try JSONValue(parsing: text)
            } catch {
                throw SkippedCase("a Swift string cannot hold an unpaired surrogate")
            }
        }
        return value == .null ? nil : value
    }

    /// A member that must be there.
    package func required(_ name: String) throws -> JSONValue {
        guard let value = try value(name) else { throw TableError("\(path).\(name) is missing") }
        return value
    }

    /// A whole number within ±(2^53 − 1).
    package func int(_ name: String) throws -> Int64 {
        guard let integer = try required(name).wireInt else { throw TableError("\(path).\(name) must be an int") }
        return integer
    }

    /// A whole number, when there is one.
    package func optionalInt(_ name: String) throws -> Int64? {
        try value(name) == nil ? nil : int(name)
    }

    /// A whole number, when the member is any number that is one; nil for other numbers.
    package func anyNumberAsInt(_ name: String) throws -> Int64? {
        guard let value = try value(name) else { return nil }
        guard case .number = value else { throw TableError("\(path).\(name) must be a number") }
        return value.wireInt
    }

    /// A number.
    package func double(_ name: String) throws -> Double {
        guard case .number(let number) = try required(name) else {
            throw TableError("\(path).\(name) must be a number")
        }
        return number
    }

    /// A boolean.
    package func bool(_ name: String) throws -> Bool {
        guard case .bool(let value) = try required(name) else { throw TableError("\(path).\(name) must be a boolean") }
        return value
    }

    /// Whether a member is there and true.
    package func isTrue(_ name: String) throws -> Bool {
        try value(name) == nil ? false : bool(name)
    }

    /// A string.
    package func string(_ name: String) throws -> String {
        guard case .string(let value) = try required(name) else { throw TableError("\(path).\(name) must be a string") }
        return value
    }

    /// A string, when there is one.
    package func optionalString(_ name: String) throws -> String? {
        try value(name) == nil ? nil : string(name)
    }

    /// One of an enumeration's words.
    package func word<Word: RawRepresentable>(_ name: String, _: Word.Type = Word.self) throws -> Word
    where Word.RawValue == String {
        let text = try string(name)
        guard let word = Word(rawValue: text) else { throw TableError("\(path).\(name): '\(text)' is not known") }
        return word
    }

    /// An object.
    package func object(_ name: String) throws -> CaseInput {
        try CaseInput(required(name), path: "\(path).\(name)")
    }

    /// An object, when there is one.
    package func optionalObject(_ name: String) throws -> CaseInput? {
        try value(name).map { try CaseInput($0, path: "\(path).\(name)") }
    }

    /// An array.
    package func array(_ name: String) throws -> [JSONValue] {
        guard case .array(let elements) = try required(name) else {
            throw TableError("\(path).\(name) must be an array")
        }
        return elements
    }

    /// An array of objects.
    package func objects(_ name: String) throws -> [CaseInput] {
        try array(name).enumerated().map { try CaseInput($1, path: "\(path).\(name)[\($0)]") }
    }

    /// An object of any values, when there is one.
    package func members(_ name: String) throws -> [String: JSONValue]? {
        guard let value = try value(name) else { return nil }
        guard case .object(let members) = value else { throw TableError("\(path).\(name) must be an object") }
        return members
    }

    /// An object of strings; empty when absent.
    package func strings(_ name: String) throws -> [String: String] {
        guard let value = try value(name) else { return [:] }
        guard case .object(let members) = value else { throw TableError("\(path).\(name) must be an object") }
        return try members.mapValues { value in
            guard case .string(let text) = value else { throw TableError("\(path).\(name) must hold strings") }
            return text
        }
    }
}
