// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OWPPlayerMPV
import OWPRelay
import OpenWatchParty

/// `owp demo`: three people and a relay in one process, and a story that is measured.
enum Demo: Subcommand {
    static let name = "demo"
    static let summary = "Play a watch party of three on this machine, and measure it"
    static let usage = ["demo [OPTIONS]", "demo [OPTIONS] FILE..."]
    static let discussion = """
        Starts a relay on a free port of 127.0.0.1 and three participants, each with a copy of their own: another name,
        another size, one 900 ms longer. They meet by a typed code, find their copies, and watch together while the demo
        presses pause, play and seek, changes the speed, puts one player off, lets one run dry, cuts a connection, and
        lets the host leave. Every phase has a bound, which is measured from the players themselves, every 20 ms.

        Without a FILE the players are simulated: no player and no network is needed. With one file for all, or up to
        three that are shared in turn, everyone watches in an mpv of their own.

          owp demo
          owp demo --plot drift.svg
          owp demo film.mkv other-copy.mp4 --headless

        Exit status: 0 when every phase happened in time, 1 naming the one that did not.
        """
    static let options = [
        Option("--plot", "FILE.svg", help: "Draw the distances over time, with the phases marked."),
        Option("--break", "PHASE", help: "Break a phase on purpose, and see that the demo fails in it."),
        Option("--headless", help: "With a FILE: no windows and no sound."),
        Option("--player-path", "PROGRAM", help: "With a FILE: what is started as mpv (mpv)."),
        Option("--seed", "N", help: "Draw the players' behaviour from this number (1)."),
    ]

    static func run(_ arguments: Arguments, console: Console) async throws -> Int32 {
        var props = DemoProps()
        if let seed = try arguments.integer("--seed", in: 0...Int64.max) { props.seed = UInt64(seed) }
        guard arguments.operands.count <= 3 else {
            throw UsageError("there are three players; name three files at most")
        }
        let files = try arguments.operands.map { try LocalFile.named($0) }
        guard !files.isEmpty || !arguments.has("--headless") && arguments.text("--player-path") == nil else {
            throw UsageError("--headless and --player-path are for mpv, which needs a FILE")
        }
        var phases = DemoStory.phases
        let broken = arguments.text("--break")
        if let name = broken {
            guard let way = DemoFault.phases(upTo: name) else {
                throw UsageError("there is no phase '\(name)'; there are \(phases.map(\.name).joined(separator: ", "))")
            }
            phases = way
        }
        let plot = arguments.text("--plot")
        // Before a minute is spent on what cannot be written.
        if let plot { try write("", to: plot) }
        if !files.isEmpty {
            var options = MPVPlayer.Options()
            options.program = arguments.text("--player-path") ?? options.program
            options.isHeadless = arguments.has("--headless")
            let probe = PlayerProbe(program: options.program)
            props.cast = try await .playing(files, probe: probe, program: options.program)
            props = props.playingWithMPV(options)
        }
        if let broken { props = DemoFault.props(breaking: broken, of: props) }
        let report = try await perform(phases, props, console: console)
        for line in report.summary(color: console.hasColor) { console.line(line) }
        if let plot {
            try write(DemoPlot(report).svg, to: plot)
            console.line("The distances are drawn in \(plainText(plot)).")
        }
        // As if the closed pipe had ended it.
        if console.outputState.hasNoReader { return 128 + SIGPIPE }
        return report.isWhole ? 0 : 1
    }

    /// Plays phases on a stage of its own, with the live table.
    @MainActor static func perform(_ phases: [DemoPhase], _ props: DemoProps, console: Console) async throws
        -> DemoReport
    {
        let stage = try DemoStage(props)
        var screen = DemoScreen(console: console)
        let begin = stage.nowMs()
        var current = phases.first
        stage.onSample = {
            guard let current, let index = phases.firstIndex(where: { $0.name == current.name }) else { return }
            screen.show(
                stage.table(elapsedMs: stage.nowMs() - begin, phase: current, number: index + 1, count: phases.count)
            )
        }
        console.line(
            "Relay on 127.0.0.1:\(stage.relay.port); \(stage.cast.people.map(\.name).joined(separator: ", "))."
        )
        // So that no player is left behind.
        let signals = await Signals.watch()
        let ending = Task {
            var interruptions = Interruptions()
            for await _ in signals {
                if interruptions.take(atMs: stage.nowMs()) == .endAtOnce { exit(130) }
                stage.interrupt()
            }
        }
        // Nor measured for nobody.
        let unread = Task {
            for await _ in console.outputState.failures { stage.interrupt() }
        }
        defer {
            ending.cancel()
            unread.cancel()
        }
        let report = await play(
            phases,
            on: stage,
            before: { phase in
                current = phase
                await props.before(phase.name, stage)
            },
            after: { screen.note($0.line(color: console.hasColor)) }
        )
        stage.onSample = nil
        screen.erase()
        await stage.close()
        return report
    }

    private static func write(_ text: String, to path: String) throws {
        do {
            // To open a pipe would wait for its reader.
            var status = stat()
            if stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFIFO { throw CocoaError(.fileWriteUnknown) }
            try text.write(toFile: path, atomically: false, encoding: .utf8)
        } catch {
            throw CommandFailure(
                "cannot write '\(plainText(path))'; name a file in a folder that is there and may be written"
            )
        }
    }
}

extension DemoStage {
    /// What the live table shows now.
    fileprivate func table(elapsedMs: Int64, phase: DemoPhase, number: Int, count: Int) -> DemoTable {
        let room = present.lazy.compactMap { $0.party.state.room }.first
        let rows = seats.map { seat in
            let player = seat.sample
            let state = seat.party.state
            return DemoTable.Row(
                name: seat.name,
                role: seat.isPresent ? state.isHost ? "host" : "guest" : "gone",
                state: player.map(Self.word) ?? "-",
                positionMs: player?.positionMs,
                distanceMs: player.flatMap { player in player.shown ? roomMs.map { player.positionMs - $0 } : nil },
                isWaitedFor: seat.isPresent && state.peerId.map { room?.waitingOn.contains($0) ?? false } ?? false
            )
        }
        return DemoTable(
            code: code,
            elapsedMs: elapsedMs,
            phaseNumber: number,
            phaseCount: count,
            phaseTitle: phase.title,
            rows: rows
        )
    }

    private static func word(for player: DemoSample.Player) -> String {
        guard player.shown else { return "opening" }
        return player.buffering ? "buffering" : player.paused ? "paused" : "playing"
    }
}
