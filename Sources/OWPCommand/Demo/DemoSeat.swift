// OpenWatchParty for Swift. See LICENSE.

import OWPPlayerMPV
import OpenWatchParty

/// One participant of the demo: an app of its own, with a party, a library and a player.
///
/// It does what every app does (section 16.7): it opens `state.choice` when that changes, attaches the player, and
/// disposes of it after the party has let go.
@MainActor
final class DemoSeat {
    let person: DemoPerson
    let party: WatchParty<DemoCopy>
    /// The way to the relay that can be cut; nil for a direct one.
    let line: CutLine?
    /// Whether it takes part: from the beginning until it leaves.
    private(set) var isPresent = true
    private(set) var player: CountedPlayer?

    private let open: @MainActor (DemoCopy) async throws -> any DemoPlayer
    private var following: Task<Void, Never>?
    private(set) var openingFailure: (any Error)?

    init(
        _ person: DemoPerson,
        party: WatchParty<DemoCopy>,
        line: CutLine?,
        open: @escaping @MainActor (DemoCopy) async throws -> any DemoPlayer
    ) {
        self.person = person
        self.party = party
        self.line = line
        self.open = open
        // Before `create` and `join`, since a stream has only what is published from then on.
        let states = party.states()
        following = Task { [weak self] in
            var opened: DemoCopy?
            for await state in states {
                guard let copy = state.choice?.ref, copy != opened else { continue }
                opened = copy
                await self?.show(copy)
            }
        }
    }

    var name: String { person.name }

    private func show(_ copy: DemoCopy) async {
        do {
            let player = try await open(copy)
            guard isPresent else { return await player.close() }
            player.onChange = { [weak party] in party?.playerChanged() }
            let counted = CountedPlayer(player)
            self.player = counted
            party.attachPlayer(counted, ref: copy)
        } catch {
            openingFailure = error
        }
    }

    /// What its player shows now.
    var sample: DemoSample.Player? {
        guard isPresent, let player else { return nil }
        return DemoSample.Player(
            positionMs: player.positionMs,
            paused: player.paused,
            buffering: player.buffering,
            shown: player.firstFrameShown
        )
    }

    /// Leaves the room; the player no longer counts.
    func leave() {
        isPresent = false
        party.leave()
    }

    /// Releases everything, the player last.
    func close() async {
        isPresent = false
        following?.cancel()
        await party.close().value
        await player?.player.close()
        player = nil
        line?.close()
    }
}
