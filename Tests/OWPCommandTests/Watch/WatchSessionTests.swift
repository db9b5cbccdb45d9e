// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OWPRelay
import OWPTestSupport
import OpenWatchParty
import Testing

@testable import OWPCommand
@testable import OWPPlayerMPV

private let hasMPV: Bool = {
    let found = MPVPlayer.find("mpv") != nil
    if !found { print("SKIPPED: mpv is not installed, so owp watch is not tested with a real player") }
    return found
}()

/// Lines from any thread.
private final class Lines: @unchecked Sendable {  // `lock` guards it.
    private let lock = NSLock()
    private var text = ""
    func add(_ more: String) { lock.withLock { text += more } }
    var all: String { lock.withLock { text } }
}

/// One `owp watch` in this process, with what it wrote.
@MainActor
private final class Watcher {
    let session: WatchSession
    private let lines: Lines
    private let stop: AsyncStream<Int32>.Continuation
    private let running: Task<Int32, any Error>

    init(
        _ entry: WatchSettings.Entry,
        _ paths: [String],
        relay: String,
        name: String,
        _ change: (inout WatchSettings) -> Void = { _ in }
    ) throws {
        var settings = WatchSettings(entry: entry, library: try MediaLibrary(paths: paths))
        settings.relay = relay
        settings.name = name
        settings.player.isHeadless = true
        change(&settings)
        let lines = Lines()
        self.lines = lines
        let console = Console(output: { lines.add($0) }, errors: { lines.add($0) })
        let session = try WatchSession(settings, output: WatchOutput(console: console, isJSON: false))
        self.session = session
        let (signals, stop) = AsyncStream.makeStream(of: Int32.self)
        self.stop = stop
        running = Task { try await session.run(signals: signals) }
    }

    var text: String { lines.all }
    var state: PartyState<LocalFile> { session.party.state }
    var player: MPVPlayer? { session.player }
    func has(_ line: String) -> Bool { text.contains(line) }

    /// Waits until the room has this phase and the player is ready for it.
    func reaches(_ phase: Phase) async -> Bool {
        await eventually { self.state.room?.phase == phase && self.state.me?.player == .ready }
    }

    /// The outside hand at the player's keyboard.
    func press(_ words: String...) async throws {
        let socket = try #require(player?.socketPath)
        let outside = try await MPVPlayer.attach(to: socket)
        _ = try await outside.request(words.map { .string($0) })
        await outside.close()
    }

    func status() async throws -> Int32 { try await running.value }

    /// Asks it to end as a system does.
    func leave() async throws -> Int32 {
        stop.yield(SIGTERM)
        return try await running.value
    }
}

@MainActor
@Suite("owp watch with a relay and mpv", .serialized, .enabled(if: hasMPV))
struct WatchSessionTests {
    private let relay: EmbeddedRelay
    private let folder: TestFolder

    init() throws {
        relay = try EmbeddedRelay.start()
        folder = try TestFolder()
    }

    private func film(_ name: String, seconds: Int) throws -> String {
        let path = folder.path + "/" + name
        try writeTestFilm(path, seconds: seconds)
        return path
    }

