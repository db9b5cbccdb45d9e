// OpenWatchParty for Swift. See LICENSE.

import OWPPlayerMPV
import OpenWatchParty

/// Opens files with mpv, unseen and unheard, to learn their durations.
///
/// What it learned it remembers, since a file is often asked for again.
@MainActor
package final class PlayerProbe {
    private let program: String
    private var known: [LocalFile: Int64] = [:]

    /// Makes a probe with what is started as mpv.
    package init(program: String) {
        self.program = program
    }

    /// A file's duration in ms as mpv knows it; nil when it has none.
    ///
    /// - Throws: ``MPVError``, such as for a file that mpv cannot play; `CancellationError`.
    package func durationMs(of file: LocalFile) async throws -> Int64? {
        if let durationMs = known[file] { return durationMs }
        var options = MPVPlayer.Options()
        options.program = program
        options.isHeadless = true
        let player = try await MPVPlayer.start(options)
        do {
            try await player.open(file.path)
        } catch {
            await player.close()
            throw error
        }
        let durationMs = player.durationMs
        await player.close()
        known[file] = durationMs
        return durationMs
    }
}

extension CommandFailure {
    /// What to do about a player that cannot be used.
    init(_ error: MPVError, program: String, file: LocalFile? = nil) {
        let name = plainText(program)
        let subject = file.map { "'\(plainText($0.name))'" } ?? "the file"
        switch error {
        case .programNotFound:
            self.init("the player '\(name)' was not found; install mpv (https://mpv.io), or name it with --player-path")
        case .exitedAtStart(let status):
            self.init("the player '\(name)' ended at once with status \(status); does '\(name) --version' work?")
        case .noAnswer(let afterMs):
            self.init("the player '\(name)' did not answer within \(afterMs / 1000) s; is it mpv?")
        case .socketInUse(let path):
            self.init("another player already listens on \(plainText(path)); give another --ipc-socket")
        case .badSocketPath(let path):
            self.init(
                "no socket can be made at \(plainText(path)); give another --ipc-socket, in a folder that is there and "
                    + "may be written, of at most 99 bytes"
            )
        case .cannotPlay(let reason):
            self.init("mpv cannot play \(subject): \(plainText(reason)); is it a video?")
        case .refused(let reason):
            self.init("mpv refused a command: \(plainText(reason))")
        case .timedOut:
            self.init("mpv did not open \(subject) in time; does it play when mpv is started by hand?")
        case .ended:
            self.init("mpv ended while it opened \(subject); does it play when mpv is started by hand?")
        }
    }
}
