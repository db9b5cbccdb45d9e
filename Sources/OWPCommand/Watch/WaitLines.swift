// OpenWatchParty for Swift. See LICENSE.

import OpenWatchParty

/// Says whom the room waits for, once for each change, and when the wait is over.
struct WaitLines: Sendable {
    private var told: [String] = []

    /// Takes a snapshot; answers with a line when there is something new.
    mutating func take(_ room: Room, me: String?) -> String? {
        let waitedFor = room.phase == .waiting ? room.waitingOn : []
        guard waitedFor != told else { return nil }
        let wasWaiting = !told.isEmpty
        told = waitedFor
        guard waitedFor.isEmpty else {
            return "Waiting for \(WatchTexts.list(waitedFor.map { name($0, room, me: me) }))."
        }
        guard wasWaiting, room.phase == .playing else { return nil }
        return "Everyone is ready: playing."
    }

    private func name(_ peerId: String, _ room: Room, me: String?) -> String {
        if peerId == me { return "your player" }
        return room.participants.first { $0.peerId == peerId }.map { plainText($0.name) } ?? "somebody"
    }
}
