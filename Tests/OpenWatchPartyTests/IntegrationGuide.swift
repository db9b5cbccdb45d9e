// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OWPRelay
import OpenWatchParty

// The code of Docs/Integration.md; a test compares the two.

/// An app's player, of whatever library.
@MainActor
protocol Engine: AnyObject {
    var seconds: Double { get }
    var lengthInSeconds: Double? { get }
    var isPaused: Bool { get }
    var isStalled: Bool { get }
    var hasPicture: Bool { get }
    var changed: () -> Void { get set }
    func open(_ file: URL) async
    func play() async throws
    func pause() async
    func seek(to seconds: Double) async
    func setSpeed(_ speed: Double) async
    func dispose()
}

/// A file of the user's library.
struct LibraryFile: Sendable {
    var url: URL
    var title: String
    var imdb: String?
    var durationMs: Int64?
}

@MainActor
protocol Library: AnyObject, Sendable {
    var files: [LibraryFile] { get }
    func durationMs(of file: URL) async throws -> Int64?
}

/// What the user sees.
@MainActor
protocol Screen: AnyObject {
    func show(_ state: PartyState<URL>)
    func showCode(_ code: String)
    func toast(_ text: String)
    func askToPressPlay()
    func ask(_ offer: Mismatch<URL>) async -> Bool
}

@MainActor
final class EnginePlayer: PlayerAdapter {
    private let engine: any Engine
    init(_ engine: any Engine) { self.engine = engine }

    var positionMs: Int64 { Int64(engine.seconds * 1000) }
    var durationMs: Int64? { engine.lengthInSeconds.map { Int64($0 * 1000) } }
    var paused: Bool { engine.isPaused }
    var buffering: Bool { engine.isStalled }
    var firstFrameShown: Bool { engine.hasPicture }
    let canSetRate = true

    func play() async throws { try await engine.play() }
    func pause() async throws { await engine.pause() }
    func seek(to positionMs: Int64) async throws { await engine.seek(to: Double(positionMs) / 1000) }
    func setRate(_ rate: Double) async throws { await engine.setSpeed(rate) }
}

@MainActor
func resolver(of library: any Library) -> Resolver<URL> {
    Resolver { media in
        library.files
            .filter { file in
                if let imdb = file.imdb, let wanted = media.ids["imdb"] { return imdb == wanted }
                return file.title == media.title
            }
            .map { file in
                Candidate(
                    id: file.url.path,
                    ref: file.url,
                    durationMs: file.durationMs,
                    name: file.url.lastPathComponent,
                    // Asked only when the duration is not known; cancelled when nobody needs it any more.
                    probe: { try await library.durationMs(of: file.url) }
                )
            }
    }
}

@MainActor
final class WatchSession {
    private let party: WatchParty<URL>
    private let engine: any Engine
    private let player: EnginePlayer
    private let screen: any Screen
    private var opened: URL?
    private var asked: Mismatch<URL>?

    init(relays: Relays, name: String, library: any Library, engine: any Engine, screen: any Screen) throws {
        party = try WatchParty(
            relays: relays,
            client: "Example/1.0",
            name: name,
            resolver: resolver(of: library)
        )
        self.engine = engine
        self.screen = screen
        player = EnginePlayer(engine)
        engine.changed = { [party] in party.playerChanged() }
    }

    func start(code: String?) async throws {
        // Before create or join: a stream has only what comes after it.
        follow(party.states(), party.events())
        if let code {
            try await party.join(code)
        } else {
            screen.showCode(try formatCode(try await party.create()))
        }
    }

    private func follow(_ states: AsyncStream<PartyState<URL>>, _ events: AsyncStream<any PartyEvent>) {
        Task {
            for await state in states { await take(state) }
        }
        Task {
            for await event in events { take(event) }
        }
    }

    private func take(_ state: PartyState<URL>) async {
        screen.show(state)
        if let file = state.choice?.ref, file != opened {
            opened = file
            await engine.open(file)
            party.attachPlayer(player, ref: file)
        }
        if let offer = state.mismatch, offer != asked {
            asked = offer
            if await screen.ask(offer) { party.acceptMismatch() } else { party.declineMismatch() }
        }
    }

    private func take(_ event: any PartyEvent) {
        switch event {
        case let action as ActionEvent where action.kind == "pause" && !action.byMe:
            screen.toast("\(action.by?.name ?? "Somebody") paused")
        case is PlayBlockedEvent:
            screen.askToPressPlay()
        case let ended as EndedEvent:
            screen.toast(text(for: ended.reason))
        default:
            break  // Later versions of the SDK may have more.
        }
    }

    func share(_ file: LibraryFile, durationMs: Int64) async throws {
        let media = Media(
            kind: .movie,
            title: file.title,
            durationMs: durationMs,
            ids: file.imdb.map { ["imdb": $0] } ?? [:],
            file: MediaFile(name: file.url.lastPathComponent)
        )
        try party.setMedia(media, ref: file.url)
    }

    func pressedPlayOrPause() throws {
        if party.state.room?.phase == .paused { try party.play() } else { try party.pause() }
    }

    func skipped(bySeconds seconds: Int64) throws {
        try party.seek(to: max(0, player.positionMs + seconds * 1000))
    }

    func closedPlayer() async {
        opened = nil
        await party.detachPlayer().value
        engine.dispose()
    }

    func done() async {
        await party.close().value
        engine.dispose()
    }

    func text(for error: any Error) -> String {
        guard let code = (error as? PartyError)?.code else { return "Something went wrong." }
        return switch code {
        case .invalidCode: "That is not a room code."
        case .roomNotFound: "There is no such room."
        case .roomFull: "The room is full."
        case .roomLocked: "The host lets nobody else in."
        case .unreachable: "The relay cannot be reached."
        default: "Something went wrong."  // The set is open.
        }
    }

    private func text(for reason: EndReason) -> String {
        switch reason {
        case .left: "You left the party."
        case .ended: "The party is over."
        case .kicked: "The host removed you."
        case .expired: "The party has run for too long."
        case .replaced: "You are in this party on another device."
        case .lost: "The connection was lost."
        }
    }
}

/// Starts a relay for everyone in the same network, and says how the others reach it.
@MainActor
func hostInThisNetwork(_ screen: any Screen) throws -> (relay: EmbeddedRelay, relays: Relays) {
    var configuration = RelayConfiguration()
    configuration.host = "0.0.0.0"
    let relay = try EmbeddedRelay.start(configuration)
    if let url = relay.networkURLs.first { screen.toast("The others enter \(url)") }
    return (relay, try Relays.at(relay.baseURL))
}