    private func host(_ file: String, _ change: (inout WatchSettings) -> Void = { _ in }) async throws -> (
        Watcher, code: String
    ) {
        let own = try #require(LocalFile(path: file))
        let host = try Watcher(.create(own), [file], relay: relay.baseURL, name: "Anna", change)
        #expect(await eventually { host.state.me?.player == .ready })
        return (host, try #require(host.state.room?.code))
    }

    private func guest(_ code: String, _ path: String, _ change: (inout WatchSettings) -> Void = { _ in }) throws
        -> Watcher
    {
        try Watcher(.join(code: code), [path], relay: relay.baseURL, name: "Ben", change)
    }

    @Test("A shared file stands at its start; with --start-with the room plays once so many are ready")
    func startsWith() async throws {
        let (host, code) = try await host(film("a.y4m", seconds: 60)) { $0.startWith = 2 }
        #expect(host.state.room?.positionMs == 0)
        #expect(!host.has("You paused"))
        #expect(host.player?.positionMs == 0)
        let guest = try guest(code, film("b.y4m", seconds: 61))
        #expect(await guest.reaches(.playing))
        #expect(await host.reaches(.playing))
        #expect(await eventually { host.has("Ben joined.") })
        #expect(await eventually { guest.has("'b.y4m'") })
        let hostSocket = try #require(host.player?.socketPath)
        #expect(try await guest.leave() == 0)
        #expect(await eventually { host.has("Ben left.") })
        #expect(try await host.leave() == 0)
        #expect(!FileManager.default.fileExists(atPath: hostSocket))
        relay.stop()
    }

    @Test(
        "FR-24: a seek key in the host's mpv becomes one seek of the room; a guest's is undone, and the guest is told why"
    )
    func seekKeys() async throws {
        let (host, code) = try await host(film("a.y4m", seconds: 60)) { $0.startWith = 2 }
        let guest = try guest(code, film("b.y4m", seconds: 60))
        #expect(await host.reaches(.playing))
        try await host.press("seek", "20")
        #expect(await eventually { guest.has("Anna jumped to 0:2") })
        #expect(await eventually { host.state.room?.phase == .playing && (guest.player?.positionMs ?? 0) >= 20_000 })
        #expect((host.player?.positionMs ?? 0) >= 20_000)
        #expect(await eventually { host.text.components(separatedBy: "You jumped").count == 2 })
        try await guest.press("seek", "20")
        #expect(await eventually { guest.has("Only the host controls this room") })
        #expect(await eventually { abs((guest.player?.positionMs ?? 0) - (host.player?.positionMs ?? 0)) < 500 })
        #expect(guest.text.components(separatedBy: "jumped").count == 2)
        _ = try await guest.leave()
        _ = try await host.leave()
        relay.stop()
    }

    @Test("Pause and play in mpv's window go for everyone, and so do the keys here")
    func pauseKeys() async throws {
        let (host, code) = try await host(film("a.y4m", seconds: 60)) { $0.everyoneControls = true }
        let guest = try guest(code, film("b.y4m", seconds: 60))
        #expect(await guest.reaches(.paused))
        try await guest.press("cycle", "pause")
        #expect(await host.reaches(.playing))
        #expect(await eventually { host.has("Ben pressed play.") })
        #expect(await eventually { (guest.player?.positionMs ?? 0) > 500 })
        try await guest.press("cycle", "pause")
        #expect(await eventually { host.state.room?.phase == .paused && host.player?.paused == true })
        host.session.take(WatchKey.playOrPause)
        #expect(await guest.reaches(.playing))
        host.session.take(WatchKey.seek(byMs: 10_000))
        #expect(await eventually { (guest.player?.positionMs ?? 0) >= 10_000 })
        try await host.press("multiply", "speed", "1.25")
        #expect(await eventually { guest.state.room?.rate == 1.25 })
        host.session.take(WatchKey.quit)
        #expect(try await host.status() == 0)
        #expect(await eventually { guest.has("Ben is now the host.") })
        _ = try await guest.leave()
        relay.stop()
    }

    @Test("FR-03: the room says whom it waits for, and when the wait is over")
    func waiting() async throws {
        let (host, code) = try await host(film("a.y4m", seconds: 60))
        let slow = try WatchParty<String>(
            relays: Relays.at(relay.baseURL),
            client: "test/1",
            name: "Ben",
            resolver: Resolver { [Candidate(id: "x", ref: "x", durationMs: $0.durationMs)] }
        )
        try await slow.join(code)
        #expect(await eventually { slow.state.choice != nil })
        #expect(await eventually { host.has("Ben joined.") })
        host.session.take(WatchKey.playOrPause)
        #expect(await eventually { host.has("Waiting for Ben.") })
        slow.detachPlayer()
        #expect(await eventually { host.has("Everyone is ready: playing.") })
        #expect(host.text.components(separatedBy: "Waiting for").count == 2)
        await slow.close().value
        _ = try await host.leave()
        relay.stop()
    }

    @Test("A copy of another length is declined, with both lengths, and the others do not wait for it")
    func mismatch() async throws {
        let (host, code) = try await host(film("a.y4m", seconds: 60)) { $0.startWith = 1 }
        let guest = try guest(code, film("long.y4m", seconds: 70))
        #expect(await eventually { guest.has("0:10.0 longer") })
        #expect(guest.has("1:10.0 against 1:00.0"))
        #expect(await eventually { guest.has("declined") })
        #expect(guest.has("--offset 10000"))
        #expect(await eventually { host.state.room?.participants.last?.match?.state == .unavailable })
        #expect(await host.reaches(.playing))
        #expect(guest.player == nil)
        guest.session.take(WatchKey.acceptMismatch)
        #expect(await guest.reaches(.playing))
        #expect(guest.state.match?.state == .mismatched)
        _ = try await guest.leave()
        let shifted = try self.guest(code, folder.path + "/long.y4m") { $0.offsetMs = 10_000 }
        #expect(await shifted.reaches(.playing))
        #expect(shifted.has("played all the same"))
        #expect(
            await eventually {
                abs((shifted.player?.positionMs ?? 0) - (host.player?.positionMs ?? 0) - 10_000) < 500
            }
        )
        _ = try await shifted.leave()
        _ = try await host.leave()
        relay.stop()
    }

