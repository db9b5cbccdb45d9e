// OpenWatchParty for Swift. See LICENSE.

/// A strict reader of JSON text (RFC 8259): a cursor over bytes, which its caller moves from value to value.
///
/// No tree is built: a decoder asks for what it expects, and the reader answers, or throws a ``ReadFailure``. It never
/// reads outside its bytes, and what it hands out points into them, or into its own copies of strings with escapes, so
/// nothing of that may outlive it.
struct JSONReader: ~Copyable {
    let bytes: UnsafeBufferPointer<UInt8>
    let policy: JSONPolicy
    /// The offset of the next byte.
    var at = 0
    /// How many arrays and objects are open.
    var depth = 0
    /// The member names of all open objects, the innermost last; empty under the policy `grammar`.
    var names: [UnsafeBufferPointer<UInt8>] = []
    /// How many of the names are in use; taking them out of the array would cost more than all comparing.
    var nameCount = 0
    /// Where strings with escapes are decoded to, and how much of the last piece is used.
    var copies: [UnsafeMutablePointer<UInt8>] = []
    var copiesLeft = 0

    /// Starts at the first byte.
    ///
    /// - Parameters:
    ///   - bytes: The text, which must be UTF-8.
    ///   - policy: What else is refused.
    init(_ bytes: UnsafeBufferPointer<UInt8>, policy: JSONPolicy) {
        self.bytes = bytes
        self.policy = policy
        if policy == .message { names.reserveCapacity(32) }
    }

    deinit {
        for copy in copies { copy.deallocate() }
    }
}

extension JSONReader {
    /// Reads a whole text with `body`.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - limit: Its greatest length in bytes.
    ///   - body: Reads the one value; nothing of the reader may escape it.
    /// - Returns: What `body` returns.
    /// - Throws: What `body` throws, and a syntax error for a text that is too long.
    static func reading<Value>(
        _ text: String,
        limit: Int = JSONLimits.textBytes,
        _ body: (inout JSONReader) throws(ReadFailure) -> Value
    ) throws(ReadFailure) -> Value {
        var text = text
        let result = text.withUTF8 { bytes -> Result<Value, ReadFailure> in
            guard bytes.count <= limit else {
                return .failure(.syntax(JSONSyntaxError(reason: .tooLong, offset: limit)))
            }
            var reader = JSONReader(bytes, policy: .message)
            do throws(ReadFailure) {
                return .success(try body(&reader))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// A place to return to.
    struct Mark {
        fileprivate let at: Int
        fileprivate let depth: Int
        fileprivate let names: Int
    }

    /// Where the cursor stands.
    var mark: Mark { Mark(at: at, depth: depth, names: nameCount) }

    /// Returns to a mark that was taken in a value still open.
    mutating func rewind(to mark: Mark) {
        at = mark.at
        depth = mark.depth
        nameCount = mark.names
    }

    /// The next byte that is no whitespace, not taken yet; 0 at the end.
    @inline(__always)
    mutating func next() -> UInt8 {
        while at < bytes.count {
            let byte = bytes[at]
            if byte > 0x20 { return byte }
            guard byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return byte }
            at += 1
        }
        return 0
    }

    /// A syntax error here.
    func failure(_ reason: JSONSyntaxError.Reason) -> ReadFailure {
        .syntax(JSONSyntaxError(reason: reason, offset: at))
    }

    /// The syntax error for a byte that cannot stand here, or for the end.
    func unexpected() -> ReadFailure {
        failure(at < bytes.count ? .unexpectedByte : .unexpectedEnd)
    }

    /// Throws unless nothing but whitespace is left.
    mutating func end() throws(ReadFailure) {
        guard next() == 0, at == bytes.count else { throw failure(.trailingText) }
    }

    /// Takes a `null` when one is next.
    mutating func null() throws(ReadFailure) -> Bool {
        guard next() == UInt8(ascii: "n") else { return false }
        try word("null")
        return true
    }

    /// Takes a boolean.
    mutating func bool(_ rule: StaticString) throws(ReadFailure) -> Bool {
        switch next() {
        case UInt8(ascii: "t"):
            try word("true")
            return true
        case UInt8(ascii: "f"):
            try word("false")
            return false
        default:
            throw .rule(rule)
        }
    }

    /// Takes a literal name.
    private mutating func word(_ word: StaticString) throws(ReadFailure) {
        for index in 0..<word.utf8CodeUnitCount {
            guard at < bytes.count, bytes[at] == word.utf8Start[index] else { throw unexpected() }
            at += 1
        }
    }

    /// Takes any value that is no array and no object, and forgets it.
    private mutating func skipScalar() throws(ReadFailure) {
        switch next() {
        case UInt8(ascii: "\""): _ = try string()
        case UInt8(ascii: "t"): try word("true")
        case UInt8(ascii: "f"): try word("false")
        case UInt8(ascii: "n"): try word("null")
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): _ = try number()
        default: throw unexpected()
        }
    }

    /// Takes any value and forgets it.
    ///
    /// A loop, not a recursion: without optimization, 512 levels would be too much for the stack of a thread on Darwin.
    mutating func skip() throws(ReadFailure) {
        var open: [JSONContainer] = []
        repeat {
            if let container = try container() {
                open.append(container)
            } else {
                try skipScalar()
            }
            while var innermost = open.popLast() {
                if try another(in: &innermost) {
                    open.append(innermost)
                    break
                }
            }
        } while !open.isEmpty
    }
}
