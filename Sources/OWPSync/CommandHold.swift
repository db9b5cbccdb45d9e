// OpenWatchParty for Swift. See LICENSE.

/// A local command that holds steps back until the room has answered it (section 12).
public enum HeldCommand: String, Hashable, Sendable, CaseIterable {
    /// `pause`
    case pause
    /// `seek`
    case seek
    /// `rate`, the message that a change of rate sends.
    case rate
}

/// The rest of the steps after a local command, so that snapshots in flight do not pull the player back (section 12).
///
/// Each event returns true when it ended the hold; the party then steps.
public struct CommandHold: Hashable, Sendable {
    /// The command that holds; nil while none does.
    public private(set) var command: HeldCommand?
    /// The local time in ms at which the hold ends by itself; nil while there is none.
    public private(set) var endsAtMs: Int64?

    /// Makes a hold that holds nothing.
    public init() {}

    /// Whether steps rest.
    public var isHolding: Bool { command != nil }

    /// Holds for a command sent at a local time in ms; it replaces the hold of an earlier one.
    public mutating func sent(_ command: HeldCommand, atLocalMs localMs: Int64) {
        self.command = command
        endsAtMs = localMs.saturatingAdd(Constants.commandHoldMs)
    }

    /// Takes an accepted `room`, which ends the hold when it carries an action.
    public mutating func roomAccepted(hasAction: Bool) -> Bool {
        hasAction && end()
    }

    /// Takes an `error`, which ends the hold when it refuses the holding command's type.
    public mutating func errorReceived(re: String?) -> Bool {
        guard let command, let re, sameScalars(command.rawValue, re) else { return false }
        return end()
    }

    /// Takes the passing of local time, in ms; the hold ends at ``endsAtMs``.
    public mutating func timePassed(atLocalMs localMs: Int64) -> Bool {
        guard let endsAtMs, localMs >= endsAtMs else { return false }
        return end()
    }

    /// Drops the hold, when the party ends; returns whether there was one.
    @discardableResult
    public mutating func end() -> Bool {
        let wasHolding = isHolding
        command = nil
        endsAtMs = nil
        return wasHolding
    }
}
