// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPSync
import OWPWire

/// One turn of the machine: what it knows while it takes an input, and what it has decided so far.
///
/// The parts of the machine write their effects here. What the app sees (the state, events, the ends of calls) is
/// announced, and stands behind the state that it belongs to.
struct Turn: Sendable {
    /// Local time now, in ms.
    private(set) var nowMs: Int64 = 0
    /// What the attached adapter says of itself now.
    private(set) var reading: PlayerReading?
    /// The effects so far.
    private(set) var effects: [PartyEffect] = []
    /// What the app is told once the state is published.
    private(set) var announcements: [PartyEffect] = []
    /// Whether a step is to run (section 11.1).
    var wantsStep = false
    /// Whether nothing happened that a `status` or the state could show.
    var isQuiet = false
    private var connections = 0
    private var works = 0

    /// Begins with an input.
    mutating func begin(atLocalMs localMs: Int64, reading: PlayerReading?) {
        nowMs = localMs
        self.reading = reading
        effects = []
        announcements = []
        wantsStep = false
        isQuiet = false
    }

    /// Adds an effect.
    mutating func add(_ effect: PartyEffect) { effects.append(effect) }

    /// Adds a message on a connection.
    mutating func send(_ message: ClientMessage, on connection: ConnectionKey) {
        effects.append(.send(connection, message))
    }

    /// Adds what the app is told after the state is published: an event, or the end of a call.
    mutating func announce(_ effect: PartyEffect) { announcements.append(effect) }

    /// Puts the state and the announcements into the effects at a place, and forgets them.
    mutating func publish(_ state: PublicState?, at place: Int) {
        let shown = (state.map { [.publish($0)] } ?? []) + announcements
        effects.insert(contentsOf: shown, at: place)
        announcements = []
    }

    /// Allots the key of a new connection.
    mutating func newConnection() -> ConnectionKey {
        connections += 1
        return ConnectionKey(connections)
    }

    /// Allots the key of a new piece of work.
    mutating func newWork() -> WorkKey {
        works += 1
        return WorkKey(works)
    }
}
