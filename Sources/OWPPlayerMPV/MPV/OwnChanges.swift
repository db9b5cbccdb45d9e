// OpenWatchParty for Swift. See LICENSE.

/// Changes that the adapter asked mpv for and has not yet seen, so that they are not taken for a person's.
///
/// mpv answers a request first and reports the change that it made after that; a request that changed nothing is
/// followed by no report, so an answered one is forgotten after a while.
struct OwnChanges<Value: Hashable & Sendable>: Hashable, Sendable {
    private struct Change: Hashable, Sendable {
        let id: Int
        let value: Value
        var answeredAtMs: Double?
    }

    /// How long after its answer a change may still be reported.
    private static var reportedWithinMs: Double { 1000 }

    private var changes: [Change] = []
    private var lastId = 0

    /// Notes a request before it is sent; returns what to name it by.
    mutating func asked(_ value: Value) -> Int {
        lastId += 1
        changes.append(Change(id: lastId, value: value))
        return lastId
    }

    /// Notes that mpv did a request, or refused it.
    mutating func answered(_ id: Int, succeeded: Bool, atMs: Double) {
        guard let index = changes.firstIndex(where: { $0.id == id }) else { return }
        if succeeded { changes[index].answeredAtMs = atMs } else { changes.remove(at: index) }
    }

    /// Whether a reported change is one of these; it and those before it are then done with.
    mutating func explain(_ value: Value, atMs: Double) -> Bool {
        changes.removeAll { change in change.answeredAtMs.map { atMs - $0 > Self.reportedWithinMs } ?? false }
        guard let index = changes.firstIndex(where: { $0.value == value }) else { return false }
        changes.removeFirst(index + 1)
        return true
    }
}
