// OpenWatchParty for Swift. See LICENSE.

/// One line of a relay's log.
///
/// It never holds a name, a code, a token, media or an address of a participant.
public struct RelayLogEntry: Hashable, Sendable, CustomStringConvertible {
    /// How much it matters.
    public enum Level: String, Hashable, Sendable {
        /// What happens in the normal course.
        case info
        /// What somebody should look at.
        case warning
    }

    /// How much it matters.
    public let level: Level
    /// What happened, in one word, such as `started`.
    public let event: String
    /// What more there is to say, by name, in order.
    public let fields: [Field]

    /// One name and its value.
    public struct Field: Hashable, Sendable {
        /// The name.
        public let name: String
        /// The value as text.
        public let value: String
    }

    init(_ level: Level, _ event: String, _ fields: KeyValuePairs<String, String> = [:]) {
        self.level = level
        self.event = event
        self.fields = fields.map { Field(name: $0.key, value: $0.value) }
    }

    /// The entry as `name=value` pairs; a value with spaces is quoted.
    public var description: String {
        let pairs = fields.map { field in
            let isPlain =
                !field.value.isEmpty && field.value.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 }
            return "\(field.name)=" + (isPlain ? field.value : "\"\(field.value.replacing("\"", with: "'"))\"")
        }
        return (["level=\(level.rawValue)", "event=\(event)"] + pairs).joined(separator: " ")
    }
}
