// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPRelay

/// One option of `owp relay`: how it is written, and what it sets.
struct RelayOption: Sendable {
    /// As the command line knows it.
    let option: Option
    /// Sets it from its text, which is `true` for a given flag.
    let set: @Sendable (inout RelayConfiguration, String) throws(UsageError) -> Void

    /// The name of its environment variable: `OWP_MAX_ROOMS` for `--max-rooms`.
    var variable: String {
        "OWP_" + option.name.dropFirst(2).uppercased().replacing("-", with: "_")
    }

    /// A configuration from the command line and, for what is not typed, the environment.
    ///
    /// - Throws: ``UsageError`` for a value that is none of its option's.
    static func configuration(
        _ arguments: Arguments,
        environment: [String: String]
    ) throws(UsageError) -> RelayConfiguration {
        var configuration = RelayConfiguration()
        configuration.port = 8080
        for entry in all {
            let typed = entry.option.value == nil && arguments.has(entry.option.name) ? "true" : nil
            if let text = typed ?? arguments.text(entry.option.name) {
                try entry.set(&configuration, text)
            } else if let text = environment[entry.variable], !text.isEmpty {
                do throws(UsageError) {
                    try entry.set(&configuration, text)
                } catch {
                    throw UsageError("\(entry.variable) in the environment: \(error.message)")
                }
            }
        }
        return configuration
    }

    /// Every option, in the order of the help.
    static let all: [RelayOption] = [
        RelayOption(
            "--addr",
            "HOST:PORT",
            "Where to listen; :8080 means every address, port 0 any free one (127.0.0.1:8080)."
        ) {
            configuration,
            text throws(UsageError) in
            (configuration.host, configuration.port) = try address(text, "--addr")
        },
        RelayOption("--admin-addr", "HOST:PORT", "Where to serve metrics; nowhere by default.") {
            configuration,
            text throws(UsageError) in
            let (host, port) = try address(text, "--admin-addr")
            (configuration.adminHost, configuration.adminPort) = (host, port)
        },
        RelayOption("--state-dir", "DIR", "Where rooms are saved, so that they outlive a restart; nowhere by default.")
        {
            configuration,
            text throws(UsageError) in
            guard !text.isEmpty else { throw UsageError("--state-dir takes a directory, not ''") }
            configuration.stateDirectory = text
        },
        RelayOption("--trust-proxy", nil, "Take the client's address from the reverse proxy's X-Forwarded-For.") {
            configuration,
            text throws(UsageError) in
            configuration.trustsProxy = try flag(text, "--trust-proxy")
        },
        RelayOption("--prefixes", "SYMBOLS", "The first symbols of this relay's codes (all 31).") {
            configuration,
            text throws(UsageError) in
            let symbols = text.uppercased()
            guard !symbols.isEmpty, symbols.utf8.allSatisfy({ codeAlphabet.utf8.contains($0) }) else {
                throw UsageError("--prefixes takes symbols of \(codeAlphabet), not '\(text)'")
            }
            configuration.prefixes = symbols
        },
        RelayOption("--block-client", "APP,APP", "Apps to refuse, by the part of their client before its first '/'.") {
            configuration,
            text throws(UsageError) in
            configuration.blockedClients = text.split(separator: ",").map(String.init)
        },
        integer("--max-connections", \.maxConnections, 1...1_000_000, "Connections in all (20000)."),
        integer(
            "--max-connections-per-ip",
            \.maxConnectionsPerIP,
            1...1_000_000,
            "Connections of an address, or of an IPv6 /64 (10)."
        ),
        integer("--max-rooms", \.maxRooms, 1...1_000_000, "Rooms in all (10000)."),
        integer("--max-rooms-per-ip", \.maxRoomsPerIP, 1...1_000_000, "Living rooms made by an address (3)."),
        integer("--max-participants", \.maxParticipants, 1...1000, "Participants of a room (50)."),
        integer("--max-message-bytes", \.maxMessageBytes, 1024...1_048_576, "Bytes of a client's message (16384)."),
        RelayOption("--messages-per-second", "N", "Messages a second of a connection, on and on (20).") {
            configuration,
            text throws(UsageError) in
            configuration.messagesPerSecond = try number(text, "--messages-per-second", in: 0.1...1e6)
        },
        integer("--message-burst", \.messageBurst, 1...1_000_000, "Messages of a connection at once (60)."),
        integer(
            "--failed-joins-per-minute",
            \.failedJoinsPerMinute,
            1...1_000_000,
            "Failed joins and resumes of an address in a minute (30)."
        ),
        integer(
            "--client-timeout-ms",
            \.clientTimeoutMs,
            1000...86_400_000,
            "How long a connection may send nothing, or be in no room (30000)."
        ),
        integer(
            "--send-buffer-bytes",
            \.sendBufferBytes,
            4096...1_073_741_824,
            "Unsent bytes after which a client that does not read is dropped (262144)."
        ),
        RelayOption("--timer-scale", "F", "A factor for every waiting time, for tests (1).") {
            configuration,
            text throws(UsageError) in
            configuration.timerScale = try number(text, "--timer-scale", in: 0.001...1000)
        },
    ]

    private init(
        _ name: String,
        _ value: String?,
        _ help: String,
        set: @escaping @Sendable (inout RelayConfiguration, String) throws(UsageError) -> Void
    ) {
        option = Option(name, value, help: help)
        self.set = set
    }

    private static func integer(
        _ name: String,
        _ member: any WritableKeyPath<RelayConfiguration, Int> & Sendable,
        _ range: ClosedRange<Int>,
        _ help: String
    ) -> RelayOption {
        RelayOption(name, "N", help) { configuration, text throws(UsageError) in
            guard let value = Int(text), range.contains(value) else {
                throw UsageError(
                    "\(name) takes a whole number from \(range.lowerBound) to \(range.upperBound), not '\(text)'"
                )
            }
            configuration[keyPath: member] = value
        }
    }

    private static func number(
        _ text: String,
        _ name: String,
        in range: ClosedRange<Double>
    ) throws(UsageError) -> Double {
        guard let value = Double(text), range.contains(value) else {
            throw UsageError("\(name) takes a number from \(range.lowerBound) to \(range.upperBound), not '\(text)'")
        }
        return value
    }

    private static func flag(_ text: String, _ name: String) throws(UsageError) -> Bool {
        switch text.lowercased() {
        case "1", "true", "yes": return true
        case "0", "false", "no": return false
        default: throw UsageError("\(name) is true or false, not '\(text)'")
        }
    }

    /// Splits `HOST:PORT`, where an IPv6 address stands in brackets and an empty host means every address.
    private static func address(_ text: String, _ name: String) throws(UsageError) -> (host: String, port: Int) {
        guard let colon = text.lastIndex(of: ":"), let port = Int(text[text.index(after: colon)...]),
            (0...65_535).contains(port)
        else { throw UsageError("\(name) takes HOST:PORT, such as 127.0.0.1:8080, not '\(text)'") }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            throw UsageError("\(name): an IPv6 address stands in brackets, as in [::1]:8080")
        }
        return (host.isEmpty ? "0.0.0.0" : String(host), port)
    }

    /// An address as it is printed: an IPv6 address in brackets.
    static func joined(_ host: String, _ port: Int) -> String {
        host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
