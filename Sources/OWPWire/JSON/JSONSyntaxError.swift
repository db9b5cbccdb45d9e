// OpenWatchParty for Swift. See LICENSE.

/// Why a text is not acceptable JSON, and where.
public struct JSONSyntaxError: Error, Hashable, Sendable {
    /// What is wrong.
    package enum Reason: String, Hashable, Sendable {
        /// A byte that cannot stand there.
        case unexpectedByte = "a byte that cannot stand here"
        /// The text ended inside a value.
        case unexpectedEnd = "the text ends inside a value"
        /// Something follows the value.
        case trailingText = "text after the value"
        /// A number that is not RFC 8259's, such as `01` or `1.`.
        case invalidNumber = "not a number of JSON"
        /// A raw control character in a string.
        case controlCharacter = "a raw control character in a string"
        /// A backslash with something that is no escape.
        case invalidEscape = "not an escape of JSON"
        /// Bytes that are not UTF-8.
        case invalidUTF8 = "not UTF-8"
        /// Arrays and objects deeper than ``JSONLimits/depth``.
        case tooDeep = "arrays and objects nest too deeply"
        /// A text longer than its limit.
        case tooLong = "the text is too long"
        /// An object that has a member name twice (message policy only).
        case repeatedName = "a member name stands twice in one object"
    }

    package let reason: Reason
    /// Bytes from the start of the text to where reading stopped.
    public let offset: Int
}

extension JSONSyntaxError: CustomStringConvertible {
    /// The reason in words, and the offset.
    public var description: String { "\(reason.rawValue), at byte \(offset)" }
}

/// What the reader accepts beyond the grammar of RFC 8259.
public enum JSONPolicy: Hashable, Sendable {
    /// The grammar alone; an object may repeat a member name.
    case grammar
    /// What a message may be: no object repeats a member name, compared by scalars.
    case message
}

/// What bounds the reader and the writer.
package enum JSONLimits {
    /// How deep arrays and objects may nest.
    ///
    /// The `ext` of a descriptor, at most 1024 bytes, can nest 508 deep, and stands three deep in its message.
    package static let depth = 512
    /// The longest text, in bytes.
    package static let textBytes = 1 << 26
    /// The longest message a client reads, in bytes; a relay's limit is its WebSocket's.
    package static let messageBytes = 1 << 20
}
