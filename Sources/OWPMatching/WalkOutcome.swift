// OpenWatchParty for Swift. See LICENSE.

/// A candidate in ranked order, with its difference once known (section 9.5).
public struct RankedIndex: Hashable, Sendable {
    /// Its place in the resolver's answer.
    public let index: Int
    /// Its duration minus the descriptor's in ms; nil while unknown.
    public internal(set) var deltaMs: Int64?

    /// Makes an entry.
    public init(index: Int, deltaMs: Int64?) {
        self.index = index
        self.deltaMs = deltaMs
    }
}

/// How a walk ended (section 9.6).
public enum WalkOutcome: Hashable, Sendable {
    /// This candidate matched: it becomes the choice.
    case matched(index: Int, deltaMs: Int64)
    /// None matched, and this one is closest: it is offered to the user.
    case mismatch(index: Int, deltaMs: Int64)
    /// None had a duration.
    case unavailable

    /// The `match` that the participant reports after the walk.
    public var match: Match {
        switch self {
        case .matched(_, let deltaMs): Match(state: .matched, deltaMs: deltaMs)
        case .mismatch(_, let deltaMs): Match(state: .searching, deltaMs: deltaMs)
        case .unavailable: Match(state: .unavailable)
        }
    }
}

/// What the walk wants next (section 9.5).
public enum WalkStep: Hashable, Sendable {
    /// Probe the candidate at this place of the resolver's answer, and cancel the probe after so many ms.
    case probe(index: Int, cancelAfterMs: Int64)
    /// Nothing more: the walk has ended.
    case finished(WalkOutcome)
}
