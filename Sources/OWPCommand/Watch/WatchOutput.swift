// OpenWatchParty for Swift. See LICENSE.

import OWPWire
import OpenWatchParty

/// What `owp watch` tells: a sentence a line for people, or one JSON object a line for programs.
///
/// Every text from outside is made plain first, in both forms.
@MainActor
package final class WatchOutput {
    private let console: Console
    private let isJSON: Bool
    private var statusLine = ""

    /// Makes an output.
    package init(console: Console, isJSON: Bool) {
        self.console = console
        self.isJSON = isJSON
    }

    /// Tells of something that happened.
    ///
    /// - Parameters:
    ///   - event: Its name in JSON.
    ///   - members: What belongs to it, in JSON.
    ///   - text: The sentence for people; nil when it is of no interest to them.
    func tell(_ event: String, _ members: [String: JSONValue] = [:], _ text: String? = nil) {
        if isJSON {
            let object = members.merging(["event": .string(event)]) { $1 }
            if let line = try? JSONValue.object(object).text { console.line(line) }
        } else if let text {
            clearStatus()
            console.line(text)
            redrawStatus()
        }
    }

    /// Tells of something that went wrong, on standard error for people.
    func warn(_ event: String, _ members: [String: JSONValue] = [:], _ text: String) {
        guard !isJSON else { return tell(event, members.merging(["text": .string(text)]) { $1 }) }
        clearStatus()
        console.errorLine(text)
        redrawStatus()
    }

    /// Shows a line that is overwritten by the next, on a terminal only; an empty one takes it away.
    ///
    /// A terminal that was stopped gets none, lest hours of them hold up the party in the end.
    func show(status: String) {
        guard !isJSON, console.isTerminal, !console.isBehind, status != statusLine else { return }
        clearStatus()
        statusLine = status
        redrawStatus()
    }

    private func clearStatus() {
        if !statusLine.isEmpty { console.write("\r\u{1B}[K") }
    }

    private func redrawStatus() {
        // Cut at the terminal's edge, since a line that went on in the next could not be taken away again.
        if !statusLine.isEmpty { console.write("\u{1B}[?7l\(statusLine)\u{1B}[?7h") }
    }
}

extension JSONValue {
    /// A number of ms, or null.
    static func ms(_ value: Int64?) -> JSONValue { value.map { .number(Double($0)) } ?? .null }

    /// A text from outside, made plain, or null.
    static func plain(_ text: String?) -> JSONValue { text.map { .string(plainText($0)) } ?? .null }
}
