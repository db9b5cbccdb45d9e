// OpenWatchParty for Swift. See LICENSE.

/// What a step reads (section 11.1).
public struct StepInput: Hashable, Sendable {
    /// The room's timeline with the media's duration.
    public var timeline: Timeline
    /// Relay time now, in ms.
    public var relayMs: Int64
    /// The local offset in ms (section 13).
    public var offsetMs: Int64
    /// The player.
    public var player: PlayerReading
    /// The rate that the party last gave the player.
    public var appliedRate: Double
    /// Whether the party is nudging.
    public var nudging: Bool
    /// How long ago the party issued a seek on this player, in ms; nil when it never has.
    public var sinceSeekMs: Int64?

    /// Gathers the input.
    public init(
        timeline: Timeline,
        relayMs: Int64,
        offsetMs: Int64,
        player: PlayerReading,
        appliedRate: Double,
        nudging: Bool,
        sinceSeekMs: Int64?
    ) {
        self.timeline = timeline
        self.relayMs = relayMs
        self.offsetMs = offsetMs
        self.player = player
        self.appliedRate = appliedRate
        self.nudging = nudging
        self.sinceSeekMs = sinceSeekMs
    }
}

/// A command to the player.
public enum PlayerAction: Hashable, Sendable {
    /// Pause.
    case pause
    /// Take this rate, which is rounded to 6 decimals and becomes the applied rate.
    case setRate(Double)
    /// Seek to this position in ms.
    case seek(Int64)
    /// Play.
    case play
}

/// What a step decided (section 11.2).
public struct StepResult: Hashable, Sendable {
    /// Whether to pause the player.
    public var pauses = false
    /// The rate to give the player, rounded to 6 decimals; nil to leave it.
    public var rate: Double?
    /// The position in ms to seek to; nil to stay.
    public var seekMs: Int64?
    /// Whether to start the player.
    public var plays = false
    /// Whether the party is nudging from now on.
    public var nudging: Bool
    /// After how many ms the play timer runs another step, before any clamp to a native timer; nil for no timer.
    public var playInMs: Int64?

    /// Makes a result without a command.
    init(nudging: Bool) { self.nudging = nudging }

    /// The commands in their order: pause, rate, seek, play.
    public var actions: [PlayerAction] {
        var actions: [PlayerAction] = []
        if pauses { actions.append(.pause) }
        if let rate { actions.append(.setRate(rate)) }
        if let seekMs { actions.append(.seek(seekMs)) }
        if plays { actions.append(.play) }
        return actions
    }
}

/// Compares a bound player with the room, and says what brings it back in step (section 11.2).
///
/// Any input gives a result: values that no room or player has never trap.
public func reconcile(_ input: StepInput) -> StepResult {
    let player = input.player
    let roomRate = input.timeline.rate
    let cooled = input.sinceSeekMs.map { $0 >= Constants.seekCooldownMs } ?? true
    var result = StepResult(nudging: false)
    if input.timeline.phase == .idle { return result }

    let hold = LocalHold(input.timeline, atRelayMs: input.relayMs, offsetMs: input.offsetMs, player: player)
    if let hold {
        result.pauses = !player.paused
        result.rate = rateChange(to: roomRate, input)
        if cooled && player.isFarther(than: Constants.heldSeekThresholdMs, from: hold.positionMs) {
            result.seekMs = hold.positionMs
        }
        result.playInMs = hold.playInMs
        return result
    }

    let roomMs = input.timeline.positionMs(atRelayMs: input.relayMs)
    let target = max(0, roomMs.saturatingAdd(input.offsetMs))
    if let endMs = player.endMs, target >= endMs, player.positionMs >= endMs {
        result.rate = rateChange(to: roomRate, input)
        return result
    }
    result.nudging = input.nudging && player.canSetRate
    if player.buffering { return result }

    let drift = player.positionMs.saturatingSubtract(target)
    let threshold = player.canSetRate ? Constants.seekThresholdMs : Constants.seekThresholdNoRateMs
    if player.isFarther(than: threshold, from: target) {
        result.nudging = false
        if cooled { result.seekMs = player.clamp(target.saturatingAdd(Constants.seekLeadMs)) }
    } else if player.canSetRate {
        let limit = result.nudging ? Constants.nudgeEndMs : Constants.deadbandMs + 1
        result.nudging = drift.magnitude >= UInt64(limit)
    }
    let nudged = roomRate * (drift > 0 ? Constants.nudgeAhead : Constants.nudgeBehind)
    result.rate = rateChange(to: result.nudging ? nudged : roomRate, input)
    result.plays = player.paused
    return result
}

/// The rate to set, when the player can and has another one.
private func rateChange(to rate: Double, _ input: StepInput) -> Double? {
    let difference = input.appliedRate - rate
    guard input.player.canSetRate, difference.magnitude > Constants.rateTolerance else { return nil }
    let millionths = (rate * 1_000_000).rounded()
    return millionths / 1_000_000
}
