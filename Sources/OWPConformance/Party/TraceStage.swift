// OpenWatchParty for Swift. See LICENSE.

import OWPCore

/// Something that happens to the party of a trace.
enum TraceAction {
    /// The app makes a call, whose end goes by this name.
    case call(TraceCall, as: String)
    /// A connection opens.
    case opens(String)
    /// A connection cannot be opened.
    case refuses(String)
    /// The relay ends a connection, with a status when there is one.
    case drops(String, code: Int?)
    /// The relay says something.
    case says(String, on: String)
    /// The resolver answers its n-th call.
    case search(Int, Result<[TraceCandidate], any Error>)
    /// The n-th GET ends.
    case fetch(Int, Result<String, any Error>)
    /// A candidate's newest probe answers.
    case probe(String, Result<Int64?, any Error>)
    /// A player's running command ends, with what it throws.
    case command(String, (any Error)?)
}

/// Where the party of a trace runs.
@MainActor
protocol TraceStage {
    /// What stands around the party.
    var world: TraceWorld { get }
    /// Lets something happen, and everything at this time that comes of it.
    func take(_ action: TraceAction) async throws
    /// Lets time pass, in ms.
    func advance(by ms: Int64) async
    /// Ends what still runs, after the trace.
    func finish() async
}

/// Refuses a step that cannot happen, since the party never got so far.
func impossible(_ what: String) -> TableError { TableError("\(what), which cannot happen here") }
