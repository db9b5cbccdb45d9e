// OpenWatchParty for Swift. See LICENSE.

import OWPParty
import OWPCore

// The asynchronous calls as they start: synchronously, so that a test in virtual time needs no task of its own.
extension WatchParty {
    /// Called synchronously with everything the party publishes and emits, for tests in virtual time.
    package var observer: (@MainActor (PartyOutput<Ref>) -> Void)? {
        get { driver.observer }
        set { driver.observer = newValue }
    }

    /// Whether a connection is open, also one that a given-up attempt keeps for its answer (section 7.2).
    package var hasConnections: Bool { driver.hasConnections }

    /// Starts ``create()``.
    package func startCreate() -> Call<String> {
        driver.call({ .create($0, driver.relaySource) }) { result in
            if case .created(let code) = result { code } else { nil }
        }
    }

    /// Starts ``join(_:create:)``.
    package func startJoin(_ code: String, create: Bool = false) -> Call<Void> {
        driver.call({ .join($0, code: code, create: create, driver.relaySource) }) { $0 == .joined ? () : nil }
    }

    /// Starts ``choose(_:)``.
    package func startChoose(_ candidate: Candidate<Ref>) -> Call<Bool> {
        let offered = driver.offer(candidate)
        return driver.call({ .choose($0, offered) }) { result in
            if case .chose(let taken) = result { taken } else { nil }
        }
    }

    /// Starts ``detachPlayer(_:)``.
    package func startDetach(_ player: (any PlayerAdapter)? = nil) -> Call<Void> {
        let adapter = player.map { driver.key(for: $0) }
        return driver.call({ .detachPlayer($0, adapter) }) { $0 == .released ? () : nil }
    }

    /// Starts ``close()``.
    package func startClose() -> Call<Void> {
        driver.call({ .close($0) }) { $0 == .released ? () : nil }
    }
}
