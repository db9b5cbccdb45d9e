// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPSync

/// The player: attaching, binding, steps and the reported state (sections 10 and 11).
extension PartyMachine {
    mutating func takePlayer(_ input: PartyInput) {
        switch input {
        case .attachPlayer(let adapter, let ref):
            guard !isClosed else { return follower.turnAway(adapter, &turn) }
            isAway = false
            follower.attach(adapter, ref, roomRate: room.room?.rate, &turn)
        case .detachPlayer(let call, let adapter):
            completions.append(call)
            guard adapter == nil || adapter == follower.attached?.adapter else { return }
            isAway = true
            follower.release(roomRate: room.room?.rate, &turn)
        case .playerChanged:
            turn.wantsStep = true
        case .commandEnded(let adapter, let failure):
            follower.commandEnded(adapter, failure, isPlaying: isPlaying, &turn)
            // Between two commands a player is on its way; what it has come to shows once its lane is empty.
            turn.isQuiet = follower.isCommanding(adapter)
        default:
            break
        }
    }

    mutating func ticked() {
        guard member != nil else { return }
        // Counted from the first, so that ticks do not wander; a clock that slept goes on from now.
        nextTickAtMs = max(nextTickAtMs.saturatingAdd(Constants.tickMs), turn.nowMs.saturatingAdd(1))
        turn.add(.startTimer(.tick, afterMs: nextTickAtMs.saturatingSubtract(turn.nowMs)))
        turn.wantsStep = true
    }

    private var isPlaying: Bool { room.room?.phase == .playing }

    /// Re-evaluates whether the attached player is bound.
    mutating func updateBinding() {
        let isFound = search.match?.state == .matched || search.match?.state == .mismatched
        let hasFile = follower.attached.map { $0.ref == search.choice?.ref } ?? false
        follower.setBound(isFound && hasFile && pendingMedia == nil, roomRate: room.room?.rate, &turn)
    }

    /// Runs the step that was asked for, unless a command hold rests it.
    mutating func stepIfWanted() {
        guard turn.wantsStep else { return }
        turn.wantsStep = false
        guard !hold.isHolding, room.media != nil, let timeline = room.timeline,
            let relayMs = relayMs(atLocalMs: turn.nowMs)
        else { return }
        follower.step(timeline, relayMs: relayMs, offsetMs: offsetMs, &turn)
    }

    /// Judges the player, and sends a `status` when one is due.
    mutating func report() {
        let reading = follower.look(isPlaying: isPlaying, turn)
        player = playerStatus(
            PlayerFacts(
                hasMedia: room.media != nil,
                match: search.match?.state,
                away: isAway,
                bound: follower.isBound,
                seekInFlight: follower.hasSeekInFlight,
                blocked: follower.isBlocked,
                timeline: room.timeline,
                relayMs: relayMs(atLocalMs: turn.nowMs),
                offsetMs: offsetMs,
                player: reading
            )
        )
        guard let member, resume == nil, let epoch = room.room?.epoch else { return }
        let values = StatusValues(epoch: epoch, player: player, match: search.match, offsetMs: offsetMs)
        status.offer(values, on: member.connection, &turn)
    }

    /// Starts the hold of a local command, or starts it anew.
    mutating func startHold(_ command: HeldCommand) {
        hold.sent(command, atLocalMs: turn.nowMs)
        turn.add(.startTimer(.hold, afterMs: Constants.commandHoldMs))
    }

    /// Drops the hold at the party's end.
    mutating func endHold() {
        if hold.end() { turn.add(.cancelTimer(.hold)) }
    }
}
