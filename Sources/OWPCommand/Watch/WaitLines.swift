// OpenWatchParty for Swift. See LICENSE.

import OpenWatchParty

/// Says whom the room waits for, once for each change, and when the wait is over.
///
/// A seek makes the room wait for a moment every time; a wait is told of once it has lasted long enough to be noticed.
struct WaitLines: Sendable {
    /// How long that is, in ms.
    static let noticedAfterMs: Int64 = 700

    private var told: [String] = []
    private var sinceMs: Int64?

    /// When to look again, in ms of the same time, while a wait has not been told of yet.
    var lookAgainAtMs: Int64? { told.isEmpty ? sinceMs.map { $0 + Self.noticedAfterMs } : nil }

    /// Takes a snapshot and its time, in ms of monotonic time; answers with a line when there is something new.
    mutating func take(_ room: Room, me: String?, atMs: Int64) -> String? {
        let waitedFor = room.phase == .waiting ? room.waitingOn : []
        guard !waitedFor.isEmpty else {
            sinceMs = nil
            guard !told.isEmpty else { return nil }
            told = []
            return room.phase == .playing ? "Everyone is ready: playing." : nil
        }
        let since = sinceMs ?? atMs
        sinceMs = since
        guard waitedFor != told, !told.isEmpty || atMs - since >= Self.noticedAfterMs else { return nil }
        told = waitedFor
        return "Waiting for \(WatchTexts.list(waitedFor.map { name($0, room, me: me) }))."
    }

    private func name(_ peerId: String, _ room: Room, me: String?) -> String {
        if peerId == me { return "your player" }
        return room.participants.first { $0.peerId == peerId }.map { plainText($0.name) } ?? "somebody"
    }
}
