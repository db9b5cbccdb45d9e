// OpenWatchParty for Swift. See LICENSE.

import OWPCore
package import OWPSync

/// One participant of a watch party, as a value: inputs with their times in, effects out (sections 3–15).
///
/// It knows no app type, no socket, no clock and no task: its driver does what the effects say and reports what comes
/// of it. So a whole party runs in a table, in a simulation, or behind `WatchParty`.
package struct PartyMachine: Sendable {
    /// Makes the machine of a party in no room.
    ///
    /// - Parameters:
    ///   - client: The app and its version.
    ///   - name: The user's display name.
    ///   - hasResolver: Whether the app can search (section 9.2).
    /// - Throws: ``PartyFailure`` with `invalid_message` for a bad client or name (section 7.1).
    package init(client: String, name: String, hasResolver: Bool) throws(PartyFailure) {
        guard isValidName(name) else { throw PartyFailure(.invalidMessage, "the name is invalid") }
        guard isValidClient(client) else { throw PartyFailure(.invalidMessage, "the client is invalid") }
    }

    /// Takes what happened.
    ///
    /// - Parameters:
    ///   - input: What happened.
    ///   - localMs: Local time now in ms; never less than in an earlier call.
    ///   - reading: What the adapter says of itself now: the one of an `attachPlayer` that is the input, else
    ///     ``attachedAdapter``; nil when there is none. Read for every input.
    /// - Returns: What the driver does, in order.
    package mutating func handle(
        _ input: PartyInput,
        atLocalMs localMs: Int64,
        reading: PlayerReading?
    ) -> [PartyEffect] { [] }

    /// The adapter that the driver reads.
    package var attachedAdapter: AdapterKey? { nil }

    /// The state last published.
    package var state: PublicState { PublicState() }

    /// The room position at a local time, without the offset; nil without media, snapshot or relay time (section 8).
    package func roomPositionMs(atLocalMs localMs: Int64) -> Int64? { nil }

    /// The candidates that the machine may still name; the driver may forget all others.
    package var candidatesInUse: Set<CandidateKey> { [] }

    /// The refs that the machine may still compare; the driver may forget all others.
    package var refsInUse: Set<RefKey> { [] }
}
