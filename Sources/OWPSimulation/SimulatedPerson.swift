// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPParty
import OWPPlayerMPV
import OWPSync

/// One participant: the app, the party machine, the player, the clock and the network.
struct SimulatedPerson {
    /// A player with the title it has open.
    struct Player {
        let adapter: AdapterKey
        let title: Int
        var model: SimulatedPlayerModel
        /// Whether it has no picture yet, so that the app has not attached it.
        var isOpening = true
        /// Counts the plans for its next change; only the last one holds.
        var plan = 0
        /// Whether a `play` of it is under way.
        var isStarting = false
    }

    var machine: PartyMachine
    let clock: SkewedClock
    var network: NetworkPath
    /// What kind of player this person has; the length is each title's own.
    let traits: SimulatedPlayerTraits
    /// The players that the machine may still command; the last one is the app's.
    var players: [Player] = []
    var lastAdapter = 0
    var lastCall = 0
    /// The number of each running timer's start.
    var timers: [PartyTimer: Int] = [:]
    var lastTimer = 0
    /// Where each of the machine's connections is among the party's wires.
    var wires: [ConnectionKey: Int] = [:]
    /// The resolver's call under way.
    var search: WorkKey?
    /// Whether the person wants to be in the room.
    var wantsIn = false
    /// When the person last pressed something, in µs, and where to, when that was a seek: it is no correction.
    var pressedUs: Int64 = 0
    var ownSeekMs: Int64?
    /// How often the player was sought in a running room.
    var seeks = 0
    /// What it takes to be settled was last missing at this time, in µs.
    var unsettledUs: Int64 = 0
    /// Since when its player has stood still in a running room without a reason, in µs.
    var standsSinceUs: Int64?

    /// What the player of an adapter says of itself.
    mutating func reading(of adapter: AdapterKey, atLocalMs localMs: Int64, declaresSeekCost: Bool) -> PlayerReading? {
        guard let place = players.firstIndex(where: { $0.adapter == adapter }) else { return nil }
        let state = players[place].model.state(atMs: localMs)
        let traits = players[place].model.traits
        return PlayerReading(
            positionMs: state.positionMs,
            paused: state.paused,
            buffering: state.buffering,
            firstFrameShown: state.firstFrameShown,
            durationMs: state.firstFrameShown ? traits.durationMs : nil,
            seekAccuracyMs: declaresSeekCost ? state.seekAccuracyMs : traits.keyframeMs,
            canSetRate: traits.canSetRate
        )
    }
}
