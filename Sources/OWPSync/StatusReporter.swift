// OpenWatchParty for Swift. See LICENSE.

/// The values of a `status` whose change is reported (section 10.3).
public struct StatusValues: Hashable, Sendable {
    /// The epoch.
    public var epoch: Int64
    /// What the player does.
    public var player: PlayerState
    /// How matching went; nil while the room has no media.
    public var match: Match?
    /// The local offset in ms.
    public var offsetMs: Int64

    /// Makes a set of values.
    public init(epoch: Int64, player: PlayerState, match: Match?, offsetMs: Int64) {
        self.epoch = epoch
        self.player = player
        self.match = match
        self.offsetMs = offsetMs
    }
}

/// When the next `status` goes out (section 10.3).
public enum StatusDue: Hashable, Sendable {
    /// Now, with the values just offered; the reporter counts them as sent.
    case now
    /// At this local time in ms, unless an earlier offer says otherwise: offer the values of that moment then.
    case at(Int64)
    /// Not before the next connection.
    case never
}

/// Decides when a participant tells the room about its player (section 10.3).
///
/// Offer it the values whenever they may have changed, and again at the time it last named; each answer replaces the
/// one before. It sends at once after a `joined` and in a new epoch, a change no sooner than 250 ms after the last
/// `status`, and the same values again after 15000 ms.
public struct StatusReporter: Hashable, Sendable {
    private struct Sent: Hashable, Sendable {
        let values: StatusValues
        let atMs: Int64
    }

    private var isConnected = false
    private var last: Sent?

    /// Makes a reporter that is not connected.
    public init() {}

    /// Takes a `joined`: the next offer is sent at once.
    public mutating func connected() {
        isConnected = true
        last = nil
    }

    /// Takes a drop or the party's end: nothing is sent until the next `joined`.
    public mutating func disconnected() {
        isConnected = false
        last = nil
    }

    /// Takes the values of this moment.
    ///
    /// - Parameters:
    ///   - values: What a `status` would say.
    ///   - localMs: Local time now, in ms.
    /// - Returns: Whether to send them now, or when to offer again.
    public mutating func offer(_ values: StatusValues, atLocalMs localMs: Int64) -> StatusDue {
        guard isConnected else { return .never }
        if let last, last.values.epoch == values.epoch {
            let wait = last.values == values ? Constants.statusHeartbeatMs : Constants.statusSpacingMs
            let dueMs = last.atMs.saturatingAdd(wait)
            if localMs < dueMs { return .at(dueMs) }
        }
        last = Sent(values: values, atMs: localMs)
        return .now
    }
}
