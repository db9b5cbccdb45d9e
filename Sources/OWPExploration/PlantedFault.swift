// OpenWatchParty for Swift. See LICENSE.

package import OWPRelay

/// A rule taken out of the room, which an exploration must miss.
package enum PlantedFault: String, CaseIterable, Sendable {
    /// A room waits for ever.
    case noWaitLimit = "no wait limit"
    /// A host that is away stays host.
    case hostNotReplaced = "host not replaced"
    /// Who has nothing to report after a seek never counts as settled.
    case settlingForgotten = "settling forgotten"

    /// The times of a room without the rule.
    package var times: RoomTimes {
        var times = RoomTimes()
        let never: Int64 = 1 << 45
        switch self {
        case .noWaitLimit: (times.waitLimitMs, times.firstWaitLimitMs) = (never, never)
        case .hostNotReplaced: times.hostGraceMs = never
        case .settlingForgotten: times.settleMs = never
        }
        return times
    }
}
