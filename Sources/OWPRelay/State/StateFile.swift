// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPWire

/// The text of a state file: a head, a room a line, and an end that tells whether something is missing.
struct StateFile: Sendable {
    /// When it was saved, in relay time.
    var savedAtMs: Int64
    /// The rooms, each as its line.
    var rooms: [String]

    private static let format = "openwatchparty-relay-state"
    private static let version: Int64 = 1

    /// The whole text.
    var text: String {
        let head = """
            {"format":"\(StateFile.format)","version":\(StateFile.version),"savedAtMs":\(savedAtMs)}
            """
        return ([head] + rooms + ["{\"rooms\":\(rooms.count)}", ""]).joined(separator: "\n")
    }

    init(savedAtMs: Int64, rooms: [String]) {
        self.savedAtMs = savedAtMs
        self.rooms = rooms
    }

    /// Takes a text apart.
    ///
    /// - Throws: ``StateError`` for a text that is none of ours, of a newer version, or cut.
    init(parsing text: String) throws(StateError) {
        let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        guard let first = lines.first, let head = StateFile.json(first),
            case .string(let format)? = head["format"], sameScalars(format, StateFile.format)
        else { throw StateError("it is no state file of a relay") }
        guard let version = head["version"]?.wireInt, version == StateFile.version else {
            throw StateError("it is of another version")
        }
        savedAtMs = try head.int("savedAtMs")
        guard lines.count >= 3, lines[lines.count - 1].isEmpty, let end = StateFile.json(lines[lines.count - 2]),
            end["rooms"]?.wireInt == Int64(lines.count - 3)
        else { throw StateError("its end is missing") }
        rooms = lines[1..<(lines.count - 2)].map { String(Substring($0)) }
    }

    /// The JSON of a line; nil when it is none.
    static func json(_ line: Substring.UTF8View) -> JSONValue? { try? JSONValue(parsing: String(Substring(line))) }
}
