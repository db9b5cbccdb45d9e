// OpenWatchParty for Swift. See LICENSE.

/// What is due when, for many things at once.
///
/// Moving a deadline back is free: the entry stays, and comes out early. So whoever takes a key out looks whether it is
/// really due, and sets its deadline again.
struct DeadlineQueue<Key: Hashable & Sendable>: Sendable {
    private struct Entry: Sendable {
        var dueMs: Int64
        var key: Key
    }

    /// A binary heap, the earliest first; an entry counts while `dues` has the same time for its key.
    ///
    /// Those that count no more stay until they are due, or until they are most of all: a room's may be a day away.
    private var heap: [Entry] = []
    private var dues: [Key: Int64] = [:]

    /// The earliest time at which something may be due; nil without anything.
    var nextMs: Int64? { heap.first?.dueMs }

    /// Sets a key's deadline; nil forgets the key.
    mutating func set(_ key: Key, dueMs: Int64?) {
        guard let dueMs else {
            dues[key] = nil
            return
        }
        if let current = dues[key], current <= dueMs { return }
        if heap.count > 2 * dues.count + 64 { forgetStale() }
        dues[key] = dueMs
        heap.append(Entry(dueMs: dueMs, key: key))
        rise(from: heap.count - 1)
    }

    /// How many entries there are, those that count no more among them.
    var entryCount: Int { heap.count }

    private mutating func forgetStale() {
        // An ascending array is a heap.
        heap = dues.map { Entry(dueMs: $0.value, key: $0.key) }.sorted { $0.dueMs < $1.dueMs }
    }

    /// Takes out a key that is due; nil when there is none left.
    mutating func next(at nowMs: Int64) -> Key? {
        while let first = heap.first, first.dueMs <= nowMs {
            removeFirst()
            guard dues[first.key] == first.dueMs else { continue }
            dues[first.key] = nil
            return first.key
        }
        return nil
    }

    private mutating func removeFirst() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var place = 0
        while true {
            var least = place
            for child in [2 * place + 1, 2 * place + 2] where child < heap.count {
                if heap[child].dueMs < heap[least].dueMs { least = child }
            }
            if least == place { return }
            heap.swapAt(place, least)
            place = least
        }
    }

    private mutating func rise(from start: Int) {
        var place = start
        while place > 0, heap[place].dueMs < heap[(place - 1) / 2].dueMs {
            heap.swapAt(place, (place - 1) / 2)
            place = (place - 1) / 2
        }
    }
}
