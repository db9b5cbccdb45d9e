// OpenWatchParty for Swift. See LICENSE.

import OWPCore
package import OWPRelay

/// Walks through the states a room can come to, and checks each and every step between them.
///
/// States are expanded in random order from several beginnings, so that breadth and depth grow together; the same seed
/// walks the same way.
package struct RoomExplorer {
    /// What an exploration came to.
    package struct Outcome: Sendable {
        /// The distinct states that were checked.
        package var states = 0
        /// The steps that were checked.
        package var steps = 0
        /// The longest shortest-known way to a state, in events.
        package var depth = 0
        /// The invariant that was broken, and the events that led there; nil when none was.
        package var fault: Fault?
    }

    /// A broken invariant.
    package struct Fault: Sendable {
        /// Which one, in words.
        package var invariant: String
        /// How to get there from a beginning.
        package var events: [RoomModel.Event]
    }

    private struct Origin {
        var parent: Fingerprint?
        var event: RoomModel.Event?
        var depth: Int32
    }

    private let size: Int
    private let times: RoomTimes
    private let limit: Int
    private var random: SplitMix
    private var origins: [Fingerprint: Origin] = [:]
    private var frontier: [RoomModel] = []
    private var outcome = Outcome()

    /// An exploration.
    ///
    /// - Parameters:
    ///   - size: How many participants there are at most.
    ///   - limit: After how many distinct states it ends.
    ///   - times: The room's times; with other ones than the protocol's, an invariant is broken.
    ///   - seed: The seed of the order.
    package init(size: Int, limit: Int, times: RoomTimes = RoomTimes(), seed: UInt64 = 1) {
        self.size = size
        self.limit = limit
        self.times = times
        random = SplitMix(seed: seed)
    }

    /// Explores.
    package mutating func run() -> Outcome {
        for beginning in beginnings { enter(beginning, Origin(parent: nil, event: nil, depth: 0)) }
        while outcome.states < limit, outcome.fault == nil, !frontier.isEmpty {
            let index = Int(random.next() % UInt64(frontier.count))
            frontier.swapAt(index, frontier.count - 1)
            expand(frontier.removeLast())
        }
        return outcome
    }

    private mutating func expand(_ model: RoomModel) {
        let parent = Fingerprint(model)
        let depth = origins[parent]?.depth ?? 0
        for event in model.events {
            var next = model
            let effects = next.happen(event)
            outcome.steps += 1
            if let invariant = RoomInvariants.broken(from: model, to: next, effects: effects) {
                outcome.fault = Fault(invariant: invariant, events: way(to: parent) + [event])
                return
            }
            enter(next, Origin(parent: parent, event: event, depth: depth + 1))
            if outcome.fault != nil { return }
        }
    }

    private mutating func enter(_ model: RoomModel, _ origin: Origin) {
        let fingerprint = Fingerprint(model)
        guard origins[fingerprint] == nil else { return }
        origins[fingerprint] = origin
        outcome.states += 1
        outcome.depth = max(outcome.depth, Int(origin.depth))
        if let invariant = RoomInvariants.broken(in: model) {
            outcome.fault = Fault(invariant: invariant, events: way(to: fingerprint))
            return
        }
        guard !model.room.members.isEmpty else { return }
        if frontier.count < 100_000 {
            frontier.append(model)
        } else {
            // Memory is finite: what is dropped was checked, and is not expanded.
            frontier[Int(random.next() % UInt64(frontier.count))] = model
        }
    }

    private func way(to fingerprint: Fingerprint) -> [RoomModel.Event] {
        var (events, place): ([RoomModel.Event], Fingerprint?) = ([], fingerprint)
        while let current = place, let origin = origins[current] {
            if let event = origin.event { events.append(event) }
            place = origin.parent
        }
        return events.reversed()
    }

    /// Rooms from which everything else is a few events away.
    private var beginnings: [RoomModel] {
        var full = RoomModel(size: size, times: times)
        while full.room.members.count < size { _ = full.happen(.join) }
        var waiting = full
        _ = waiting.happen(.setMedia)
        var playing = waiting
        for place in 0..<size { _ = playing.happen(.status(place, .ready)) }
        playing.pass(until: playing.room.atMs + 100)
        var paused = playing
        _ = paused.happen(.pause(0, plus: nil))
        var stalled = playing
        _ = stalled.happen(.status(size - 1, .buffering))
        stalled.pass(until: stalled.nowMs + times.stallMs)
        var excused = stalled
        excused.pass(until: excused.nowMs + times.waitLimitMs)
        var sought = playing
        _ = sought.happen(.seek(0, 500))
        var deserted = playing
        for place in 0..<size { _ = deserted.happen(.drop(place)) }
        return [
            RoomModel(size: size, times: times), full, waiting, playing, paused, stalled, excused, sought, deserted,
        ]
    }
}

/// A small generator whose numbers depend on its seed alone.
private struct SplitMix: Sendable {
    private var state: UInt64
    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
