// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OWPCore
import OWPWire
import Testing

@testable import OWPPlayerMPV

/// What a test saw from the outside.
@MainActor
private final class Seen {
    var acts: [PersonAct] = []
    var changes = 0
}

/// The adapter against a scripted mpv, in real time.
@MainActor
@Suite("The adapter against a scripted mpv", .serialized)
struct FakeMPVTests {
    private func attach(
        _ fake: FakeMPV,
        sendBuffer: Int32? = nil,
        commandWithinMs: Int = 10_000
    ) async throws -> MPVPlayer {
        fake.listen(sendBuffer: sendBuffer)
        var options = MPVPlayer.Options()
        options.commandWithinMs = commandWithinMs
        let player = try await MPVPlayer.attach(to: fake.path, options: options)
        return player
    }

    /// A player that plays at 60 s.
    private func playing(_ fake: FakeMPV, commandWithinMs: Int = 10_000) async throws -> MPVPlayer {
        let player = try await attach(fake, commandWithinMs: commandWithinMs)
        fake.sayLoaded()
        #expect(await eventually { player.firstFrameShown })
        fake.say("pause", "false")
        fake.say("core-idle", "false")
        fake.say("time-pos", "60.0")
        #expect(await eventually { !player.paused && player.positionMs >= 60_000 })
        return player
    }

    @Test("FR-04: a file opened paused shows its first frame without having moved")
    func firstFrame() async throws {
        let fake = FakeMPV { fake, request in
            fake.answer(request)
            if request.name == "loadfile" {
                fake.say(event: "start-file")
                fake.say(event: "file-loaded")
                fake.say("vo-configured", "true")
                fake.say(event: "playback-restart")
            }
        }
        let player = try await attach(fake)
        #expect(!player.firstFrameShown)
        try await player.open("/films/a.mkv")
        #expect(await eventually(withinMs: 2000) { player.firstFrameShown })
        #expect(player.paused)
        let touched = fake.commands.filter { $0.name == "seek" || $0.words.contains(.bool(false)) }
        #expect(touched.isEmpty)
        await player.close()
    }

    @Test("FR-24: a person's seek is told once, where it landed, and shows in the reads only then")
    func personSeek() async throws {
        let fake = FakeMPV()
        let player = try await playing(fake)
        let seen = Seen()
        player.onAct = { seen.acts.append($0) }
        fake.say(event: "seek")
        fake.say("seeking", "true")
        fake.say("time-pos", "145.0")
        #expect(await eventually { player.state.settlesAtMs != nil })
        #expect(player.positionMs < 100_000)
        #expect(seen.acts.isEmpty)
        fake.say(event: "playback-restart")
        fake.say("time-pos", "144.2")
        fake.say("seeking", "false")
        #expect(await eventually { !seen.acts.isEmpty })
        guard case .seek(let position)? = seen.acts.first else {
            Issue.record("not a seek: \(seen.acts)")
            return
        }
        #expect((144_200...144_900).contains(position))
        #expect(player.positionMs >= 144_200)
        // What the party then does to the player is no person's act.
        try await player.seek(to: position)
        try await player.pause()
        try await player.play()
        try await player.setRate(1.04)
        await pass(ms: 100)
        #expect(seen.acts.count == 1)
        await player.close()
    }

    @Test("FR-24: without somebody to tell, a person's seek just stands until the party corrects it")
    func untoldSeek() async throws {
        let fake = FakeMPV()
        let player = try await playing(fake)
        fake.say(event: "seek")
        fake.say("time-pos", "145.0")
        fake.say(event: "playback-restart")
        #expect(await eventually { player.positionMs >= 145_000 })
        await player.close()
    }

    @Test("A person's play is put back, position included, and told")
    func personPlay() async throws {
        let fake = FakeMPV()
        let player = try await attach(fake)
        fake.sayLoaded()
        #expect(await eventually { player.firstFrameShown })
        let seen = Seen()
        player.onAct = { seen.acts.append($0) }
        fake.say("pause", "false")
        fake.say("core-idle", "false")
        #expect(await eventually { seen.acts == [.play] })
        #expect(player.paused)
        #expect(await eventually { fake.commands.map(\.name).suffix(2) == ["set_property", "seek"] })
        #expect(fake.commands.suffix(2).first?.words == ["set_property", "pause", true])
        #expect(fake.commands.last?.words == ["seek", 0, "absolute+exact"])
        #expect(await eventually { player.state.isPaused })
        #expect(player.paused)
        #expect(seen.acts == [.play])
        await player.close()
    }

