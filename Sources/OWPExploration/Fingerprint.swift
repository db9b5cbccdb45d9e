// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPRelay

/// What tells one state of a room from another, in 128 bits.
///
/// Times are taken relative to now, and no further back than they matter; `rev`, the epoch, numbers and tokens are left
/// out. Two rooms with one fingerprint behave alike from here on.
package struct Fingerprint: Hashable, Sendable {
    private var high: UInt64 = 0x9E37_79B9_7F4A_7C15
    private var low: UInt64 = 0xC2B2_AE3D_27D4_EB4F

    /// The fingerprint of a room at a time.
    package init(_ model: RoomModel) {
        let (room, nowMs) = (model.room, model.nowMs)
        func age(_ sinceMs: Int64?, atMost limitMs: Int64) -> Int64 {
            sinceMs.map { min(limitMs, nowMs - $0) } ?? -1
        }
        mix(Int64(room.phase.hashValueOfCase))
        mix(room.position(at: nowMs))
        mix(room.phase == .playing ? max(0, room.atMs - nowMs) : 0)
        // Buffering is counted from atMs, which a rate moves.
        mix(room.phase == .playing ? age(room.atMs, atMost: room.times.stallMs) : 0)
        mix(room.phase == .playing ? age(room.startedAtMs, atMost: room.times.lateMs) : 0)
        mix(Int64(room.rate * 100))
        mix(room.media == nil ? 0 : 1)
        mix(room.hasStarted ? 1 : 0)
        mix(room.isLocked ? 1 : 0)
        mix(room.phase == .waiting ? age(room.waitingSinceMs, atMost: room.times.firstWaitLimitMs) : 0)
        mix(age(room.desertedSinceMs, atMost: room.times.resumeWindowMs))
        mix(room.gatheredUntilMs.map { $0 - nowMs } ?? -1)
        mix(Int64(room.members.count))
        for member in room.members {
            mix(member.number == room.hostNumber ? age(room.hostSinceMs, atMost: room.times.hostGraceMs) : -1)
            mix(member.isConnected ? 1 : 0)
            mix(age(member.droppedAtMs, atMost: room.times.resumeWindowMs))
            mix(Int64(PlayerState.allCases.firstIndex(of: member.player) ?? 0))
            mix(member.rttMs ?? -1)
            // Which round trip it will report.
            mix(member.number & 1)
            let flags = [member.isExcused, member.isLate, member.hasStalled, member.wasReady]
            mix(flags.reduce(0) { $0 << 1 | ($1 ? 1 : 0) })
            mix(age(member.readySinceMs, atMost: room.times.lateMs))
            mix(age(member.bufferingSinceMs, atMost: room.times.stallMs))
            mix(age(member.unsettled?.sinceMs, atMost: room.times.settleMs + 1000))
            mix(member.unsettled?.byItself == true ? 1 : 0)
        }
    }

    private mutating func mix(_ value: Int64) {
        let bits = UInt64(bitPattern: value)
        high = (high ^ bits) &* 0xFF51_AFD7_ED55_8CCD
        high ^= high >> 32
        low = (low &+ bits) &* 0xC4CE_B9FE_1A85_EC53
        low ^= low >> 29
    }
}

extension Phase {
    fileprivate var hashValueOfCase: Int { Phase.allCases.firstIndex(of: self) ?? 0 }
}
