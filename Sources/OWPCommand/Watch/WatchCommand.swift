// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OWPPlayerMPV
import OWPRelay

/// `owp watch`: watch a film of one's own together with others.
enum WatchCommand: Subcommand {
    static let name = "watch"
    static let summary = "Watch your own copy of a film in step with others, in mpv"
    static let usage = [
        "watch --create FILE [OPTIONS] [FILE_OR_FOLDER...]", "watch --host-here FILE [OPTIONS] [FILE_OR_FOLDER...]",
        "watch CODE FILE_OR_FOLDER... [OPTIONS]",
    ]
    static let discussion = """
        The first form makes a room that shares FILE, stopped at its start, and prints the room's code. The second does
        so without any relay elsewhere: for as long as it runs it is one itself, for everyone in the same network, and
        prints what the others type. The third joins the room of a code, finds your own copy of what is watched there by
        name, size, hash and length, opens it in mpv and follows. Press play, pause and seek in mpv or here: it goes for
        everyone, when the room lets you. Without --relay the relay of this machine is asked (owp relay).

        Ctrl-C leaves the room; another one, half a second later or more, ends owp at once. Closing mpv leaves too.

        Keys here, when this is a terminal:
        \(WatchKey.list.split(separator: "\n").map { "  " + $0 }.joined(separator: "\n"))

        With --json each line is an object with the member 'event': created {code, relays}, joined {code},
        player {ipcSocket}, media, searching, found {file, deltaMs}, mismatch {ownMs, roomMs, deltaMs, accepted},
        unplayable {file, text}, unavailable, opened {file}, room {phase, positionMs, rate}, waiting {text} when it
        lasts, action {kind, by, byMe, positionMs, rate}, participantJoined and participantLeft {name}, control {who},
        refused {code, re}, reconnecting, reconnected, playBlocked, playerClosed, playerFailed {text},
        ended {reason, code}. opening and connecting tell of what takes longer than two seconds. When the room cannot be
        entered, the last line is failed {status, text, code}, with a code only when the room or the relay is the cause.
        Others may follow.

        Examples:
          owp watch --create film.mkv --name Anna
          owp watch --host-here film.mkv --everyone
          owp watch K7M-Q2X ~/Videos --name Ben --relay http://192.168.1.5:8080
        """
    static let options = [
        Option("--create", help: "Make a room that shares the first FILE."),
        Option(
            "--host-here",
            help: "Make a room, and be its relay for this network, at port 8080 or another free one."
        ),
        Option("--relay", "URL", help: "The relay's address (http://127.0.0.1:8080)."),
        Option("--name", "NAME", help: "What the others call you (your user name)."),
        Option("--start-with", "N", help: "In a room you make: play by itself once N people are ready."),
        Option("--everyone", help: "In a room you make: let everyone play, pause and seek, not the host alone."),
        Option("--accept-mismatch", help: "Play your copy also when its length differs from the room's."),
        Option("--offset", "MS", help: "Your copy is ahead by so much, as by a longer intro; accepts its length."),
        Option("--headless", help: "No window and no sound."),
        Option("--player-path", "PROGRAM", help: "What is started as mpv (mpv)."),
        Option("--ipc-socket", "PATH", help: "Where mpv listens, for other programs to read it too."),
        Option("--json", help: "One JSON object a line, for programs."),
    ]

    static func run(_ arguments: Arguments, console: Console) async throws -> Int32 {
        var settings = try WatchSettings(arguments, environment: ProcessInfo.processInfo.environment)
        guard MPVPlayer.find(settings.player.program) != nil else {
            let missing = MPVError.programNotFound(settings.player.program)
            throw CommandFailure(missing, program: settings.player.program)
        }
        if let path = settings.player.socketPath {
            do throws(MPVError) { try MPVPlayer.check(socketPath: path) } catch {
                throw CommandFailure(error, program: settings.player.program)
            }
        }
        let relay = settings.hostsRelay ? try hostedRelay() : nil
        defer { relay?.stop() }
        if let relay {
            settings.relay = relay.baseURL
            settings.invitingRelays = relay.networkURLs
        }
        let output = WatchOutput(console: console, isJSON: arguments.has("--json"))
        let session = try WatchSession(settings, output: output)
        let signals = await Signals.watch([SIGINT, SIGTERM, SIGHUP])
        let terminal = arguments.has("--json") ? nil : Terminal()
        defer { terminal?.restore() }
        session.beforeExit = { terminal?.restore() }
        let helpers = [
            terminal.map { terminal in
                let keys = terminal.keys()
                return Task { @MainActor in for await key in keys { session.take(key) } }
            },
            terminal.map { terminal in
                Task { @MainActor in for await _ in await Signals.watch([SIGCONT]) { terminal.resume() } }
            },
            console.isTerminal
                ? Task { @MainActor in
                    while !Task.isCancelled {
                        output.show(status: session.statusLine)
                        try? await Task.sleep(nanoseconds: 500_000_000)
                    }
                } : nil,
            // Nobody reads on: the room is left as by Ctrl-C.
            Task { @MainActor in for await _ in console.outputState.failures { session.finish(0) } },
        ]
        defer { for helper in helpers { helper?.cancel() } }
        return try await session.run(signals: signals)
    }

    /// A relay for everyone in the same network, at the usual port when that is free.
    static func hostedRelay() throws -> EmbeddedRelay {
        var configuration = RelayConfiguration()
        configuration.host = "0.0.0.0"
        configuration.port = 8080
        if let relay = try? EmbeddedRelay.start(configuration) { return relay }
        configuration.port = 0
        do { return try EmbeddedRelay.start(configuration) } catch { throw CommandFailure("\(error)") }
    }
}
