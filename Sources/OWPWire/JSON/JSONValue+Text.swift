// OpenWatchParty for Swift. See LICENSE.

extension JSONValue {
    /// Reads JSON text (RFC 8259), strictly.
    ///
    /// The text is at most 64 MiB and nests at most 512 deep; no object repeats a member name, and no string has an
    /// unpaired surrogate (section 16.8). A number beyond a double's range becomes infinite.
    ///
    /// - Throws: ``PartyError`` with `invalid_message`, whose message says what is wrong and where.
    public init(parsing text: String) throws {
        do throws(ReadFailure) {
            self = try JSONReader.reading(text) { reader throws(ReadFailure) in
                let value = try reader.value(finite: false)
                try reader.end()
                return value
            }
        } catch {
            throw PartyError(.invalidMessage, error.words)
        }
    }

    /// The value as compact text: no whitespace, the members of objects in the order of their names' UTF-8 bytes.
    ///
    /// Throws a ``PartyError`` with `invalid_message` for an infinite number, a NaN, and a value deeper than 512.
    public var text: String {
        get throws {
            var writer = JSONWriter()
            writer.value(self)
            if let failure = writer.failure { throw PartyError(.invalidMessage, failure) }
            return writer.text
        }
    }
}

/// Checks that bytes are one JSON text (RFC 8259).
///
/// - Parameters:
///   - bytes: The text: UTF-8 without a byte order mark, at most 64 MiB, nesting at most 512 deep.
///   - policy: Whether an object may repeat a member name. Unpaired surrogate escapes are accepted by both.
/// - Throws: ``JSONSyntaxError``, with the first offset at which the text is refused.
public func checkJSON(_ bytes: [UInt8], policy: JSONPolicy) throws(JSONSyntaxError) {
    guard bytes.count <= JSONLimits.textBytes else {
        throw JSONSyntaxError(reason: .tooLong, offset: JSONLimits.textBytes)
    }
    let error = bytes.withUnsafeBufferPointer { bytes -> JSONSyntaxError? in
        if let offset = firstInvalidUTF8(bytes) { return JSONSyntaxError(reason: .invalidUTF8, offset: offset) }
        var reader = JSONReader(bytes, policy: policy)
        do throws(ReadFailure) {
            try reader.skip()
            try reader.end()
            return nil
        } catch {
            guard case .syntax(let error) = error else { return nil }  // Skipping has no rules to break.
            return error
        }
    }
    if let error { throw error }
}
