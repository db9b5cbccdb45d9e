// OpenWatchParty for Swift. See LICENSE.

/// What all players showed at one moment, read in one pass.
struct DemoSample: Hashable, Sendable {
    /// What one player showed.
    struct Player: Hashable, Sendable {
        /// The position in ms of its own copy.
        var positionMs: Int64
        /// Whether it is paused.
        var paused = false
        /// Whether its input is dry.
        var buffering = false
        /// Whether its copy is open and shows a frame.
        var shown = true
    }

    /// The local time in ms.
    var atMs: Int64
    /// By seat; nil before a player is opened and after it is closed.
    var players: [Player?]
    /// Where the room is by its own account; for the table and the plot only, never for a verdict.
    var roomMs: Int64?

    /// The players that show something.
    var shown: [Player] { players.compactMap { $0 }.filter(\.shown) }

    /// The largest distance between two players that show something, in ms; nil with fewer than two.
    var distanceMs: Int64? {
        let positions = shown.map(\.positionMs)
        guard positions.count > 1, let first = positions.min(), let last = positions.max() else { return nil }
        return last - first
    }
}

/// Everything that was read from the players, in order of time, and what it says about them.
///
/// The verdicts of the demo are drawn from here alone: from positions, never from what a party believes.
struct DemoLog: Sendable {
    private(set) var samples: [DemoSample] = []

    mutating func append(_ sample: DemoSample) { samples.append(sample) }

    /// The samples of a stretch of time, both ends included.
    func samples(fromMs: Int64, toMs: Int64) -> ArraySlice<DemoSample> {
        let start = firstIndex(atOrAfterMs: fromMs)
        let end = max(start, firstIndex(atOrAfterMs: toMs + 1))
        return samples[start..<end]
    }

    /// The samples of the last `windowMs`, the newest and the last one before the window included.
    private func recent(windowMs: Int64) -> ArraySlice<DemoSample> {
        guard let now = samples.last?.atMs else { return [] }
        return samples[max(0, firstIndex(atOrAfterMs: now - windowMs + 1) - 1)...]
    }

    private func firstIndex(atOrAfterMs time: Int64) -> Int {
        var (low, high) = (0, samples.count)
        while low < high {
            let middle = (low + high) / 2
            if samples[middle].atMs < time { low = middle + 1 } else { high = middle }
        }
        return low
    }

    /// How fast a player's position moved during the last `windowMs`, in ms per ms; nil without enough to tell.
    func speed(ofSeat seat: Int, windowMs: Int64 = 200) -> Double? {
        let recent = recent(windowMs: windowMs)
        guard let first = recent.first, let last = recent.last, last.atMs - first.atMs >= windowMs,
            recent.allSatisfy({ $0.players[seat]?.shown == true }),
            let from = first.players[seat]?.positionMs, let to = last.players[seat]?.positionMs
        else { return nil }
        return Double(to - from) / Double(last.atMs - first.atMs)
    }

    /// Whether a player's picture moves on, neither standing nor jumping.
    func isMoving(seat: Int) -> Bool {
        guard let speed = speed(ofSeat: seat, windowMs: 100) else { return false }
        return (0.4...2.5).contains(speed)
    }

    /// Whether a player's position is the same as at the sample before.
    func isStill(seat: Int) -> Bool {
        guard samples.count > 1, let player = samples[samples.count - 1].players[seat] else { return false }
        return player.shown && player.positionMs == samples[samples.count - 2].players[seat]?.positionMs
    }

    /// How far a player is from where the others are, on the average of the last `windowMs`; negative is behind.
    ///
    /// nil without others, or without enough to tell.
    func distanceToOthers(ofSeat seat: Int, windowMs: Int64 = 500) -> Double? {
        let recent = recent(windowMs: windowMs)
        guard let first = recent.first, let last = recent.last, last.atMs - first.atMs >= windowMs else { return nil }
        var distances: [Double] = []
        for sample in recent {
            guard let own = sample.players[seat], own.shown else { return nil }
            let others = sample.players.indices.filter { $0 != seat }.compactMap { sample.players[$0] }
            guard !others.isEmpty, others.allSatisfy(\.shown) else { return nil }
            let middle = others.reduce(0) { $0 + Double($1.positionMs) } / Double(others.count)
            distances.append(Double(own.positionMs) - middle)
        }
        return distances.reduce(0, +) / Double(distances.count)
    }

    /// The distances between the players in a stretch of time.
    func distances(fromMs: Int64, toMs: Int64) -> Distances? {
        Distances(samples(fromMs: fromMs, toMs: toMs).compactMap(\.distanceMs))
    }
}

/// How far apart the players were over a time: half of it at most `p50Ms`, and so on.
struct Distances: Hashable, Sendable {
    let p50Ms: Int64
    let p95Ms: Int64
    let maxMs: Int64

    /// Summarises distances in ms; nil without any.
    init?(_ valuesMs: [Int64]) {
        let sorted = valuesMs.sorted()
        guard let last = sorted.last else { return nil }
        p50Ms = sorted[Self.rank(50, of: sorted.count)]
        p95Ms = sorted[Self.rank(95, of: sorted.count)]
        maxMs = last
    }

    /// The nearest rank of a percentile.
    private static func rank(_ percent: Int, of count: Int) -> Int { max(0, (percent * count + 99) / 100 - 1) }
}

/// Finds when a condition came true to stay: the start of the first run of samples that lasts `holdMs`.
struct SteadyRun: Hashable, Sendable {
    let holdMs: Int64
    private(set) var sinceMs: Int64?

    init(holdMs: Int64) { self.holdMs = holdMs }

    /// Takes the next sample's answer; returns when the run began, once it has lasted.
    mutating func offer(_ good: Bool, atMs: Int64) -> Int64? {
        guard good else {
            sinceMs = nil
            return nil
        }
        let since = sinceMs ?? atMs
        sinceMs = since
        return atMs - since >= holdMs ? since : nil
    }
}
