// OpenWatchParty for Swift. See LICENSE.

// The README's example, so that it compiles; `ReadmeTests` compares the two.

import Foundation
import OpenWatchParty

/// Your player, as the party reads and commands it; `SimulatedPlayer` of `OWPPlayerMPV` stands in while you build.
@MainActor
final class Player: PlayerAdapter {
    var positionMs: Int64 = 0
    var durationMs: Int64?
    var paused = true
    var buffering = false
    var firstFrameShown = false

    func open(_ file: URL) async { firstFrameShown = true }
    func play() async throws { paused = false }
    func pause() async throws { paused = true }
    func seek(to positionMs: Int64) async throws { self.positionMs = positionMs }
}

@MainActor
func watch(code: String?, film: URL, durationMs: Int64) async throws {
    let party = try WatchParty<URL>(
        relays: .at("http://127.0.0.1:8080"),
        client: "Example/1.0",
        name: "Anna",
        // The user's own files that may be this title, best first; the party compares their durations.
        resolver: Resolver { media in
            media.title == "Nosferatu" ? [Candidate(id: film.path, ref: film, durationMs: durationMs)] : []
        }
    )
    // Before `create` or `join`: a stream has only what comes after it.
    let states = party.states()
    if let code {
        try await party.join(code)
    } else {
        print("Room", try formatCode(await party.create()))
        let media = Media(kind: .movie, title: "Nosferatu", durationMs: durationMs, year: 1922)
        try party.setMedia(media, ref: film)
    }
    let player = Player()
    var opened: URL?
    for await state in states {
        if let file = state.choice?.ref, file != opened {
            opened = file
            await player.open(file)
            party.attachPlayer(player, ref: file)
        }
        if state.connection == .ended { break }
    }
    await party.close().value
}
