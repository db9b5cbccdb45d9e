// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OWPRelayCheck

/// `owp relay-check`: tries a relay against the rules of the protocol.
package enum RelayCheckCommand: Subcommand {
    package static let name = "relay-check"
    package static let summary = "Try a relay against the rules of the protocol"
    package static let usage = ["relay-check URL [OPTIONS]", "relay-check --start COMMAND [OPTIONS]"]
    package static let discussion = """
        Each rule is tried in rooms of its own, through plain connections to the relay: give its http:// address, not that
        of a TLS proxy in front of it. Everything comes from one address, so the relay's limits of an address must be
        raised; and it is quicker with short waiting times, of which both must be told:

          owp relay --timer-scale 0.1 --max-connections-per-ip 10000 --max-rooms-per-ip 10000 \\
            --failed-joins-per-minute 100000
          owp relay-check http://127.0.0.1:8080 --timer-scale 0.1

        With --start it starts a relay itself, which has to print 'listening HOST:PORT' as owp relay does, and also kills
        and restarts it; the command then needs a state directory. Rules are named by the sections of Docs/Protocol.md.
        """
    package static let options = [
        Option("--start", "COMMAND", help: "Start the relay by this shell command, and kill and restart it."),
        Option("--timer-scale", "F", help: "The factor of the relay's waiting times (1)."),
        Option("--only", "TEXT", help: "Only rules whose section begins with TEXT, or that contain it."),
        Option("--list", help: "List the rules instead of trying them."),
    ]

    @MainActor
    package static func run(_ arguments: Arguments, console: Console) async throws -> Int32 {
        let only = arguments.text("--only")
        let scenarios = CheckScenario.all.filter { scenario in
            only.map { scenario.section.hasPrefix($0) || scenario.rule.contains($0) } ?? true
        }
        guard !scenarios.isEmpty else {
            throw UsageError("no rule's section begins with '\(only ?? "")', nor does a rule contain it; try --list")
        }
        if arguments.has("--list") {
            for scenario in scenarios { console.line("\(scenario.section.padding(to: 4)) \(scenario.rule)") }
            return 0
        }
        let scale = try arguments.number("--timer-scale", in: 0.001...1000) ?? 1
        var results: [CheckResult]
        if let command = arguments.text("--start") {
            guard arguments.operands.isEmpty else { throw UsageError("give a URL or --start, not both") }
            let signals = await Signals.watch()
            let started = try StartedRelay(command)
            defer { started.kill() }
            // Whatever this thread waits for, the relay must not be left behind.
            let ending = Task.detached {
                for await _ in signals {
                    started.kill()
                    exit(130)
                }
            }
            defer { ending.cancel() }
            let relay = RelayUnderCheck(host: started.host, port: started.port, timerScale: scale)
            results = await tried(scenarios, relay, console)
            results += CheckRunner.runRestart(of: relay) {
                started.kill()
                try started.start()
                return RelayUnderCheck(host: started.host, port: started.port, timerScale: scale)
            }
        } else {
            guard arguments.operands.count == 1 else {
                throw UsageError("give the relay's URL, such as http://127.0.0.1:8080, or --start COMMAND")
            }
            let relay = try relay(arguments.operands[0], scale)
            do { try relay.reach() } catch {
                throw CommandFailure("there is no relay to try at \(plainText(arguments.operands[0])): \(error)")
            }
            results = await tried(scenarios, relay, console)
        }
        return report(results, console)
    }

    private static func tried(
        _ scenarios: [CheckScenario],
        _ relay: RelayUnderCheck,
        _ console: Console
    ) async -> [CheckResult] {
        let progress: @Sendable (Int) -> Void = { count in
            console.progress("\(count) of \(scenarios.count) rules tried")
        }
        let results = await withCheckedContinuation { done in
            let thread = Thread {
                done.resume(returning: CheckRunner.run(scenarios, against: relay, onResult: progress))
            }
            thread.start()
        }
        console.progress(nil)
        return results
    }

    private static func relay(_ text: String, _ scale: Double) throws(UsageError) -> RelayUnderCheck {
        guard let url = URLComponents(string: text), url.scheme == "http", let host = url.host, !host.isEmpty else {
            throw UsageError("'\(text)' is no http:// address of a relay")
        }
        var base = url.path
        while base.hasSuffix("/") { base.removeLast() }
        let plain = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        return RelayUnderCheck(host: plain, port: url.port ?? 80, base: base, timerScale: scale)
    }

    @MainActor
    private static func report(_ results: [CheckResult], _ console: Console) -> Int32 {
        var section = ""
        for result in results.sorted(by: { ($0.section, $0.rule) < ($1.section, $1.rule) }) {
            if result.section != section {
                section = result.section
                console.line("Section \(section)")
            }
            console.line("  \(result.failure == nil ? "ok    " : "BROKEN") \(result.rule)")
            if let failure = result.failure { console.line("         \(plainText(failure, limit: 500))") }
        }
        let failures = results.compactMap(\.failure)
        let broken = failures.count
        console.line("\(results.count) rules tried, \(broken) broken")
        if failures.contains(where: { $0.contains("429") || $0.contains("rate_limited") }) {
            console.errorLine("The relay's limits were in the way; 'owp relay-check --help' shows which to raise.")
        }
        return broken == 0 ? 0 : 1
    }
}

/// A relay that a shell command started.
private final class StartedRelay: @unchecked Sendable {  // `lock` guards the process; the rest is its owner's alone.
    private(set) var host = ""
    private(set) var port = 0
    private let command: String
    private let lock = NSLock()
    private var process: Process?

    init(_ command: String) throws(CommandFailure) {
        self.command = command
        try start()
    }

    /// Starts it, and waits until it says where it listens.
    func start() throws(CommandFailure) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", "exec \(command)"]
        let output = Pipe()
        process.standardOutput = output
        do { try process.run() } catch { throw CommandFailure("cannot start the relay: \(error.localizedDescription)") }
        lock.withLock { self.process = process }
        var text = ""
        while !text.contains("\n") {
            let bytes = output.fileHandleForReading.availableData
            if bytes.isEmpty { throw CommandFailure("the relay ended without saying where it listens") }
            text += String(decoding: bytes, as: UTF8.self)
        }
        let line = text.prefix { $0 != "\n" }
        guard line.hasPrefix("listening "), let colon = line.lastIndex(of: ":"),
            let port = Int(line[line.index(after: colon)...])
        else { throw CommandFailure("the relay said '\(line)' instead of 'listening HOST:PORT'") }
        let host = line[..<colon].dropFirst("listening ".count)
        (self.host, self.port) = (host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : String(host), port)
    }

    /// Kills it without any warning.
    func kill() {
        guard let process = lock.withLock({ process }), process.isRunning else { return }
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }
}