    @Test("A person's pause stands and is told; a speed is put back and told as a factor")
    func personPauseAndRate() async throws {
        let fake = FakeMPV()
        let player = try await playing(fake)
        let seen = Seen()
        player.onAct = { seen.acts.append($0) }
        fake.say("speed", "1.1")
        #expect(await eventually { seen.acts == [.rate(factor: 1.1)] })
        #expect(await eventually { fake.commands.last?.words == ["set_property", "speed", 1] })
        fake.say("pause", "true")
        #expect(await eventually { seen.acts.last == .pause })
        #expect(player.paused)
        #expect(seen.acts.count == 2)
        await player.close()
    }

    @Test("A pause key while a seek is held still means pause, not play")
    func pauseWhileHeld() async throws {
        let fake = FakeMPV()
        let player = try await playing(fake)
        let seen = Seen()
        player.onAct = { act in
            seen.acts.append(act)
        }
        async let seek: Void = player.seek(to: 100_000)
        #expect(await eventually { fake.commands.contains { $0.name == "seek" } && player.state.isPaused })
        fake.say("pause", "false")
        try await seek
        #expect(seen.acts == [.pause])
        #expect(player.paused)
        #expect(fake.commands.last?.words == ["set_property", "pause", true])
        await player.close()
    }

    @Test("FR-27: a flood of positions is drained while commands get their own answers")
    func flood() async throws {
        let fake = FakeMPV { fake, request in
            if request.name == "get_property", case .string(let name) = request.words[1] {
                fake.say(#"{"request_id":\#(request.id),"error":"success","data":"\#(name)"}"#)
            } else {
                fake.obey(request)
            }
        }
        let player = try await attach(fake, sendBuffer: 65_536)
        fake.sayLoaded()
        let longestWriteMs = Measured()
        let flooding = Thread {
            let start = monotonicMs()
            for index in 0..<3000 {
                let due = start + Double(index)
                while monotonicMs() < due { usleep(200) }
                let before = monotonicMs()
                fake.say("time-pos", "\(Double(index) / 1000)")
                longestWriteMs.take(monotonicMs() - before)
            }
            longestWriteMs.finish()
        }
        flooding.start()
        var asked = 0
        while !longestWriteMs.isFinished {
            let name = "p\(asked)"
            let answer = try await player.request(["get_property", .string(name)])
            #expect(answer == .string(name))
            asked += 1
            // Somebody else's turn on the main actor: nothing is read there meanwhile, and still drained.
            if asked == 5 { usleep(300_000) }
            await pass(ms: 5)
        }
        #expect(asked > 20)
        #expect(longestWriteMs.value < 100)
        #expect(await eventually { player.positionMs == 2999 })
        await player.close()
    }

    @Test("FR-28: a seek returns at its first frame, not at the answer nor at the position")
    func seekLands() async throws {
        let fake = FakeMPV { fake, request in
            guard request.name == "seek" else { return fake.obey(request) }
            fake.answer(request)
            fake.say(event: "seek")
            fake.say("seeking", "true")
            fake.say("time-pos", "100.0")
            Thread {
                usleep(800_000)
                fake.say(event: "playback-restart")
                fake.say("seeking", "false")
                usleep(50_000)
                fake.say("time-pos", "100.033")
            }.start()
        }
        let player = try await playing(fake)
        let before = monotonicMs()
        try await player.seek(to: 100_000)
        let took = monotonicMs() - before
        #expect(took >= 795)
        #expect(!player.paused)
        #expect(fake.commands.filter { $0.name == "seek" }.count == 1)
        #expect(await eventually { (100_033...).contains(player.positionMs) })
        await player.close()
    }

    @Test("FR-28: a seek that mpv refuses throws, and the player plays on")
    func seekRefused() async throws {
        let fake = FakeMPV { fake, request in
            if request.name == "seek" { fake.answer(request, "error running command") } else { fake.obey(request) }
        }
        let player = try await playing(fake)
        await #expect(throws: MPVError.refused(reason: "error running command")) { try await player.seek(to: 5000) }
        #expect(fake.commands.last?.words == ["set_property", "pause", false])
        #expect(!player.paused)
        await player.close()
    }

    @Test("FR-28: a seek that never lands throws after its bound")
    func seekNeverLands() async throws {
        let fake = FakeMPV { fake, request in
            if request.name == "seek" { fake.answer(request) } else { fake.obey(request) }
        }
        let player = try await playing(fake, commandWithinMs: 500)
        await #expect(throws: MPVError.timedOut) { try await player.seek(to: 5000) }
        #expect(!player.paused)
        await player.close()
    }

    @Test("A seek lands the lead after it was asked, playing or paused, and stands still until then")
    func seekLead() async throws {
        let fake = FakeMPV()
        let player = try await playing(fake)
        let before = monotonicMs()
        let seek = Task { try await player.seek(to: 100_000) }
        #expect(await eventually { player.positionMs == 100_000 })
        #expect(fake.commands.map(\.words).contains(["set_property", "pause", true]))
        #expect(!player.paused)
        try await seek.value
        #expect(monotonicMs() - before >= 250)
        #expect(fake.commands.last?.words == ["set_property", "pause", false])
        #expect(player.seekAccuracyMs == 0)
        try await player.pause()
        let again = monotonicMs()
        try await player.seek(to: 200_000)
        #expect(monotonicMs() - again >= 250)
        #expect(player.paused)
        await player.close()
    }

    @Test("FR-29: running out of cache is buffering, not a pause, and nothing is done about it")
    func cache() async throws {
        let fake = FakeMPV()
        let player = try await playing(fake)
        let seen = Seen()
        player.onChange = { seen.changes += 1 }
        player.onAct = { seen.acts.append($0) }
        let before = fake.requests.count
        fake.say("paused-for-cache", "true")
        fake.say("core-idle", "true")
        #expect(await eventually { player.buffering })
        #expect(!player.paused)
        #expect(seen.changes == 1)
        fake.say("paused-for-cache", "false")
        fake.say("core-idle", "false")
        #expect(await eventually { !player.buffering })
        #expect(!player.paused)
        #expect(seen.changes == 2)
        #expect(seen.acts.isEmpty)
        #expect(fake.requests.count == before)
        await player.close()
    }

    @Test("FR-29: paused with an empty cache it still buffers, so that nobody counts on it before it can play")
    func cacheWhilePaused() async throws {
        let fake = FakeMPV()
        let player = try await playing(fake)
        fake.say("paused-for-cache", "true")
        fake.say("core-idle", "true")
        #expect(await eventually { player.buffering })
        try await player.pause()
        #expect(player.paused)
        #expect(player.buffering)
        fake.say("paused-for-cache", "false")
        #expect(await eventually { !player.buffering })
        #expect(player.paused)
        await player.close()
    }

    @Test("An mpv that ends is known to have ended, and commands throw")
    func ends() async throws {
        let fake = FakeMPV()
        let player = try await playing(fake)
        let seen = Seen()
        player.onEnd = { status in
            #expect(status == nil)
            seen.changes += 1
        }
        fake.stop()
        #expect(await eventually { seen.changes == 1 })
        #expect(player.hasEnded)
        #expect(!player.firstFrameShown)
        await #expect(throws: MPVError.ended) { try await player.play() }
        await #expect(throws: MPVError.ended) { try await player.seek(to: 1) }
        await player.close()
    }
}

/// The longest of some times, from a thread.
private final class Measured: @unchecked Sendable {  // `lock` guards all of it.
    private let lock = NSLock()
    private var longest = 0.0
    private var finished = false
    var value: Double { lock.withLock { longest } }
    var isFinished: Bool { lock.withLock { finished } }
    func take(_ value: Double) { lock.withLock { longest = max(longest, value) } }
    func finish() { lock.withLock { finished = true } }
}
