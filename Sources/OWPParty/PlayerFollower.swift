// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPSync

/// The attached player and the lanes of all players: binding, steps, release (sections 10.2 and 11).
struct PlayerFollower: Sendable {
    /// A player with the file that it has open.
    struct Attached: Hashable, Sendable {
        let adapter: AdapterKey
        let ref: RefKey
    }

    /// The attached player.
    private(set) var attached: Attached?
    /// Whether it has the chosen file, so that it may be commanded.
    private(set) var isBound = false
    /// Whether it refused to start.
    private(set) var isBlocked = false
    /// Whether a step ran since it was bound; before, nobody knows whether following needs a seek.
    private var hasStepped = false
    private var isNudging = false
    private var appliedRate = 1.0
    /// Whether a step waits for the lane to be empty.
    private var owesStep = false
    private var runsPlayTimer = false
    private var lanes: [AdapterKey: CommandLane] = [:]
    private var lastSeekAtMs: [AdapterKey: Int64] = [:]

    /// Whether a released player has a command queued or running.
    var hasReleasedWork: Bool { lanes.values.contains(where: \.hasReleasedWork) }

    /// Whether a seek is queued or running on the attached player.
    var hasSeekInFlight: Bool { lane?.hasSeek ?? false }

    /// Whether the attached player is this one, and has a command queued or running.
    func isCommanding(_ adapter: AdapterKey) -> Bool {
        attached?.adapter == adapter && !(lane?.isEmpty ?? true)
    }

    private var lane: CommandLane? { attached.flatMap { lanes[$0.adapter] } }

    // MARK: Attaching and binding

    /// Attaches a player with the file it has open; another one is released first.
    mutating func attach(_ adapter: AdapterKey, _ ref: RefKey, roomRate: Double?, _ turn: inout Turn) {
        if let attached, attached.adapter != adapter { release(roomRate: roomRate, &turn) }
        lastSeekAtMs = lastSeekAtMs.filter { turn.nowMs.saturatingSubtract($0.value) < Constants.seekCooldownMs }
        attached = Attached(adapter: adapter, ref: ref)
        turn.wantsStep = true
    }

    /// Lets the attached player go; one that is nudged is left with the room's rate (section 11.2).
    mutating func release(roomRate: Double?, _ turn: inout Turn) {
        guard let adapter = attached?.adapter else { return }
        unbind(&turn)
        attached = nil
        owesStep = false
        var lane = lanes[adapter] ?? CommandLane()
        let rate = isNudging ? roomRate : nil
        isNudging = false
        if let action = lane.release(restoring: rate) { turn.add(.command(adapter, action)) }
        lanes[adapter] = lane
        letGoWhenDone(adapter, &turn)
    }

    /// Lets a player go that comes to a closed party, which will never command it.
    mutating func turnAway(_ adapter: AdapterKey, _ turn: inout Turn) { letGoWhenDone(adapter, &turn) }

    /// Binds or unbinds as the condition says, which changes nothing when it is so already.
    mutating func setBound(_ shouldBind: Bool, roomRate: Double?, _ turn: inout Turn) {
        if !shouldBind { return unbind(&turn) }
        guard !isBound, let roomRate else { return }
        isBound = true
        hasStepped = false
        isNudging = false
        appliedRate = roomRate
        if turn.reading?.canSetRate ?? false { queue(.setRate(roomRate), &turn) }
        turn.wantsStep = true
    }

    /// Unbinds; queued commands stay.
    mutating func unbind(_ turn: inout Turn) {
        isBound = false
        isBlocked = false
        stopPlayTimer(&turn)
    }

    // MARK: Commands

    /// Queues a command on the attached player's lane.
    mutating func queue(_ action: PlayerAction, _ turn: inout Turn) {
        guard let adapter = attached?.adapter else { return }
        switch action {
        case .setRate(let rate): appliedRate = rate
        case .seek: lastSeekAtMs[adapter] = turn.nowMs
        case .pause, .play: break
        }
        if let start = lanes[adapter, default: CommandLane()].add(action) { turn.add(.command(adapter, start)) }
    }

    /// Takes the end of a lane's running command, with what it threw.
    ///
    /// A failing command is ignored, since the next step corrects; but a player that refuses to start in a playing
    /// room is blocked (section 10.2).
    mutating func commandEnded(_ adapter: AdapterKey, _ failure: FailureKey?, isPlaying: Bool, _ turn: inout Turn) {
        guard let (ended, next) = lanes[adapter]?.ended() else { return }
        if let next { turn.add(.command(adapter, next)) }
        guard attached?.adapter == adapter else { return letGoWhenDone(adapter, &turn) }
        if let failure, ended == CommandLane.Command(action: .play), isBound, isPlaying, turn.reading?.paused ?? false {
            if !isBlocked { turn.announce(.emit(.playBlocked(failure))) }
            isBlocked = true
        }
        if next == nil, owesStep {
            owesStep = false
            turn.wantsStep = true
        }
    }

    private mutating func letGoWhenDone(_ adapter: AdapterKey, _ turn: inout Turn) {
        guard lanes[adapter]?.isEmpty ?? true else { return }
        lanes[adapter] = nil
        turn.add(.letGo(adapter))
    }

    // MARK: Steps

    /// Steps, or remembers to once the lane is empty (section 11.1).
    mutating func step(_ timeline: Timeline, relayMs: Int64, offsetMs: Int64, _ turn: inout Turn) {
        guard isBound, let adapter = attached?.adapter, let reading = turn.reading else { return }
        guard lane?.isEmpty ?? true else {
            owesStep = true
            return
        }
        let result = reconcile(
            StepInput(
                timeline: timeline,
                relayMs: relayMs,
                offsetMs: offsetMs,
                player: reading,
                appliedRate: appliedRate,
                nudging: isNudging,
                sinceSeekMs: lastSeekAtMs[adapter].map { turn.nowMs.saturatingSubtract($0) }
            )
        )
        hasStepped = true
        isNudging = result.nudging
        for action in result.actions { queue(action, &turn) }
        if let playInMs = result.playInMs {
            runsPlayTimer = true
            turn.add(.startTimer(.play, afterMs: playInMs))
        } else {
            stopPlayTimer(&turn)
        }
    }

    /// Takes the play timer, which steps.
    mutating func playTimerFired(_ turn: inout Turn) {
        runsPlayTimer = false
        turn.wantsStep = true
    }

    private mutating func stopPlayTimer(_ turn: inout Turn) {
        guard runsPlayTimer else { return }
        runsPlayTimer = false
        turn.add(.cancelTimer(.play))
    }

    // MARK: The reported state

    /// Looks at the player for its reported state.
    ///
    /// Sees nothing while a player just bound to a playing room has not been compared with it: `ready` promises that
    /// following needs no seek.
    mutating func look(isPlaying: Bool, _ turn: Turn) -> PlayerReading? {
        guard attached != nil, let reading = turn.reading else { return nil }
        if !reading.paused || !isPlaying { isBlocked = false }
        return isPlaying && !hasStepped ? nil : reading
    }
}
