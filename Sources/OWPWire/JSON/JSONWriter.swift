// OpenWatchParty for Swift. See LICENSE.

/// A writer of compact JSON text (section 9.7): no whitespace, non-ASCII as UTF-8, the shortest escapes.
///
/// Its bytes stand in memory of its own: appending to an array costs three times as much, and a relay writes a room for
/// every change.
package struct JSONWriter: ~Copyable {
    private var start: UnsafeMutablePointer<UInt8>
    private var capacity: Int
    /// How many bytes are written.
    private(set) var count = 0
    /// Why the text is not what was asked for: a number that JSON cannot write, or too deep a value.
    private(set) var failure: String?
    private var needsComma = false
    private var depth = 0

    /// The text so far.
    package var text: String { String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self) }

    /// Starts with room for some bytes, at least one.
    package init(capacity: Int = 256) {
        start = .allocate(capacity: capacity)
        self.capacity = capacity
    }

    deinit { start.deallocate() }

    /// The text of an object whose members `body` writes.
    package static func object(_ body: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        writer.object(body)
        return writer.text
    }

    /// Writes an object whose members `body` writes.
    package mutating func object(_ body: (inout JSONWriter) -> Void) {
        open(UInt8(ascii: "{"))
        body(&self)
        close(UInt8(ascii: "}"))
    }

    /// Writes an array whose elements `body` writes.
    package mutating func array(_ body: (inout JSONWriter) -> Void) {
        open(UInt8(ascii: "["))
        body(&self)
        close(UInt8(ascii: "]"))
    }

    /// Writes a member's name, an ASCII word without escapes; its value comes next.
    package mutating func name(_ name: StaticString) {
        separate()
        reserve(name.utf8CodeUnitCount + 3)
        store(UInt8(ascii: "\""))
        store(name)
        store(UInt8(ascii: "\""))
        store(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes any member's name; its value comes next.
    mutating func name(_ name: String) {
        string(name)
        append(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes an integer.
    package mutating func int(_ value: Int64) {
        separate()
        reserve(20)  // As many as the longest, -9223372036854775808, takes.
        if value < 0 { store(UInt8(ascii: "-")) }
        var rest = value.magnitude
        var digits = 1
        while rest >= 10 {
            rest /= 10
            digits += 1
        }
        rest = value.magnitude
        for index in (count..<count + digits).reversed() {
            start[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
        count += digits
        needsComma = true
    }

    /// Writes a number, without fraction or exponent when it is an integer of the wire, else in its shortest form.
    ///
    /// JSON has no infinity and no NaN: `null` stands for them, and ``failure`` says so.
    package mutating func number(_ value: Double) {
        if let integer = wireInt(value) {
            int(integer)
        } else if value.isFinite {
            separate()
            for byte in value.description.utf8 { append(byte) }
            needsComma = true
        } else {
            failure = failure ?? "a number is infinite or not a number"
            null()
        }
    }

    /// Writes a boolean.
    package mutating func bool(_ value: Bool) { word(value ? "true" : "false") }

    /// Writes `null`.
    package mutating func null() { word("null") }

    /// Writes a string.
    package mutating func string(_ value: String) {
        separate()
        append(UInt8(ascii: "\""))
        var value = value
        value.withUTF8 { content in
            reserve(content.count)
            for byte in content {
                if byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
                    escape(byte)
                } else {
                    append(byte)
                }
            }
        }
        append(UInt8(ascii: "\""))
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
            // Not by the function below, whose closures would double the stack that deep values need.
            open(UInt8(ascii: "{"))
            for (name, value) in sortedByBytes(members) {
                self.name(name)
                self.value(value)
            }
            close(UInt8(ascii: "}"))
        }
    }

    /// Writes an object's members in the order of their names' bytes.
    mutating func object<Value>(_ members: [String: Value], _ write: (inout JSONWriter, Value) -> Void) {
        open(UInt8(ascii: "{"))
        for (name, value) in sortedByBytes(members) {
            self.name(name)
            write(&self, value)
        }
        close(UInt8(ascii: "}"))
    }

    private mutating func separate() {
        if needsComma { append(UInt8(ascii: ",")) }
    }

    private mutating func open(_ bracket: UInt8) {
        separate()
        append(bracket)
        depth += 1
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        append(bracket)
        depth -= 1
        needsComma = true
    }

    private mutating func word(_ word: StaticString) {
        separate()
        reserve(word.utf8CodeUnitCount)
        store(word)
        needsComma = true
    }

    private mutating func escape(_ byte: UInt8) {
        append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): append(byte)
        case 0x08: append(UInt8(ascii: "b"))
        case 0x0C: append(UInt8(ascii: "f"))
        case 0x0A: append(UInt8(ascii: "n"))
        case 0x0D: append(UInt8(ascii: "r"))
        case 0x09: append(UInt8(ascii: "t"))
        default:
            let digits: StaticString = "0123456789abcdef"
            reserve(5)
            store("u00")
            store(digits.utf8Start[Int(byte >> 4)])
            store(digits.utf8Start[Int(byte & 15)])
        }
    }

    @inline(__always)
    private mutating func append(_ byte: UInt8) {
        reserve(1)
        store(byte)
    }

    /// Makes room for more bytes, which `store` then takes without asking.
    @inline(__always)
    private mutating func reserve(_ more: Int) {
        if capacity - count < more { grow(by: more) }
    }

    @inline(never)
    private mutating func grow(by more: Int) {
        let larger = max(capacity * 2, count + more)
        let moved = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
        moved.update(from: start, count: count)
        start.deallocate()
        start = moved
        capacity = larger
    }

    @inline(__always)
    private mutating func store(_ byte: UInt8) {
        start[count] = byte
        count += 1
    }

    @inline(__always)
    private mutating func store(_ word: StaticString) {
        for index in 0..<word.utf8CodeUnitCount { store(word.utf8Start[index]) }
    }
}

/// An object's members in the order of their names' UTF-8 bytes.
private func sortedByBytes<Value>(_ members: [String: Value]) -> [(key: String, value: Value)] {
    members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
}
