// OpenWatchParty for Swift. See LICENSE.

import OpenWatchParty

extension WatchSession {
    /// Ends the room for everyone: without their relay the others would wait in vain for it to come back.
    func endRoom() async {
        let states = party.states()
        guard (try? party.end()) != nil else { return }
        let limit = Task { @MainActor [party] in
            try await Task.sleep(nanoseconds: 2_000_000_000)
            party.leave()
        }
        for await state in states where state.connection == .ended { break }
        limit.cancel()
    }
}
