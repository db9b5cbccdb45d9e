// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPWire

// What a participant's status means to the room.

extension RelayRoom {
    /// Takes a status; one of another epoch is ignored.
    mutating func take(_ status: StatusMessage, from place: Int, at nowMs: Int64) {
        guard status.epoch == epoch else { return }
        var member = members[place]
        let before = member
        if let rttMs = status.rttMs { member.rttMs = min(1000, rttMs) }
        member.player = status.player
        member.match = status.match
        member.offsetMs = status.offsetMs

        let runs = isRunning(at: nowMs)
        if phase == .playing, before.player == .idle, status.player != .idle { member.isLate = true }
        if runs, status.player == .loading { member.isLate = true }
        if status.player == .ready { takeReady(&member, at: nowMs) }
        member.readySinceMs = status.player == .ready ? before.readySinceMs ?? nowMs : nil
        member.bufferingSinceMs = status.player == .buffering ? before.bufferingSinceMs ?? nowMs : nil

        members[place] = member
        if before.player != member.player || before.match != member.match || before.offsetMs != member.offsetMs {
            change.isShown = true
        }
    }

    /// What `ready` ends: an excuse, lateness outside `playing`, and being unsettled.
    private func takeReady(_ member: inout RelayMember, at nowMs: Int64) {
        member.wasReady = true
        if member.isExcused {
            member.isExcused = false
            if phase == .playing { member.isLate = true }
        }
        if phase != .playing { member.isLate = false }
        if let unsettled = member.unsettled {
            let knows = nowMs - unsettled.sinceMs >= member.settlingRttMs
            if unsettled.byItself || knows { member.unsettled = nil }
        }
    }
}
