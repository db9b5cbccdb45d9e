// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPWire

// Who waits for whom, and when playback starts and stops by itself.

extension RelayRoom {
    /// The places of those who count: connected, with a player, neither excused nor late.
    ///
    /// When all of them are late, they count: there is nobody else to play for.
    var counting: [Int] {
        let asked = members.indices.filter {
            members[$0].isConnected && members[$0].player != .idle && !members[$0].isExcused
        }
        let inTime = asked.filter { !members[$0].isLate }
        return inTime.isEmpty ? asked : inTime
    }

    /// The places of those who count and cannot start yet.
    var holders: [Int] {
        counting.filter {
            members[$0].player == .loading || members[$0].player == .buffering || members[$0].unsettled != nil
        }
    }

    /// The peer IDs that a snapshot lists as waited for.
    var holdersToShow: [String] {
        guard phase == .waiting else { return [] }
        if !counting.isEmpty { return holders.map { members[$0].peerId } }
        let busy = members.filter { $0.isConnected && ($0.player == .loading || $0.player == .buffering) }
        return busy.map(\.peerId)
    }

    /// Moves the room to a phase and a position; ``atMs`` tells of the move.
    mutating func move(to phase: Phase, positionMs: Int64, at nowMs: Int64) {
        change.isUrgent = true
        guard phase != self.phase || positionMs != self.positionMs else { return }
        self.phase = phase
        self.positionMs = positionMs
        atMs = nowMs
    }

    /// Makes the room wait from now on.
    mutating func wait(positionMs: Int64, at nowMs: Int64) {
        move(to: .waiting, positionMs: positionMs, at: nowMs)
        waitingSinceMs = nowMs
    }

    /// When a waiting room excuses who still holds it.
    var waitLimitEndMs: Int64 {
        waitingSinceMs + (hasStarted ? times.waitLimitMs : times.firstWaitLimitMs)
    }

    /// When a participant that has nothing to report counts as settled; nil when that never comes by itself.
    func settledAtMs(_ place: Int) -> Int64? {
        guard let unsettled = members[place].unsettled, members[place].player == .ready else { return nil }
        return unsettled.sinceMs + times.settleMs + members[place].settlingRttMs
    }

    /// Decides what follows from an event: who is settled, who is the host, and whether a waiting room goes on.
    mutating func settle(at nowMs: Int64) {
        for place in members.indices {
            if let settledMs = settledAtMs(place), nowMs >= settledMs { members[place].unsettled = nil }
        }
        replaceAbsentHost(at: nowMs)
        guard phase == .waiting, members.contains(where: \.isConnected) else { return }
        guard members.contains(where: { $0.isConnected && $0.player != .idle }) else {
            move(to: .paused, positionMs: positionMs, at: nowMs)
            return
        }
        if nowMs >= waitLimitEndMs {
            // Excusing those in time makes the late count, so look again; each turn excuses somebody.
            while case let late = holders, !late.isEmpty {
                for place in late { members[place].isExcused = true }
            }
        }
        if !counting.isEmpty, holders.isEmpty { start(at: nowMs) }
    }

    private mutating func start(at nowMs: Int64) {
        let leadMs = self.leadMs
        move(to: .playing, positionMs: positionMs, at: nowMs)
        atMs = nowMs + leadMs
        startedAtMs = atMs
        hasStarted = true
        for place in members.indices {
            members[place].unsettled = nil
            if members[place].hasStalled {
                members[place].hasStalled = false
                members[place].isLate = true
            }
        }
    }

    /// How far ahead a start is announced, so that it reaches everyone who counts before it comes.
    private var leadMs: Int64 {
        let connected = members.indices.filter { members[$0].isConnected }
        if connected.count == 1 { return (members[connected[0]].rttMs ?? 0) / 2 }
        let largest = counting.map { members[$0].rttMs ?? 250 }.max() ?? 250
        return min(2000, max(300, 150 + largest * 3 / 2))
    }

    /// Unsettles everyone: the position moved.
    mutating func unsettle(by sender: Int, at nowMs: Int64) {
        for place in members.indices {
            members[place].unsettled = RelayMember.Unsettled(sinceMs: nowMs, byItself: place == sender)
        }
    }

    /// When the position reaches the end of the media, never before the start; nil unless `playing`.
    var endsAtMs: Int64? {
        guard phase == .playing, let durationMs = media?.durationMs else { return nil }
        let left = Double(max(0, durationMs - positionMs))
        var endMs = atMs + Int64((left / rate).rounded(.up))
        // The quotient may round down where the product of `Timeline` falls short.
        while position(at: endMs) < durationMs { endMs += 1 }
        return endMs
    }

    /// When a participant's buffering becomes a stall that stops the room; nil unless it may.
    func stallsAtMs(_ place: Int) -> Int64? {
        guard phase == .playing, let sinceMs = members[place].bufferingSinceMs else { return nil }
        return max(sinceMs, atMs) + times.stallMs
    }

    /// When a late participant counts again; nil unless it is on its way to that.
    func countsAgainAtMs(_ place: Int) -> Int64? {
        guard phase == .playing, members[place].isLate, let sinceMs = members[place].readySinceMs else { return nil }
        return max(sinceMs, startedAtMs) + times.lateMs
    }
}
