// OpenWatchParty for Swift. See LICENSE.

import OWPWire

/// Connections of given-up attempts whose request is out: kept until the answer, which is answered with `leave`.
///
/// Otherwise a cancelled `create`, `join` or `resume` would leave a participant behind in the room (sections 7.2
/// and 14).
struct Farewells: Sendable {
    private var waiting: [EntryConnection] = []

    /// Keeps a connection until its answer or its deadline.
    mutating func add(_ entry: EntryConnection?, _ turn: inout Turn) {
        guard let entry else { return }
        entry.connection.stopPings(&turn)
        waiting.append(entry)
    }

    /// Takes a message.
    mutating func received(_ key: ConnectionKey, _ message: ReadMessage, _ turn: inout Turn) {
        guard let index = index(of: key) else { return }
        switch waiting[index].received(message, turn) {
        case .none: break
        case .joined, .malformed: waiting.remove(at: index).close(leaving: true, &turn)
        case .refused: waiting.remove(at: index).close(&turn)
        }
    }

    /// Takes a connection's end.
    mutating func lost(_ key: ConnectionKey, _ turn: inout Turn) {
        guard let index = index(of: key) else { return }
        waiting.remove(at: index).stopDeadline(&turn)
    }

    /// Takes the end of the time to answer.
    mutating func deadlinePassed(_ key: ConnectionKey, _ turn: inout Turn) {
        guard let index = index(of: key) else { return }
        waiting.remove(at: index).close(&turn)
    }

    private func index(of key: ConnectionKey) -> Int? {
        waiting.firstIndex { $0.key == key }
    }
}
