// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OWPCore
import OWPRelay

/// `owp relay`: runs a relay until it is told to end.
package enum RelayCommand: Subcommand {
    package static let name = "relay"
    package static let summary = "Run a relay, which keeps rooms of watch parties together"
    package static let usage = ["relay [OPTIONS]"]
    package static let discussion = """
        A relay passes small messages between the participants of a room; it never sees a video. Programs reach it at
        http://HOST:PORT, apps through Relays.at of that address. One relay on a small machine carries thousands of
        people; TLS is the work of a reverse proxy in front of it.

        It prints 'listening HOST:PORT' once it takes connections, and ends on Ctrl-C or SIGTERM after it has told
        everyone. Its log goes to standard error, and never holds a name, a code or an address of a participant.

        Each option may also stand in the environment: --max-rooms as OWP_MAX_ROOMS, and so on; what is typed goes
        first.

        Examples:
          owp relay                          for programs on this machine, at 127.0.0.1:8080
          owp relay --addr 0.0.0.0:8080      for everyone in the same network
          owp relay --addr 127.0.0.1:8080 --trust-proxy --state-dir /var/lib/owp
                                             behind a reverse proxy, with rooms that outlive a restart
        """
    package static let options = RelayOption.all.map(\.option)

    @MainActor
    package static func run(_ arguments: Arguments, console: Console) async throws -> Int32 {
        guard arguments.operands.isEmpty else {
            throw UsageError("'\(arguments.operands[0])' is not understood; the address is an option, --addr HOST:PORT")
        }
        let environment = ProcessInfo.processInfo.environment
        var configuration = try RelayOption.configuration(arguments, environment: environment)
        configuration.log = { console.errorLine(plainText("\($0)", limit: 2000)) }
        let descriptors = raiseDescriptorLimit(to: configuration.maxConnections + 300)
        if descriptors < configuration.maxConnections {
            let limits = "descriptors=\(descriptors) max_connections=\(configuration.maxConnections)"
            console.errorLine("level=warning event=few_descriptors \(limits)")
        }
        let signals = await Signals.watch()
        let relay: EmbeddedRelay
        do {
            relay = try EmbeddedRelay.start(configuration)
        } catch {
            throw CommandFailure("\(error)")
        }
        console.line("listening \(RelayOption.joined(configuration.host, relay.port))")
        if let host = configuration.adminHost, let port = relay.adminPort {
            console.line("metrics \(RelayOption.joined(host, port))")
        }
        // Whoever started it waits for these lines, so a disk that is full is no place to go on from.
        console.flush()
        if console.outputState.failure == nil || console.outputState.hasNoReader { for await _ in signals { break } }
        relay.stop()
        return 0
    }

    /// Asks the system for descriptors; every connection takes one, and the usual limit is 1024.
    ///
    /// - Returns: How many there are now.
    private static func raiseDescriptorLimit(to wanted: Int) -> Int {
        #if os(Linux)
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
            let resource = RLIMIT_NOFILE
        #endif
        var limit = rlimit()
        guard getrlimit(resource, &limit) == 0, limit.rlim_cur < rlim_t(wanted) else { return wanted }
        limit.rlim_cur = min(limit.rlim_max, rlim_t(wanted))
        _ = setrlimit(resource, &limit)
        guard getrlimit(resource, &limit) == 0 else { return wanted }
        return Int(clamping: limit.rlim_cur)
    }
}
