// OpenWatchParty for Swift. See LICENSE.

import OWPCore
package import OWPRelay

/// What is simulated.
///
/// Equal plans have equal results, on one core and on many.
package struct SimulationPlan: Hashable, Sendable {
    /// How many parties, from which number on.
    package var parties = 100
    /// The number of the first one, from 0: each number is a party of its own.
    package var firstParty = 0
    /// For how many minutes each of them.
    package var minutes = 10
    /// How many people there are in each.
    package var people = 4
    /// The network between each of them and the relay.
    package var network = NetworkProfile.all[1]
    /// How wrong clocks run at most, in parts per million: the people's, and those of their players' pictures.
    package var skewPpm: Int64 = 50
    /// The mean time of a seek, in ms; each takes between 0.8 and 1.2 times that.
    package var seekCostMs: Int64 = 120
    /// Whether players declare how long their seeks take, as our adapters do (section 11.2).
    package var declaresSeekCost = true
    /// Whether players can change their speed.
    package var canSetRate = true
    /// How often each player's input runs dry in an hour of playing.
    package var stallsPerHour = 3.0
    /// How often in an hour somebody of a party presses something.
    package var actsPerHour = 40.0
    /// The share of people whose input stays dry for up to a minute, and half the share of openings that take up to two
    /// and a half.
    package var misfortune = 0.02
    /// What everything is drawn from.
    package var seed: UInt64 = 1
    /// How long the relay waits for what; with other times than the protocol's, rooms stand still.
    package var roomTimes = RoomTimes()

    /// The default plan.
    package init() {}

    /// The length of each title, in ms.
    static let titleMs: Int64 = 3 * 3_600_000
    /// The end of each party, in µs.
    var endUs: Int64 { Int64(minutes) * 60_000_000 }
}
