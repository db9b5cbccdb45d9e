// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OWPCommand

Task { @MainActor in
    exit(await runCommand(Array(CommandLine.arguments.dropFirst()), console: .standard))
}
RunLoop.main.run()
