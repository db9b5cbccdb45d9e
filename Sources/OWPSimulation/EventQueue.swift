// OpenWatchParty for Swift. See LICENSE.

/// What is to happen, the earliest first, and of two at one time the one that was planned first.
struct EventQueue<Event> {
    private struct Entry {
        let timeUs: Int64
        let number: Int
        let event: Event

        func isBefore(_ other: Entry) -> Bool {
            timeUs == other.timeUs ? number < other.number : timeUs < other.timeUs
        }
    }

    /// A binary heap.
    private var entries: [Entry] = []
    private var planned = 0

    /// When the next event happens, in µs; nil when there is none.
    var nextUs: Int64? { entries.first?.timeUs }

    /// Plans an event.
    mutating func plan(_ event: Event, atUs timeUs: Int64) {
        planned += 1
        entries.append(Entry(timeUs: timeUs, number: planned, event: event))
        var child = entries.count - 1
        while child > 0, case let parent = (child - 1) / 2, entries[child].isBefore(entries[parent]) {
            entries.swapAt(child, parent)
            child = parent
        }
    }

    /// Takes the next event out.
    mutating func take() -> (timeUs: Int64, event: Event)? {
        guard let last = entries.popLast() else { return nil }
        guard let first = entries.first else { return (last.timeUs, last.event) }
        entries[0] = last
        var parent = 0
        while case let left = 2 * parent + 1, left < entries.count {
            let right = left + 1
            let child = right < entries.count && entries[right].isBefore(entries[left]) ? right : left
            guard entries[child].isBefore(entries[parent]) else { break }
            entries.swapAt(child, parent)
            parent = child
        }
        return (first.timeUs, first.event)
    }
}
