// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPParty
import OWPSync

/// Keeps the app's players behind the keys by which the machine speaks of them.
///
/// A player is held from its attaching until the machine lets it go, and known for as long as the app keeps it.
@MainActor
struct AdapterTable {
    private struct Entry {
        weak var player: (any PlayerAdapter)?
        var held: (any PlayerAdapter)?
    }

    private var entries: [AdapterKey: Entry] = [:]
    private var lastKey = 0

    init() {}

    /// The key of a player that is being attached; holds the player.
    mutating func attach(_ player: any PlayerAdapter) -> AdapterKey {
        entries = entries.filter { $0.value.player != nil }
        let key = key(for: player)
        entries[key] = Entry(player: player, held: player)
        return key
    }

    /// The key of a player; a new one for a player that is not known.
    mutating func key(for player: any PlayerAdapter) -> AdapterKey {
        if let known = entries.first(where: { $0.value.player === player }) { return known.key }
        lastKey += 1
        return AdapterKey(lastKey)
    }

    /// Stops holding a player.
    mutating func letGo(_ key: AdapterKey) {
        entries[key]?.held = nil
    }

    /// The player of a key.
    subscript(key: AdapterKey) -> (any PlayerAdapter)? { entries[key]?.player }
}

extension PlayerReading {
    /// Reads a player.
    @MainActor
    init(of player: any PlayerAdapter) {
        self.init(
            positionMs: player.positionMs,
            paused: player.paused,
            buffering: player.buffering,
            firstFrameShown: player.firstFrameShown,
            durationMs: player.durationMs,
            seekAccuracyMs: player.seekAccuracyMs,
            canSetRate: player.canSetRate
        )
    }
}