    @Test("A file that was named and cannot be played is said to be so")
    func unplayable() async throws {
        let (host, code) = try await host(film("a.y4m", seconds: 60))
        let guest = try guest(code, folder.write("text.mkv", count: 5000, byte: 65))
        #expect(await eventually { guest.has("mpv cannot play 'text.mkv'") && guest.has("You have no copy") })
        _ = try await guest.leave()
        _ = try await host.leave()
        relay.stop()
    }

    @Test("When the room goes on to another title, the old film stands still until the own copy of that one is open")
    func nextTitle() async throws {
        _ = try film("first.y4m", seconds: 60)
        _ = try film("third.y4m", seconds: 50)
        let host = try WatchParty<String>(relays: Relays.at(relay.baseURL), client: "test/1", name: "Anna")
        let code = try await host.create()
        let share = { (title: String, durationMs: Int64) in
            try host.setMedia(Media(kind: .video, title: title, durationMs: durationMs), ref: title)
            host.detachPlayer()
        }
        try share("first", 60_000)
        let guest = try guest(code, folder.path)
        #expect(await eventually { guest.state.me?.player == .ready })
        try host.play()
        #expect(await eventually { (guest.player?.positionMs ?? 0) > 500 })
        try share("second", 5000)
        #expect(await eventually { guest.has("You have no copy of 'second'") })
        #expect(await eventually { guest.player?.paused == true })
        #expect(guest.state.player == .idle)
        try share("third", 50_000)
        #expect(await eventually { guest.player?.durationMs == 50_000 && guest.state.me?.player == .ready })
        try host.play()
        #expect(await eventually { (guest.player?.positionMs ?? 0) > 500 })
        _ = try await guest.leave()
        await host.close().value
        relay.stop()
    }

    @Test("When mpv is closed, the room is left, with status 0")
    func closed() async throws {
        let (host, code) = try await host(film("a.y4m", seconds: 60))
        let guest = try guest(code, folder.path)
        #expect(await guest.reaches(.paused))
        try await guest.press("quit")
        #expect(try await guest.status() == 0)
        #expect(guest.has("mpv was closed"))
        #expect(await eventually { host.has("Ben left.") })
        try host.session.party.end()
        #expect(try await host.status() == 0)
        #expect(host.has("The room was ended for everyone."))
        relay.stop()
    }

    @Test("FR-16: what cannot be entered is one clear line")
    func failures() async throws {
        let file = try film("a.y4m", seconds: 10)
        let unknown = try guest("K7MQ2X", file)
        await #expect(throws: CommandFailure.self) { try await unknown.status() }
        relay.stop()
        let gone = try guest("K7MQ2X", file)
        let failure = await #expect(throws: CommandFailure.self) { try await gone.status() }
        #expect(failure?.message.contains(relay.baseURL) == true)
        let text = try folder.write("text.mkv", count: 5000, byte: 65)
        let own = try #require(LocalFile(path: text))
        let noFilm = try Watcher(.create(own), [text], relay: relay.baseURL, name: "Anna")
        let refusal = await #expect(throws: CommandFailure.self) { try await noFilm.status() }
        #expect(refusal?.message.contains("text.mkv") == true)
    }
}
