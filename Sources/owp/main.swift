// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OWPCommand

// A reader of our output that goes away must not end the program before it has left its room.
signal(SIGPIPE, SIG_IGN)
Task { @MainActor in
    exit(await runCommand(Array(CommandLine.arguments.dropFirst()), console: .standard))
}
RunLoop.main.run()
