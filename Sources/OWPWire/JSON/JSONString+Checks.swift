// OpenWatchParty for Swift. See LICENSE.

extension JSONString {
    /// The string when it has no unpaired surrogate and passes a check of `OWPCore`; nil otherwise.
    func checked(_ isValid: (String) -> Bool) -> String? {
        guard !hasUnpaired else { return nil }
        let string = string
        return isValid(string) ? string : nil
    }
}

extension JSONReader {
    /// Takes a string that has no unpaired surrogate and passes a check of `OWPCore`.
    mutating func text(_ rule: StaticString, _ isValid: (String) -> Bool) throws(ReadFailure) -> String {
        guard let text = try string(rule).checked(isValid) else { throw .rule(rule) }
        return text
    }

    /// Takes a peer ID (section 8).
    mutating func peerId() throws(ReadFailure) -> String {
        try text("peerId: 1 to 16 of A-Z a-z 0-9 _ -", isValidPeerId)
    }

    /// Takes a phase (section 8).
    mutating func phase() throws(ReadFailure) -> Phase {
        switch try string("phase: a string") {
        case "idle": return .idle
        case "paused": return .paused
        case "waiting": return .waiting
        case "playing": return .playing
        default: throw .rule("phase: idle, paused, waiting or playing")
        }
    }

    /// Takes a control mode (section 8).
    mutating func control() throws(ReadFailure) -> Control {
        switch try string("control: a string") {
        case "host": return .host
        case "everyone": return .everyone
        default: throw .rule("control: host or everyone")
        }
    }

    /// Takes a player state (section 8).
    mutating func playerState() throws(ReadFailure) -> PlayerState {
        switch try string("player: a string") {
        case "ready": return .ready
        case "loading": return .loading
        case "buffering": return .buffering
        case "idle": return .idle
        default: throw .rule("player: idle, loading, ready or buffering")
        }
    }

    /// Takes a match: null or an object (section 8).
    mutating func match() throws(ReadFailure) -> Match? {
        if try null() { return nil }
        var members = try object("match: null or an object")
        var state: MatchState?
        var deltaMs: Int64?
        while let name = try name(of: &members) {
            switch name {
            case "state": state = try matchState()
            case "deltaMs": deltaMs = try int(in: anyWireInt, "match.deltaMs: an int")
            default: try skip()
            }
        }
        guard let state else { throw .rule("match.state: searching, matched, mismatched or unavailable") }
        return Match(state: state, deltaMs: deltaMs)
    }

    private mutating func matchState() throws(ReadFailure) -> MatchState {
        switch try string("match.state: a string") {
        case "matched": return .matched
        case "searching": return .searching
        case "mismatched": return .mismatched
        case "unavailable": return .unavailable
        default: throw .rule("match.state: searching, matched, mismatched or unavailable")
        }
    }
}

/// Every integer of the wire (section 2).
let anyWireInt = -largestWireInt...largestWireInt
/// Every integer of the wire that is not negative.
let naturalWireInt = 0...largestWireInt
/// Every offset (section 13).
let anyOffset = -Constants.largestOffsetMs...Constants.largestOffsetMs
