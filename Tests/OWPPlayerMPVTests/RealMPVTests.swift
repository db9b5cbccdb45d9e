// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OWPTestSupport
import OWPWire
import Testing

@testable import OWPPlayerMPV

/// Whether mpv can be started here; said once, so that nobody takes skipped tests for passed ones.
private let hasMPV: Bool = {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let found = path.split(separator: ":").contains { FileManager.default.isExecutableFile(atPath: "\($0)/mpv") }
    if !found { print("SKIPPED: mpv is not installed, so nothing is tested against a real player") }
    return found
}()

/// A film of a test's own.
private func writeFilm(seconds: Int) throws -> String {
    let path = "/tmp/owp-film-\(UUID().uuidString.prefix(8)).y4m"
    try writeTestFilm(path, seconds: seconds)
    return path
}

/// The adapter against the real mpv, without window or sound, in real time.
@MainActor
@Suite("The adapter against mpv itself", .serialized, .enabled(if: hasMPV))
struct RealMPVTests {
    /// A film and a player that has it open.
    @MainActor
    final class Stage {
        let film: String
        let player: MPVPlayer
        /// A second connection, for looking from outside and for playing a person.
        let outside: MPVPlayer
        var acts: [PersonAct] = []

        init(seconds: Int = 60) async throws {
            film = try writeFilm(seconds: seconds)
            var options = MPVPlayer.Options()
            options.isHeadless = true
            player = try await MPVPlayer.start(options)
            outside = try await MPVPlayer.attach(to: player.socketPath)
            try await player.open(film)
            _ = await eventually { self.player.firstFrameShown }
        }

        func listen() { player.onAct = { self.acts.append($0) } }

        /// mpv's own position in ms, asked for now.
        func outsidePositionMs() async throws -> Double {
            guard case .number(let seconds) = try await outside.request(["get_property", "time-pos"]) else { return -1 }
            return seconds * 1000
        }

        /// The median of what mpv's position is ahead of a line that was at `fromMs` at a time; half a frame is added,
        /// since mpv names the frame that shows, which on average began that long ago.
        func medianAheadMs(fromMs: Double, atMs: Double) async throws -> Double {
            var ahead: [Double] = []
            for _ in 0..<21 {
                let position = try await outsidePositionMs()
                ahead.append(position + 20 - fromMs - (monotonicMs() - atMs))
                await pass(ms: 13)
            }
            return ahead.sorted()[10]
        }

        func close() async {
            await player.close()
            unlink(film)
        }
    }

    @Test("A film opens paused at its start, with its duration and its first frame")
    func opens() async throws {
        let stage = try await Stage()
        #expect(stage.player.durationMs == 60_000)
        #expect(stage.player.positionMs == 0)
        #expect(stage.player.paused)
        #expect(!stage.player.buffering)
        #expect(stage.player.firstFrameShown)
        await stage.close()
        #expect(stage.player.hasEnded)
        #expect(!FileManager.default.fileExists(atPath: stage.player.socketPath))
    }

    @Test("The position between reports is mpv's own")
    func position() async throws {
        let stage = try await Stage()
        try await stage.player.play()
        await pass(ms: 500)
        var differences: [Double] = []
        for _ in 0..<31 {
            let outside = try await stage.outsidePositionMs()
            differences.append(Double(stage.player.positionMs) - outside - 20)
            await pass(ms: 17)
        }
        #expect(differences.sorted()[15].magnitude < 15, "\(differences)")
        try await stage.player.setRate(1.5)
        await pass(ms: 500)
        let before = (stage.player.positionMs, monotonicMs())
        await pass(ms: 1000)
        let speed = Double(stage.player.positionMs - before.0) / (monotonicMs() - before.1)
        #expect((1.4...1.6).contains(speed))
        try await stage.player.pause()
        await pass(ms: 200)
        #expect(try await stage.outsidePositionMs().rounded() == Double(stage.player.positionMs))
        await stage.close()
    }

    @Test("A seek while playing lands 250 ms after it was asked, so that the player is then in step")
    func seekLead() async throws {
        let stage = try await Stage()
        try await stage.player.play()
        await pass(ms: 700)
        for target in [20_013.0, 40_000, 7_777] {
            let asked = monotonicMs()
            try await stage.player.seek(to: Int64(target))
            let ahead = try await stage.medianAheadMs(fromMs: target, atMs: asked + 250)
            #expect(ahead.magnitude < 40, "\(ahead) ms ahead after a seek to \(target)")
        }
        await stage.close()
    }

