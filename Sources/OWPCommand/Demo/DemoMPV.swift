// OpenWatchParty for Swift. See LICENSE.

import OWPPlayerMPV
import OpenWatchParty

/// mpv as a player of the demo.
@MainActor
final class DemoMPVPlayer: DemoPlayer {
    /// How long it may take until its cache is played empty, in ms.
    static let dryWithinMs: Int64 = 30_000

    private let player: MPVPlayer
    private let input: HoldableInput?
    private let clock: any PartyClock

    /// Starts an mpv with a copy open; only one whose input can be held back can be stalled.
    init(_ path: String, options: MPVPlayer.Options, isHoldable: Bool, clock: any PartyClock) async throws {
        self.clock = clock
        if isHoldable {
            (player, input) = try await MPVPlayer.start(withHoldable: path, options: options)
        } else {
            player = try await MPVPlayer.start(options)
            input = nil
            do {
                try await player.open(path)
            } catch {
                await player.close()
                throw error
            }
        }
    }

    var onChange: (@MainActor () -> Void)? {
        get { player.onChange }
        set { player.onChange = newValue }
    }
    var positionMs: Int64 { player.positionMs }
    var durationMs: Int64? { player.durationMs }
    var paused: Bool { player.paused }
    var buffering: Bool { player.buffering }
    var firstFrameShown: Bool { player.firstFrameShown }
    var canSetRate: Bool { player.canSetRate }
    var seekAccuracyMs: Int64 { player.seekAccuracyMs }

    func play() async throws { try await player.play() }
    func pause() async throws { try await player.pause() }
    func seek(to positionMs: Int64) async throws { try await player.seek(to: positionMs) }
    func setRate(_ rate: Double) async throws { try await player.setRate(rate) }

    func displace(byMs distanceMs: Int64) async throws {
        // Its seek takes the lead of 250 ms, in which the others go on.
        try await player.seek(to: player.positionMs + Constants.seekLeadMs + distanceMs)
    }

    func stall(forMs durationMs: Int64) async throws {
        guard let input else { throw PhaseFailure("this player's input cannot be held back") }
        input.hold()
        let end = clock.nowMs() + Self.dryWithinMs
        while !player.buffering {
            guard clock.nowMs() < end, !player.hasEnded else {
                input.release()
                throw PhaseFailure("mpv did not run dry, though it got no more data")
            }
            await withCheckedContinuation { continuation in
                _ = clock.schedule(afterMs: DemoStage.sampleMs) { continuation.resume() }
            }
        }
        _ = clock.schedule(afterMs: durationMs) { input.release() }
    }

    func close() async {
        input?.release()
        await player.close()
        input?.stop()
    }
}

extension DemoCast {
    /// The shortest film that the story can be played with, in ms; it goes back to the beginning when it needs to.
    static let shortestMs: Int64 = 45_000

    /// Three people with real files: one for all, or in turn.
    ///
    /// - Parameters:
    ///   - files: One to three files.
    ///   - probe: Learns their lengths.
    ///   - program: What is started as mpv.
    /// - Returns: The cast.
    /// - Throws: ``CommandFailure`` for a file that mpv cannot play, or that is too short.
    @MainActor
    static func playing(_ files: [LocalFile], probe: PlayerProbe, program: String) async throws -> DemoCast {
        var copies: [DemoCopy] = []
        for file in files {
            let durationMs: Int64?
            do {
                durationMs = try await probe.durationMs(of: file)
            } catch let error as MPVError {
                throw CommandFailure(error, program: program, file: file)
            }
            let name = plainText(file.name)
            guard let durationMs else { throw CommandFailure("mpv does not know how long '\(name)' is") }
            guard durationMs >= shortestMs else {
                throw CommandFailure("'\(name)' is too short for the demo; it needs \(duration(shortestMs))")
            }
            copies.append(DemoCopy(name: name, sizeBytes: file.sizeBytes, durationMs: durationMs, path: file.path))
        }
        return DemoCast(
            media: .sharing(files[0], durationMs: copies[0].durationMs, oshash: nil),
            people: ["Anna", "Ben", "Cleo"].enumerated().map { seat, name in
                DemoPerson(name: name, copy: copies[seat % copies.count])
            }
        )
    }
}

extension DemoProps {
    /// The props with mpv as everyone's player.
    @MainActor
    func playingWithMPV(_ options: MPVPlayer.Options) -> DemoProps {
        var props = self
        props.open = { seat, copy, props in
            guard let path = copy.path else { throw MPVError.cannotPlay(reason: "it is no file") }
            var options = options
            if !options.isHeadless {
                // Side by side, and one sound for all.
                options.arguments += ["--title=\(props.cast.people[seat].name)", "--autofit=32%"]
                options.arguments += ["--geometry=\(seat * 50)%:50%", "--mute=\(seat == 0 ? "no" : "yes")"]
            }
            return try await DemoMPVPlayer(path, options: options, isHoldable: seat == 2, clock: props.clock)
        }
        return props
    }
}
