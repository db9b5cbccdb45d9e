// OpenWatchParty for Swift. See LICENSE.

/// A writer of compact JSON text (section 9.7): no whitespace, non-ASCII as UTF-8, the shortest escapes.
struct JSONWriter {
    private(set) var bytes: [UInt8] = []
    /// Why the text is not what was asked for: a number that JSON cannot write, or too deep a value.
    private(set) var failure: String?
    private var needsComma = false
    private var depth = 0

    /// The text so far.
    var text: String { String(decoding: bytes, as: UTF8.self) }

    /// Starts with room for some bytes.
    init(capacity: Int = 256) { bytes.reserveCapacity(capacity) }

    /// The text of an object whose members `body` writes.
    static func object(_ body: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        writer.object(body)
        return writer.text
    }

    /// Writes an object whose members `body` writes.
    mutating func object(_ body: (inout JSONWriter) -> Void) {
        open(UInt8(ascii: "{"))
        body(&self)
        close(UInt8(ascii: "}"))
    }

    /// Writes an array whose elements `body` writes.
    mutating func array(_ body: (inout JSONWriter) -> Void) {
        open(UInt8(ascii: "["))
        body(&self)
        close(UInt8(ascii: "]"))
    }

    /// Writes a member's name, an ASCII word without escapes; its value comes next.
    mutating func name(_ name: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes any member's name; its value comes next.
    mutating func name(_ name: String) {
        string(name)
        bytes.append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes an integer.
    mutating func int(_ value: Int64) {
        separate()
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        var rest = value.magnitude
        let start = bytes.count
        repeat {
            bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        bytes[start...].reverse()
        needsComma = true
    }

    /// Writes a number, without fraction or exponent when it is an integer of the wire, else in its shortest form.
    ///
    /// JSON has no infinity and no NaN: `null` stands for them, and ``failure`` says so.
    mutating func number(_ value: Double) {
        if let integer = wireInt(value) {
            int(integer)
        } else if value.isFinite {
            separate()
            bytes.append(contentsOf: value.description.utf8)
            needsComma = true
        } else {
            failure = failure ?? "a number is infinite or not a number"
            null()
        }
    }

    /// Writes a boolean.
    mutating func bool(_ value: Bool) { word(value ? "true" : "false") }

    /// Writes `null`.
    mutating func null() { word("null") }

    /// Writes a string.
    mutating func string(_ value: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        var value = value
        value.withUTF8 { content in
            var start = 0
            for index in 0..<content.count {
                let byte = content[index]
                guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else { continue }
                bytes.append(contentsOf: content[start..<index])
                escape(byte)
                start = index + 1
            }
            bytes.append(contentsOf: content[start...])
        }
        bytes.append(UInt8(ascii: "\""))
        needsComma = true
    }

    /// Writes any value, the members of objects in the order of their names' bytes.
    mutating func value(_ value: JSONValue) {
        guard depth < JSONLimits.depth else {
            failure = failure ?? "arrays and objects nest too deeply"
            return null()
        }
        switch value {
        case .null: null()
        case .bool(let value): bool(value)
        case .number(let value): number(value)
        case .string(let value): string(value)
        case .array(let elements):
            open(UInt8(ascii: "["))
            for element in elements { self.value(element) }
            close(UInt8(ascii: "]"))
        case .object(let members):
            object(members) { $0.value($1) }
        }
    }

    /// Writes an object's members in the order of their names' bytes.
    mutating func object<Value>(_ members: [String: Value], _ write: (inout JSONWriter, Value) -> Void) {
        open(UInt8(ascii: "{"))
        let sorted = members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        for (name, value) in sorted {
            self.name(name)
            write(&self, value)
        }
        close(UInt8(ascii: "}"))
    }

    private mutating func separate() {
        if needsComma { bytes.append(UInt8(ascii: ",")) }
    }

    private mutating func open(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        depth += 1
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        depth -= 1
        needsComma = true
    }

    private mutating func word(_ word: StaticString) {
        separate()
        word.withUTF8Buffer { bytes.append(contentsOf: $0) }
        needsComma = true
    }

    private mutating func escape(_ byte: UInt8) {
        bytes.append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(byte)
        case 0x08: bytes.append(UInt8(ascii: "b"))
        case 0x0C: bytes.append(UInt8(ascii: "f"))
        case 0x0A: bytes.append(UInt8(ascii: "n"))
        case 0x0D: bytes.append(UInt8(ascii: "r"))
        case 0x09: bytes.append(UInt8(ascii: "t"))
        default:
            let digits: StaticString = "0123456789abcdef"
            bytes.append(contentsOf: "u00".utf8)
            bytes.append(digits.utf8Start[Int(byte >> 4)])
            bytes.append(digits.utf8Start[Int(byte & 15)])
        }
    }
}
