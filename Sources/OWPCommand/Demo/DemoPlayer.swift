// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPPlayerMPV

/// A player of the demo: what a party drives, and the two misfortunes that the story has for it.
@MainActor
protocol DemoPlayer: PlayerAdapter {
    /// Called after the player changed by itself.
    var onChange: (@MainActor () -> Void)? { get set }
    /// Puts the picture elsewhere behind the party's back, by a distance in ms.
    func displace(byMs distanceMs: Int64) async throws
    /// Holds its input back until it has run dry, and for a time in ms from then on; returns once it has run dry.
    func stall(forMs durationMs: Int64) async throws
    /// Ends the player.
    func close() async
}

extension SimulatedPlayer: DemoPlayer {}

/// A player as the party sees it, with a count of the seeks it was asked for.
@MainActor
final class CountedPlayer: PlayerAdapter {
    /// The player itself.
    let player: any DemoPlayer
    /// How often the party sought it.
    private(set) var seeks = 0

    init(_ player: any DemoPlayer) { self.player = player }

    var positionMs: Int64 { player.positionMs }
    var durationMs: Int64? { player.durationMs }
    var paused: Bool { player.paused }
    var buffering: Bool { player.buffering }
    var firstFrameShown: Bool { player.firstFrameShown }
    var canSetRate: Bool { player.canSetRate }
    var seekAccuracyMs: Int64 { player.seekAccuracyMs }

    func play() async throws { try await player.play() }
    func pause() async throws { try await player.pause() }
    func seek(to positionMs: Int64) async throws {
        seeks += 1
        try await player.seek(to: positionMs)
    }
    func setRate(_ rate: Double) async throws { try await player.setRate(rate) }
}