    @Test("A late joiner's seek and play start it where the seek aimed, 250 ms after it was asked")
    func seekAndPlay() async throws {
        let stage = try await Stage()
        try await stage.player.play()
        await pass(ms: 700)
        try await stage.player.pause()
        let asked = monotonicMs()
        try await stage.player.seek(to: 30_005)
        #expect(stage.player.paused)
        try await stage.player.play()
        let ahead = try await stage.medianAheadMs(fromMs: 30_005, atMs: asked + 250)
        #expect(ahead.magnitude < 40, "\(ahead) ms ahead")
        await stage.close()
    }

    @Test("A seek beyond the end, and the end itself, leave the file open and mpv unpaused")
    func end() async throws {
        let stage = try await Stage(seconds: 4)
        try await stage.player.seek(to: 3500)
        try await stage.player.play()
        #expect(await eventually { stage.player.positionMs >= 3900 })
        await pass(ms: 400)
        #expect(stage.player.positionMs <= 4000)
        #expect(!stage.player.paused)
        #expect(stage.player.firstFrameShown)
        try await stage.player.seek(to: 1000)
        #expect(await eventually { (1040...3000).contains(stage.player.positionMs) })
        try await stage.player.seek(to: 99_000)
        #expect(!stage.player.hasEnded)
        await stage.close()
    }

    @Test("What a person does is told as theirs")
    func acts() async throws {
        let stage = try await Stage()
        stage.listen()
        _ = try await stage.outside.request(["cycle", "pause"])
        #expect(await eventually { stage.acts == [.play] })
        #expect(await eventually { stage.player.state.isPaused && stage.player.positionMs == 0 })
        try await stage.player.play()
        await pass(ms: 300)
        _ = try await stage.outside.request(["seek", 5])
        #expect(await eventually { stage.acts.count == 2 })
        guard case .seek(let position) = stage.acts.last else {
            Issue.record("not a seek: \(stage.acts)")
            return
        }
        #expect((5000...7000).contains(position))
        _ = try await stage.outside.request(["cycle", "pause"])
        #expect(await eventually { stage.acts.last == .pause })
        _ = try await stage.outside.request(["multiply", "speed", 1.1])
        #expect(await eventually { stage.acts.count == 4 })
        #expect(await eventually { stage.player.state.line.speed == 1 })
        await pass(ms: 200)
        #expect(stage.acts.count == 4)
        await stage.close()
    }

    @Test("What the party does is never taken for a person's act")
    func ownCommands() async throws {
        let stage = try await Stage()
        stage.listen()
        var random = SplitMix(seed: 7)
        for _ in 0..<60 {
            switch Int.random(in: 0..<5, using: &random) {
            case 0: try await stage.player.play()
            case 1: try await stage.player.pause()
            case 2: try await stage.player.setRate([0.96, 1, 1.04, 1.25].randomElement(using: &random) ?? 1)
            case 3: try await stage.player.seek(to: Int64.random(in: 0...61_000, using: &random))
            default: await pass(ms: Int.random(in: 0...60, using: &random))
            }
        }
        await pass(ms: 300)
        #expect(stage.acts.isEmpty)
        await stage.close()
    }

    @Test("A file that is no film is refused with mpv's reason, and the next one opens")
    func noFilm() async throws {
        let stage = try await Stage()
        let text = "/tmp/owp-text-\(UUID().uuidString.prefix(8)).mkv"
        try String(repeating: "not a film\n", count: 1000).write(toFile: text, atomically: true, encoding: .utf8)
        await #expect(throws: MPVError.self) { try await stage.player.open(text) }
        #expect(!stage.player.firstFrameShown)
        await #expect(throws: MPVError.self) { try await stage.player.open("/nowhere/film.mkv") }
        try await stage.player.open(stage.film)
        #expect(await eventually { stage.player.firstFrameShown })
        unlink(text)
        await stage.close()
    }

    @Test("Input that is held back makes mpv run out of cache, and play on afterwards")
    func held() async throws {
        let film = try writeFilm(seconds: 120)
        var options = MPVPlayer.Options()
        options.isHeadless = true
        let (player, input) = try await MPVPlayer.start(withHoldable: film, options: options)
        #expect(player.durationMs == 120_000)
        #expect(await eventually { player.firstFrameShown })
        try await player.play()
        #expect(await eventually { player.positionMs > 1500 })
        #expect(!player.buffering)
        let held = monotonicMs()
        input.hold()
        #expect(await eventually(withinMs: 30_000) { player.buffering })
        print("mpv ran out of cache \(Int(monotonicMs() - held)) ms after its input was held")
        #expect(!player.paused)
        let stopped = player.positionMs
        await pass(ms: 500)
        #expect(player.positionMs - stopped < 100)
        input.release()
        #expect(await eventually { !player.buffering && player.positionMs > stopped + 500 })
        try await player.seek(to: 90_000)
        #expect(await eventually { player.positionMs > 90_100 })
        await player.close()
        input.stop()
        unlink(film)
    }
}
