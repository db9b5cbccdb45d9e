// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OWPWire

/// `owp json-check`: whether a text is JSON, as the SDK's own reader sees it.
package struct JSONCheckCommand: Subcommand {
    package static let name = "json-check"
    package static let summary = "Check that a text is strict JSON"
    package static let usage = ["json-check [--message] [FILE]"]
    package static let discussion = """
        Reads FILE, or standard input without one, with the reader that the SDK uses for messages: RFC 8259 to the
        letter, UTF-8 without a byte order mark, at most 64 MiB, nesting at most 512 deep. Exit status 0 accepts the
        text, 1 refuses it and tells why and where, 2 means that it could not be read.
        """
    package static let options = [
        Option("--message", help: "Refuse a member name that stands twice in one object, as in a message.")
    ]

    package static func run(_ arguments: Arguments, console: Console) async throws -> Int32 {
        guard arguments.operands.count <= 1 else { throw UsageError("one FILE at most") }
        let file = arguments.operands.first ?? "-"
        let name = file == "-" ? "standard input" : "'\(plainText(file))'"
        let bytes: [UInt8]
        do {
            bytes = try read(file)
        } catch {
            console.errorLine("owp json-check: cannot read \(name); name a file that is there and may be read")
            return 2
        }
        do {
            try checkJSON(bytes, policy: arguments.has("--message") ? .message : .grammar)
            return 0
        } catch {
            console.errorLine("\(name): \(plainText("\(error)"))")
            return 1
        }
    }

    /// The bytes of a file, or of standard input for `-`; not more than the reader takes, and one.
    private static func read(_ file: String) throws -> [UInt8] {
        let handle = file == "-" ? FileHandle.standardInput : try FileHandle(forReadingFrom: URL(fileURLWithPath: file))
        var bytes: [UInt8] = []
        while bytes.count <= JSONLimits.textBytes, let piece = try handle.read(upToCount: 1 << 16), !piece.isEmpty {
            bytes += piece
        }
        return bytes
    }
}
