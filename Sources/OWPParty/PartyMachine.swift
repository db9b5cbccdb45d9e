// OpenWatchParty for Swift. See LICENSE.

import OWPCore
package import OWPSync
import OWPWire

/// One participant of a watch party, as a value: inputs with their times in, effects out (sections 3–15).
///
/// It knows no app type, no socket, no clock and no task: its driver does what the effects say and reports what comes
/// of it. So a whole party runs in a table, in a simulation, or behind `WatchParty`.
package struct PartyMachine: Sendable {
    let client: String
    let name: String

    var turn = Turn()
    /// A `create` or `join` under way.
    var attempt: (any EntryAttempt)?
    /// The session, while in a room.
    var member: Membership?
    /// The attempts to take the session up, while reconnecting.
    var resume: ResumeAttempt?
    var farewells = Farewells()
    var endReason: EndReason?
    var isClosed = false
    /// The calls that end once no released adapter has work.
    var completions: [CallKey] = []

    var room = RoomState()
    var search: MatchSearch
    var follower = PlayerFollower()
    var status = StatusSender()
    var hold = CommandHold()
    /// Local time of the next tick in ms.
    var nextTickAtMs: Int64 = 0
    var offsetMs: Int64 = 0
    /// Whether the app detached its player to take no part (section 10.2).
    var isAway = false
    /// The player's state as last judged.
    var player = PlayerState.idle
    /// The media that this party last shared.
    var shared: SharedMedia?
    /// The `setMedia` that the room has not yet shown (section 10.2).
    var pendingMedia: ClientMessage?

    /// The state last published.
    package private(set) var state = PublicState()

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
        self.client = client
        self.name = name
        search = MatchSearch(hasResolver: hasResolver)
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
    ) -> [PartyEffect] {
        turn.begin(atLocalMs: localMs, reading: reading)
        do throws(PartyFailure) {
            try take(input)
        } catch {
            return [.refuse(error)]
        }
        settle()
        return turn.effects
    }

    /// The adapter that the driver reads.
    package var attachedAdapter: AdapterKey? { follower.attached?.adapter }

    /// The room position at a local time, without the offset; nil without media, snapshot or relay time (section 8).
    package func roomPositionMs(atLocalMs localMs: Int64) -> Int64? {
        guard room.media != nil, let timeline = room.timeline, let relayMs = relayMs(atLocalMs: localMs) else {
            return nil
        }
        return timeline.positionMs(atRelayMs: relayMs)
    }

    /// The candidates that the machine may still name; the driver may forget all others.
    package var candidatesInUse: Set<CandidateKey> {
        Set(search.inUse.candidates + (shared.map { [$0.choice.candidate] } ?? []))
    }

    /// The refs that the machine may still compare; the driver may forget all others.
    package var refsInUse: Set<RefKey> {
        let kept = [shared?.choice.ref, follower.attached?.ref].compactMap { $0 }
        return Set(search.inUse.refs + kept)
    }

    /// The errors that the machine may still report; the driver may forget all others after an input's effects.
    package var failuresInUse: Set<FailureKey> {
        Set([attempt?.failureInUse, resume?.failureInUse].compactMap { $0 })
    }

    // MARK: Turns

    /// Passes an input on to what it concerns; throws when it is a command that is refused.
    private mutating func take(_ input: PartyInput) throws(PartyFailure) {
        switch input {
        case .create, .join, .cancelCall, .leave, .close, .relaysRefreshed: takeSession(input)
        case .opened, .openFailed, .received, .ended, .random: takeConnection(input)
        case .attachPlayer, .detachPlayer, .playerChanged, .commandEnded: takePlayer(input)
        case .timerFired(let timer): takeTimer(timer)
        case .acceptMismatch: search.acceptMismatch()
        case .declineMismatch: search.declineMismatch()
        case .choose(let call, let candidate): search.choose(candidate, call, &turn)
        case .resolveAgain: search.resolveAgain(&turn)
        case .resolved(let work, let candidates): search.resolved(work, candidates, &turn)
        case .resolveFailed(let work, let failure): search.resolveFailed(work, failure, &turn)
        case .probed(let work, let durationMs): search.probed(work, durationMs: durationMs, &turn)
        case .setOffset, .play, .pause, .seek, .setRate: try takePlayback(input)
        case .setMedia, .clearMedia, .setControl, .transferHost, .kick, .lock, .end: try takeHost(input)
        }
    }

    private mutating func takeTimer(_ timer: PartyTimer) {
        switch timer {
        case .ping(let key): pingTimerFired(key)
        case .deadline(let key): deadlinePassed(key)
        case .race: advance { $0.timerFired(.race, &$1) }
        case .silence: silenceTimerFired()
        case .backoff: resume?.backoffEnded(&turn)
        case .resumeWindow: resumeWindowPassed()
        case .resolve: search.resolveTimedOut(&turn)
        case .probe: search.probeTimedOut(&turn)
        case .status: status.timerFired()
        case .tick: ticked()
        case .play: follower.playTimerFired(&turn)
        case .hold: if hold.end() { turn.wantsStep = true }
        }
    }

    /// Brings everything up to what happened: binding, step, `status`, and what the app sees.
    ///
    /// The app sees one state for all of it, and its events and ends of calls before the step's commands go out.
    mutating func settle() {
        updateBinding()
        let place = turn.effects.count
        stepIfWanted()
        if !turn.isQuiet { report() }
        if !completions.isEmpty, !follower.hasReleasedWork {
            for call in completions { turn.announce(.finish(call, .released)) }
            completions = []
        }
        let current = currentState
        turn.publish(current == state ? nil : current, at: place)
        state = current
    }

    private var currentState: PublicState {
        var state = PublicState()
        state.connection = connection
        state.peerId = member?.peerId
        state.room = room.room
        state.media = room.media
        state.match = search.match
        state.choice = search.choice?.candidate
        state.mismatch = search.mismatch
        state.candidates = search.entries
        state.offsetMs = offsetMs
        state.player = player
        state.endReason = endReason
        return state
    }
}
