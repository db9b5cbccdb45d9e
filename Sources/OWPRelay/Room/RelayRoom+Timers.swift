// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPWire

// What happens by the passing of time alone. Timers are a function of the state: there is none to start or to stop.

extension RelayRoom {
    /// What a room waits for.
    enum Timer: Hashable, Sendable {
        case expiry
        case desertedTooLong
        case removal(peerId: String)
        case hostGrace
        case countsAgain(peerId: String)
        case end
        case stall(peerId: String)
        case deserted
        case settling
        case waitLimit
        case gathering
    }

    /// Every timer that runs, in the order in which timers due at one time fire.
    var timers: [(timer: Timer, dueMs: Int64)] {
        guard !members.isEmpty else { return [] }
        var timers: [(timer: Timer, dueMs: Int64)] = [(.expiry, createdAtMs + times.greatestAgeMs)]
        if let sinceMs = desertedSinceMs {
            timers.append((.desertedTooLong, sinceMs + times.resumeWindowMs))
            if phase == .playing || phase == .waiting { timers.append((.deserted, sinceMs + times.desertedMs)) }
        } else if let endMs = hostGraceEndMs {
            timers.append((.hostGrace, endMs))
        }
        // By place: this is asked with every message, and a member is large to copy.
        for place in members.indices {
            if let sinceMs = members[place].droppedAtMs {
                timers.append((.removal(peerId: members[place].peerId), sinceMs + times.resumeWindowMs))
            }
            if let dueMs = countsAgainAtMs(place) {
                timers.append((.countsAgain(peerId: members[place].peerId), dueMs))
            }
        }
        if phase == .playing {
            if let endMs = endsAtMs { timers.append((.end, endMs)) }
            for place in counting {
                if let dueMs = stallsAtMs(place) { timers.append((.stall(peerId: members[place].peerId), dueMs)) }
            }
        }
        if phase == .waiting {
            let held = holders
            if !held.isEmpty { timers.append((.waitLimit, waitLimitEndMs)) }
            if let dueMs = held.compactMap({ settledAtMs($0) }).min() { timers.append((.settling, dueMs)) }
        }
        if let dueMs = gatheredUntilMs { timers.append((.gathering, dueMs)) }
        return timers
    }

    /// When the room next wants ``timersDue(at:)``; nil once it is gone.
    package var nextTimerMs: Int64? { timers.map(\.dueMs).min() }

    /// When each of the timers that run is due.
    package var timerDuesMs: [Int64] { timers.map(\.dueMs) }

    /// Fires every timer that is due, the earliest first.
    package mutating func timersDue(at nowMs: Int64) -> [RoomEffect] {
        var effects: [RoomEffect] = []
        while let next = timers.min(by: { $0.dueMs < $1.dueMs }), next.dueMs <= nowMs {
            effects += fire(next.timer, at: nowMs)
        }
        return effects
    }

    private mutating func fire(_ timer: Timer, at nowMs: Int64) -> [RoomEffect] {
        switch timer {
        case .expiry:
            return close(reason: "expired")
        case .desertedTooLong:
            return close(reason: nil)
        case .removal(let peerId):
            let end = place(of: peerId).map { remove($0, at: nowMs) } ?? []
            return end + finish(at: nowMs)
        case .hostGrace, .settling, .waitLimit:
            settle(at: nowMs)
        case .countsAgain(let peerId):
            if let place = place(of: peerId) { members[place].isLate = false }
        case .stall(let peerId):
            if let place = place(of: peerId) { members[place].hasStalled = true }
            wait(positionMs: position(at: nowMs), at: nowMs)
            change.action = RoomAction(kind: "stall", by: peerId)
        case .end:
            move(to: .paused, positionMs: position(at: nowMs), at: nowMs)
            change.action = RoomAction(kind: "ended", by: nil)
        case .deserted:
            move(to: .paused, positionMs: position(at: nowMs), at: nowMs)
        case .gathering:
            return broadcast()
        }
        return finish(at: nowMs)
    }

    /// The place of a participant.
    func place(of peerId: String) -> Int? {
        members.firstIndex { sameScalars($0.peerId, peerId) }
    }
}
