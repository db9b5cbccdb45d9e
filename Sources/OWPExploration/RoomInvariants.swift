// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPRelay
import OWPWire

/// What holds in every state of every room, in the protocol's own numbers rather than the room's.
enum RoomInvariants {
    /// The first invariant that a state breaks, in words; nil when it breaks none.
    static func broken(in model: RoomModel) -> String? {
        let (room, nowMs) = (model.room, model.nowMs)
        guard !room.members.isEmpty else { return room.nextTimerMs == nil ? nil : "a room that is gone has timers" }
        let snapshot = room.snapshot
        if snapshot.participants.filter(\.host).count != 1 { return "there is not exactly one host" }
        if snapshot.phase != .waiting, !snapshot.waitingOn.isEmpty { return "waitingOn outside waiting" }
        guard (0...RoomModel.durationMs).contains(snapshot.positionMs), snapshot.atMs >= 0 else {
            return "the position is out of bounds"
        }
        if let nextMs = room.nextTimerMs, nextMs <= nowMs {
            return "a timer has not fired: \(room.timerDuesMs.map { $0 - nowMs })"
        }
        if (snapshot.phase == .idle) != (room.media == nil) { return "idle is not the same as without media" }
        guard case .message = RelayMessage.read(RelayMessage.room(RoomMessage(room: snapshot)).text) else {
            return "the snapshot fails the client's own check"
        }
        if let host = room.members.first(where: { $0.number == room.hostNumber }), let droppedMs = host.droppedAtMs,
            nowMs >= max(droppedMs, room.hostSinceMs) + 30_000, room.members.contains(where: \.isConnected)
        {
            return "a host was away for 30 s, and nobody followed"
        }
        return room.phase == .waiting ? brokenWait(model) : nil
    }

    /// What holds while a room waits: the wait can end, and does when it may.
    private static func brokenWait(_ model: RoomModel) -> String? {
        let (room, nowMs) = (model.room, model.nowMs)
        let present = room.members.filter { $0.isConnected && $0.player != .idle }
        guard !present.isEmpty else {
            if room.members.contains(where: \.isConnected) { return "everyone is idle, and the room waits" }
            return room.nextTimerMs == nil ? "a deserted room waits for ever" : nil
        }
        let limitMs: Int64 = room.hasStarted ? 30_000 : 120_000
        let isPlayable = present.contains { $0.player == .ready && $0.unsettled == nil && !$0.isLate && !$0.isExcused }
        if isPlayable, nowMs >= room.waitingSinceMs + limitMs { return "the room waits beyond its limit" }
        if present.allSatisfy({ $0.player == .ready }) {
            // Everyone is ready and silent: that must be enough.
            var later = model
            later.pass(until: nowMs + 700 + 250)
            if later.room.phase == .waiting { return "everyone is ready, and the room will not play" }
        }
        // Whatever happened before, once all of them report ready the room plays.
        var later = model
        later.pass(until: nowMs + 1000)
        for place in later.room.members.indices where later.room.phase == .waiting {
            let member = later.room.members[place]
            if member.isConnected, member.player != .idle { _ = later.happen(.status(place, .ready)) }
        }
        return later.room.phase == .waiting ? "everyone reports ready, and the room will not play" : nil
    }

    /// The first invariant that a step breaks, in words; nil when it breaks none.
    static func broken(from before: RoomModel, to after: RoomModel, effects: [RoomEffect]) -> String? {
        guard !after.room.members.isEmpty else { return nil }
        var (old, new) = (before.room.snapshot, after.room.snapshot)
        if new.rev < old.rev { return "rev fell" }
        let grew = new.rev > old.rev
        (old.rev, new.rev) = (0, 0)
        if old != new, !grew { return "the snapshot changed, and rev did not grow" }
        let wasGathering = before.room.gatheredUntilMs != nil
        var lastRev = wasGathering ? before.room.rev - 1 : before.room.rev
        for case .send(.room(let message), let receivers) in effects {
            if message.room.rev <= lastRev { return "a broadcast's rev is not larger than the one before" }
            lastRev = message.room.rev
            if Set(receivers.map(\.value)).count != receivers.count { return "somebody is told twice" }
            if let action = message.action, action.kind == "stall" {
                let staller = before.room.members.first { $0.peerId == action.by }
                // Also of those who still count after it: who has just become idle watches no more.
                let isAlone = !before.room.hasSomebodyInTime || !after.room.hasSomebodyInTime
                if staller?.isLate == true, !isAlone { return "somebody late stopped those who play" }
            }
        }
        if grew, after.room.gatheredUntilMs == nil, lastRev < after.room.rev,
            after.room.members.contains(where: \.isConnected), !isToldByJoined(effects)
        {
            return "a change is never told"
        }
        return nil
    }

    /// Whether the only one there learnt of the change by its own `joined`.
    private static func isToldByJoined(_ effects: [RoomEffect]) -> Bool {
        effects.contains { if case .send(.joined, _) = $0 { true } else { false } }
    }
}

extension RelayRoom {
    /// Whether somebody plays who is neither late nor excused.
    fileprivate var hasSomebodyInTime: Bool {
        members.contains { $0.isConnected && $0.player != .idle && !$0.isExcused && !$0.isLate }
    }
}

extension RoomModel {
    /// Lets time pass, with each timer at its time.
    mutating func pass(until targetMs: Int64) {
        while let next = room.nextTimerMs, next <= targetMs {
            nowMs = max(nowMs, next)
            _ = room.timersDue(at: nowMs)
        }
        nowMs = max(nowMs, targetMs)
    }
}
