// OpenWatchParty for Swift. See LICENSE.

/// Where a room is, as its last snapshot says (section 8).
///
/// A position is a line over relay time: it stands in every phase but `playing`, and there runs from `atMs` on.
public struct Timeline: Hashable, Sendable {
    /// What the room is doing.
    public var phase: Phase
    /// The position at ``atMs``, in ms of the room's timeline.
    public var positionMs: Int64
    /// The relay time in ms at which the position holds or playback starts.
    public var atMs: Int64
    /// The playback rate.
    public var rate: Double
    /// The media's duration in ms, at which a playing room stops; nil without media.
    public var durationMs: Int64?

    /// Makes a timeline from its parts.
    public init(phase: Phase, positionMs: Int64, atMs: Int64, rate: Double, durationMs: Int64?) {
        self.phase = phase
        self.positionMs = positionMs
        self.atMs = atMs
        self.rate = rate
        self.durationMs = durationMs
    }

    /// Takes the timeline of a snapshot and the duration of its media.
    public init(room: Room, durationMs: Int64?) {
        self.init(
            phase: room.phase,
            positionMs: room.positionMs,
            atMs: room.atMs,
            rate: room.rate,
            durationMs: durationMs
        )
    }

    /// The room position at a relay time, `P(t)` in the specification, in ms.
    ///
    /// Only a playing room is capped by the duration.
    public func positionMs(atRelayMs relayMs: Int64) -> Int64 {
        guard phase == .playing else { return positionMs }
        let elapsed = Double(max(0, relayMs.saturatingSubtract(atMs)))
        let played = elapsed * rate
        let position = Double(positionMs) + played
        let whole = Int64(saturating: position.rounded(.down))
        guard let durationMs else { return whole }
        return min(durationMs, whole)
    }

    /// Whether the room is running at a relay time: `playing`, and at or past ``atMs``.
    public func isRunning(atRelayMs relayMs: Int64) -> Bool {
        phase == .playing && relayMs >= atMs
    }
}
