// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OWPCore
package import OWPPlayerMPV
import OpenWatchParty

/// What `owp watch` was asked for.
package struct WatchSettings: Sendable {
    /// How the room is entered.
    package enum Entry: Hashable, Sendable {
        /// A new room that shares a file.
        case create(LocalFile)
        /// The room of a code.
        case join(code: String)
    }

    /// How the room is entered.
    package var entry: Entry
    /// Where own copies are looked for.
    package var library: MediaLibrary
    /// The relay's base URL.
    package var relay = "http://127.0.0.1:8080"
    /// Whether this process is the room's relay.
    package var hostsRelay = false
    /// The relay's addresses as others type them, the likeliest first; empty for ``relay``.
    package var invitingRelays: [String] = []
    /// The user's name.
    package var name = "Guest"
    /// How the player is started.
    package var player = MPVPlayer.Options()
    /// How many must be ready for the room to play by itself; nil for never.
    package var startWith: Int64?
    /// Whether everyone in a new room may control playback.
    package var everyoneControls = false
    /// Whether a copy of another length is played all the same.
    package var acceptsMismatch = false
    /// How far the own copy is ahead of the room, in ms.
    package var offsetMs: Int64?

    /// Makes settings with the usual values.
    package init(entry: Entry, library: MediaLibrary) {
        self.entry = entry
        self.library = library
    }

    /// Reads a command line.
    ///
    /// - Parameters:
    ///   - arguments: The words after `owp watch`.
    ///   - environment: Where the user's name comes from when none is given.
    /// - Throws: ``UsageError``.
    init(_ arguments: Arguments, environment: [String: String]) throws {
        hostsRelay = arguments.has("--host-here")
        let creates = arguments.has("--create") || hostsRelay
        guard let first = arguments.operands.first else {
            throw UsageError(
                creates ? "name the file to share" : "name the room's code and your file, or --create FILE"
            )
        }
        let paths = creates ? arguments.operands : Array(arguments.operands.dropFirst())
        library = try MediaLibrary(paths: paths)
        if creates {
            entry = .create(try LocalFile.named(first))
        } else {
            guard let code = normalizeCode(first) else {
                let shown = "'\(plainText(first))'"
                if LocalFile(path: first) != nil {
                    throw UsageError("\(shown) is a file: put its room's code before it, or --create to share it")
                }
                throw UsageError("\(shown) is no room code, such as K7M-Q2X")
            }
            guard !paths.isEmpty else {
                throw UsageError("name your file, or a folder to look for it in, after the code")
            }
            entry = .join(code: code)
        }
        name = try Self.name(arguments.text("--name"), environment)
        if let relay = arguments.text("--relay") {
            guard !hostsRelay else { throw UsageError("--host-here makes this machine the relay; leave out --relay") }
            self.relay = relay
        }
        if let program = arguments.text("--player-path") { player.program = program }
        player.socketPath = arguments.text("--ipc-socket")
        player.isHeadless = arguments.has("--headless")
        startWith = try arguments.integer("--start-with", in: 1...1000)
        everyoneControls = arguments.has("--everyone")
        acceptsMismatch = arguments.has("--accept-mismatch")
        offsetMs = try arguments.integer("--offset", in: -Constants.largestOffsetMs...Constants.largestOffsetMs)
        for option in ["--accept-mismatch", "--offset"]
        where creates && (arguments.has(option) || arguments.text(option) != nil) {
            throw UsageError("\(option) is for those who join; the file that is shared sets the time")
        }
        for option in ["--start-with", "--everyone"]
        where !creates && (arguments.has(option) || arguments.text(option) != nil) {
            throw UsageError("\(option) goes with --create or --host-here")
        }
    }

    /// The name that was given, or one made of the system's.
    private static func name(_ given: String?, _ environment: [String: String]) throws -> String {
        if let given {
            guard isValidName(given) else { throw UsageError("--name takes 1 to 32 plain characters") }
            return given
        }
        let user = printableText(environment["USER"] ?? environment["LOGNAME"] ?? "", limit: 32)
        return isValidName(user) ? user : "Guest"
    }
}
