// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPTestSupport
import OWPWire

/// Something that a party did and a trace can see.
enum Observation {
    /// It did something of a kind to one thing: it opened or closed a connection, called a search.
    case act(String, JSONValue)
    /// It sent a message on a connection, or commanded a player.
    case told(String, to: String, JSONValue)
    /// A call ended: `returns` or `throws`.
    case ended(String, call: String, JSONValue)
    /// It published a state.
    case state(JSONValue)

    /// The member of a step that lists it.
    var kind: String {
        switch self {
        case .act(let kind, _), .told(let kind, _, _), .ended(let kind, _, _): kind
        case .state: "state"
        }
    }
}

/// What stands around the party of a trace: its clock, players and numbers, and the record of what the party did.
///
/// Trace time is the clock's time less where it started.
@MainActor
final class TraceWorld {
    let given: TraceGiven
    let clock: VirtualClock
    let players: [String: TracePlayer]
    private let startMs: Int64
    private(set) var observations: [(atMs: Int64, what: Observation)] = []
    /// What no party may do, whatever the trace.
    private(set) var breaches: [String] = []
    private var state: JSONValue?
    private var connections: [String: Int] = [:]
    private var drawn = 0

    init(_ given: TraceGiven, startMs: Int64) throws {
        self.given = given
        self.startMs = startMs
        let clock = VirtualClock(nowMs: startMs)
        self.clock = clock
        players = Dictionary(
            try given.players.map { input in
                let name = String(input.path.split(separator: ".").last ?? "")
                return (name, try TracePlayer(name, input, clock: clock))
            },
            uniquingKeysWith: { first, _ in first }
        )
        for player in players.values {
            player.commanded = { [unowned self] in note(.told("commanded", to: player.name, $0)) }
        }
    }

    /// Trace time now, in ms.
    var nowMs: Int64 { clock.nowMs() - startMs }

    /// Records what the party did.
    func note(_ what: Observation) {
        if case .state(let state) = what {
            if state == self.state { breaches.append("published the same state again") }
            self.state = state
        }
        observations.append((nowMs, what))
    }

    /// Records an act of a kind.
    func note(_ kind: String, _ what: JSONValue) { note(.act(kind, what)) }

    /// Records an event, which tells of the state that stands already (sections 7.4 and 8).
    func note(event: any EventJSON) {
        let (name, value) = event.json
        if name == "Ended", state?["connection"] != "ended" { breaches.append("emitted Ended before its state") }
        if name == "Action", state?["room"] != value["room"] { breaches.append("emitted an Action before its room") }
        note("emitted", [name: value])
    }

    /// Forgets what no party may do and this one did, and gives it.
    func takeBreaches() -> [String] {
        defer { breaches = [] }
        return breaches
    }

    /// Records what no party may do.
    func breach(_ what: String) { breaches.append(what) }

    /// Forgets what was recorded, and gives it.
    func takeObservations() -> [(atMs: Int64, what: Observation)] {
        defer { observations = [] }
        return observations
    }

    /// The next random number.
    func draw() -> Double {
        drawn += 1
        guard drawn <= given.draws.count else {
            breach("drew a random number that the trace does not give")
            return 0.5
        }
        return given.draws[drawn - 1]
    }

    /// How many of the given numbers were not drawn.
    var undrawn: Int { max(0, given.draws.count - drawn) }

    /// The name of a new connection: the first label of the URL's host, and how many there have been to it.
    func newConnection(_ url: String) -> String {
        let host = url.split(separator: "/", omittingEmptySubsequences: true).dropFirst().first ?? ""
        let label = String(host.prefix { $0 != "." })
        connections[label, default: 0] += 1
        return "\(label)\(connections[label] ?? 0)"
    }

    /// A player of the trace.
    func player(_ name: String) throws -> TracePlayer {
        guard let player = players[name] else { throw TableError("no player '\(name)' is given") }
        return player
    }
}

/// An error that a trace makes an app's part or the transport throw.
struct TraceFailure: Error, Hashable {
    let name: String

    /// The error of a name; `cancellation` is the language's own.
    static func named(_ name: String) -> any Error {
        name == "cancellation" ? CancellationError() : TraceFailure(name: name)
    }
}
