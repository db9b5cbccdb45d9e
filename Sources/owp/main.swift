// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OWPCommand

// A reader of our output that goes away must not end the program before it has left its room.
signal(SIGPIPE, SIG_IGN)
// A standard stream that was closed would otherwise be the next file or socket that is opened.
for stream: Int32 in 0...2 where fcntl(stream, F_GETFD) == -1 {
    // For reading only, so that writing there still fails.
    _ = open("/dev/null", O_RDONLY)
}
Task { @MainActor in
    exit(await runCommand(Array(CommandLine.arguments.dropFirst()), console: .standard))
}
RunLoop.main.run()
