// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OWPWire

/// What came of a scenario.
package struct CheckResult: Sendable {
    /// The section of the document.
    package let section: String
    /// The rule.
    package let rule: String
    /// What did not happen as it should; nil when the rule holds.
    package let failure: String?
}

/// Runs scenarios, many at a time: most of them only wait.
package enum CheckRunner {
    /// Runs scenarios against a relay.
    ///
    /// - Parameters:
    ///   - scenarios: Which.
    ///   - relay: The relay; its limits of an address must be out of the way.
    ///   - threads: How many at a time.
    ///   - onResult: Called after each, on any thread, with how many have been tried.
    /// - Returns: The results, in the order of the scenarios.
    package static func run(
        _ scenarios: [CheckScenario],
        against relay: RelayUnderCheck,
        threads: Int = 16,
        onResult: @escaping @Sendable (Int) -> Void = { _ in }
    ) -> [CheckResult] {
        let board = Board(count: scenarios.count)
        let workers = DispatchGroup()
        for _ in 0..<min(threads, scenarios.count) {
            workers.enter()
            let thread = Thread {
                while let index = board.take() {
                    onResult(board.put(result(of: scenarios[index], against: relay), at: index))
                }
                workers.leave()
            }
            thread.start()
        }
        workers.wait()
        return board.all
    }

    private static func result(of scenario: CheckScenario, against relay: RelayUnderCheck) -> CheckResult {
        var failure: String?
        do { try scenario.run(relay) } catch { failure = "\(error)" }
        return CheckResult(section: scenario.section, rule: scenario.rule, failure: failure)
    }

    /// Kills a relay while a room plays in it, and looks what the next one knows.
    ///
    /// - Parameters:
    ///   - relay: The relay, started with a state directory.
    ///   - restart: Kills it, without any warning, and starts it again.
    /// - Returns: The results.
    package static func runRestart(
        of relay: RelayUnderCheck,
        restart: () throws -> RelayUnderCheck
    ) -> [CheckResult] {
        let rules = [
            "a room that played before a kill has played on", "tokens outlive a kill", "media outlives a kill",
            "relay time goes on across a kill",
        ]
        var failures: [String?]
        do {
            let party = try CheckParty.running(relay, 1, at: 1000)
            let session = party.sessions[0]
            let beforeMs = try party.relayMs()
            // A change is on disk a second later.
            _ = try party.host.event(withinMs: 1500)
            let next = try restart()
            let client = try next.open()
            try client.send(.resume(code: session.code, peerId: session.peerId, token: session.token))
            let joined = try client.nextJoined()
            failures = [
                joined.room.phase == .playing && joined.room.positionMs == 1000 ? nil : "it is \(joined.room)",
                joined.token == session.token ? nil : "the token is another",
                joined.media == CheckParty.media ? nil : "it is \(String(describing: joined.media))",
                joined.serverTimeMs > beforeMs ? nil : "it stepped back",
            ]
        } catch {
            failures = rules.map { _ in "\(error)" }
        }
        return zip(rules, failures).map { CheckResult(section: "9", rule: $0, failure: $1) }
    }

    /// Hands out indices and keeps results.
    ///
    /// `@unchecked`: guarded by `lock`.
    private final class Board: @unchecked Sendable {
        private let lock = NSLock()
        private var next = 0
        private var done = 0
        private var results: [CheckResult?]

        init(count: Int) { results = Array(repeating: nil, count: count) }

        func take() -> Int? {
            lock.withLock {
                guard next < results.count else { return nil }
                next += 1
                return next - 1
            }
        }

        /// Keeps a result; returns how many there are.
        func put(_ result: CheckResult, at index: Int) -> Int {
            lock.withLock {
                results[index] = result
                done += 1
                return done
            }
        }

        var all: [CheckResult] { lock.withLock { results.compactMap { $0 } } }
    }
}
