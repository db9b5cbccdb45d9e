// OpenWatchParty for Swift. See LICENSE.

package import OWPCore
package import OWPSync
package import OWPWire

/// Something that a party's driver does for it.
///
/// The driver performs the effects of one input in order and decides nothing. What it reports later (an opened
/// connection, an answer) comes in as an input of its own.
package enum PartyEffect: Hashable, Sendable {
    // MARK: To the app

    /// The command given as this input throws this error to its caller; it is the only effect of its input.
    case refuse(PartyFailure)
    /// A call returns, or throws; each call ends exactly once.
    case finish(CallKey, CallResult)
    /// The state is now this, which differs from the last one published.
    case publish(PublicState)
    /// An event for every subscriber.
    case emit(PublicEvent)
    /// The streams of states and events finish after what they hold; later ones are finished from the start.
    case finishStreams

    // MARK: Connections

    /// Open a WebSocket; report ``PartyInput/opened(_:)`` or ``PartyInput/openFailed(_:_:)``, then each message and
    /// at last ``PartyInput/ended(_:closeCode:_:)``.
    case open(ConnectionKey, url: String)
    /// Send the text of a message on an open connection, after those before it.
    ///
    /// A failure shows as the connection's end.
    case send(ConnectionKey, ClientMessage)
    /// Close a connection with status 1000.
    ///
    /// An open one closes after what was sent; one that is opening is cancelled, and closed with 1000 when it opens
    /// nevertheless. Nothing more of it is reported. Does nothing when it has ended.
    case close(ConnectionKey)

    // MARK: Time and chance

    /// Report ``PartyInput/timerFired(_:)`` once after a delay in ms of at least 0.
    ///
    /// Replaces a running timer of the same name. A delay may be any length: the driver hands a native timer at most
    /// 2147483647 ms and waits on (section 2).
    case startTimer(PartyTimer, afterMs: Int64)
    /// Stop a timer, so that it is not reported; does nothing when it does not run.
    case cancelTimer(PartyTimer)
    /// Draw one number in 0 ..< 1 and report it as ``PartyInput/random(_:)`` right after this input's effects.
    case drawRandom

    // MARK: The relay list

    /// Force a refresh of the list and report ``PartyInput/relaysRefreshed(_:_:)`` (section 4.2).
    case refreshRelays(CallKey)
    /// Tell the list that a `joined` came: it may refresh in the background (section 3.3).
    case relaysJoined

    // MARK: The app's search

    /// Call the resolver; report ``PartyInput/resolved(_:_:)`` or ``PartyInput/resolveFailed(_:_:)``.
    case resolve(WorkKey, Media)
    /// Call a candidate's probe; report ``PartyInput/probed(_:durationMs:)``.
    case probe(WorkKey, CandidateKey)
    /// Cancel a resolver's call or a probe; nothing of it is reported any more.
    case cancelWork(WorkKey)

    // MARK: The player

    /// Start a command on an adapter and report ``PartyInput/commandEnded(_:_:)``.
    ///
    /// The machine queues: a driver never has two commands of one adapter at a time, and never cancels one.
    case command(AdapterKey, PlayerAction)
    /// The adapter is released and its last command has ended.
    ///
    /// Hold it weakly from now on: the app may let it go, and the same object still has the same key when it is
    /// attached again.
    case letGo(AdapterKey)
}

/// The timers of a party, one running timer a name.
package enum PartyTimer: Hashable, Sendable {
    /// A connection's next ping (section 5).
    case ping(ConnectionKey)
    /// What a connection on its way into the room is waited for: its opening, then the answer (section 7.1).
    case deadline(ConnectionKey)
    /// The race of the relays for a `create` (section 6).
    case race
    /// The member connection's silence (section 14).
    case silence
    /// The wait before the next attempt to resume (section 14).
    case backoff
    /// The end of the resume window (section 14).
    case resumeWindow
    /// The resolver's answer (section 9.2).
    case resolve
    /// The budget of the running probe of a walk (section 9.5).
    case probe
    /// The next `status`, spaced or repeated (section 10.3).
    case status
    /// The tick of 500 ms (section 11.1).
    case tick
    /// The local start of a room that is about to play (section 11.2).
    case play
    /// The end of a command hold (section 12).
    case hold
}

/// How a call ended.
package enum CallResult: Hashable, Sendable {
    /// `create` made a room with this code.
    case created(code: String)
    /// `join` is in the room.
    case joined
    /// `choose` took the candidate, or did not.
    case chose(Bool)
    /// No released adapter has work: the completion of `detachPlayer` and `close`.
    case released
    /// The call throws this.
    case failed(PartyFailure)
    /// `create` or `join` after `close`: the call throws `PartyClosedError`.
    case partyClosed
}

/// An error of the party, with the error underneath by its key (section 15).
package struct PartyFailure: Error, Hashable, Sendable {
    /// What failed.
    package var code: PartyError.Code
    /// English text for logs: the relay's, or the party's own.
    package var message: String
    /// The type of the message that a relay refused.
    package var re: String?
    /// The error underneath.
    package var underlying: FailureKey?

    /// Makes an error.
    package init(_ code: PartyError.Code, _ message: String, re: String? = nil, underlying: FailureKey? = nil) {
        self.code = code
        self.message = message
        self.re = re
        self.underlying = underlying
    }
}
