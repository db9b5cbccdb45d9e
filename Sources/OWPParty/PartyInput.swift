// OpenWatchParty for Swift. See LICENSE.

package import OWPCore

/// Something that happened to a party.
///
/// The driver gives each to ``PartyMachine/handle(_:atLocalMs:reading:)`` and performs the effects it gets back, in
/// order, before it gives the next: an input that comes up meanwhile (an app that calls from within a player's
/// getter, say) waits its turn.
package enum PartyInput: Hashable, Sendable {
    // MARK: Calls of the app

    /// `create()`; ends with ``PartyEffect/finish(_:_:)`` (section 7.2).
    case create(CallKey, RelaySource)
    /// `join(code, create)` with the code as typed; ends with ``PartyEffect/finish(_:_:)`` (section 7.2).
    case join(CallKey, code: String, create: Bool, RelaySource)
    /// The task that awaits a `create`, `join` or `choose` was cancelled; the call ends as `cancelled` (section 7.2), or
    /// with false.
    ///
    /// Does nothing when the call has ended.
    case cancelCall(CallKey)
    /// `leave()` (section 7.4).
    case leave
    /// `close()`; ends once no released adapter has work (sections 7.4 and 11.2).
    case close(CallKey)

    /// `attachPlayer(player, ref)` (section 10.2).
    case attachPlayer(AdapterKey, RefKey)
    /// `detachPlayer(player)`, nil without an argument; ends once no released adapter has work (section 10.2).
    ///
    /// An adapter that the driver has no key for gets a new one: it is not attached, and nothing happens.
    case detachPlayer(CallKey, AdapterKey?)
    /// `playerChanged()` (section 10.3).
    case playerChanged

    /// `acceptMismatch()` (section 9.6).
    case acceptMismatch
    /// `declineMismatch()` (section 9.6).
    case declineMismatch
    /// `choose(candidate)`; ends with ``PartyEffect/finish(_:_:)`` (section 9.6).
    case choose(CallKey, OfferedCandidate)
    /// `resolveAgain()` (section 9.1).
    case resolveAgain

    /// `setOffset(offsetMs)` (section 13).
    case setOffset(Int64)
    /// `play()` (section 12, like all that follow).
    case play
    /// `pause()`.
    case pause
    /// `seek(to:)`, in ms of the own file.
    case seek(Int64)
    /// `setRate(rate)`.
    case setRate(Double)
    /// `setMedia(media, ref, positionMs)`.
    ///
    /// The driver makes the candidate of section 9.1 (`id` empty, this ref, the descriptor's duration) and gives its
    /// key.
    case setMedia(Media, CandidateKey, RefKey, positionMs: Int64)
    /// `clearMedia()`.
    case clearMedia
    /// `setControl(mode)`.
    case setControl(Control)
    /// `transferHost(peerId)`.
    case transferHost(String)
    /// `kick(peerId)`.
    case kick(String)
    /// `lock(locked)`.
    case lock(Bool)
    /// `end()`.
    case end

    // MARK: Connections

    /// A connection opened.
    case opened(ConnectionKey)
    /// A connection could not be opened.
    case openFailed(ConnectionKey, FailureKey?)
    /// A text message arrived on an open connection.
    case received(ConnectionKey, String)
    /// An open connection ended, with the peer's close status when one came.
    case ended(ConnectionKey, closeCode: Int?, FailureKey?)

    // MARK: Answers to effects

    /// The delay of a timer has passed.
    case timerFired(PartyTimer)
    /// The draw that ``PartyEffect/drawRandom`` asked for, in 0 ..< 1.
    case random(Double)
    /// A forced refresh that ``PartyEffect/refreshRelays(_:)`` asked for has ended, well or not; the list now in use.
    case relaysRefreshed(CallKey, RelaySource)
    /// The resolver answered.
    case resolved(WorkKey, [OfferedCandidate])
    /// The resolver threw.
    case resolveFailed(WorkKey, FailureKey)
    /// A probe returned a duration or nothing; one that threw, whatever it threw, returned nothing.
    case probed(WorkKey, durationMs: Int64?)
    /// The command that runs on an adapter's lane returned, or threw the error given.
    case commandEnded(AdapterKey, FailureKey?)
}

/// Where a call finds its relay (section 3.1).
package enum RelaySource: Hashable, Sendable {
    /// `Relays.at`: one relay that owns every symbol and is never refreshed.
    case only(Relay)
    /// `Relays.public`: the list in use at this moment; never empty.
    case list([Relay])
}

/// A candidate of the app, as far as the machine looks at it (section 9.2).
package struct OfferedCandidate: Hashable, Sendable {
    /// The candidate's key.
    package var key: CandidateKey
    /// Its ref's key.
    package var ref: RefKey
    /// The file's duration in ms as the app gave it.
    package var durationMs: Int64?
    /// The file's size in bytes.
    package var sizeBytes: Int64?
    /// The file's OpenSubtitles hash.
    package var oshash: String?
    /// The file's bare name.
    package var name: String?
    /// Whether it has a probe.
    package var hasProbe: Bool

    /// Makes a candidate.
    package init(
        key: CandidateKey,
        ref: RefKey,
        durationMs: Int64? = nil,
        sizeBytes: Int64? = nil,
        oshash: String? = nil,
        name: String? = nil,
        hasProbe: Bool = false
    ) {
        self.key = key
        self.ref = ref
        self.durationMs = durationMs
        self.sizeBytes = sizeBytes
        self.oshash = oshash
        self.name = name
        self.hasProbe = hasProbe
    }
}
