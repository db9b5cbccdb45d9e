// OpenWatchParty for Swift. See LICENSE.

/// One measurement of relay time (section 5).
public struct ClockSample: Hashable, Sendable {
    /// Relay time minus local time, in ms.
    public let offsetMs: Int64
    /// The round trip it was measured with, from 0 to 1000 ms.
    public let rttMs: Int64

    /// Makes a sample.
    public init(offsetMs: Int64, rttMs: Int64) {
        self.offsetMs = offsetMs
        self.rttMs = rttMs
    }
}

/// What a `pong` did to the clock (section 5).
public enum PongResult: String, Hashable, Sendable {
    /// It gave a sample.
    case accepted
    /// It gave a sample so different that all earlier ones were dropped.
    case stepped
    /// It gave none: its ping is unknown or answered, or the round trip is out of bounds.
    case ignored
}

/// The estimate of relay time of one connection (section 5).
///
/// Starts when the connection opens, and is never handed to another one. It says when pings are due, and is told of
/// pings sent and pongs received, each with the local time.
public struct RelayClock: Hashable, Sendable {
    private struct Ping: Hashable, Sendable {
        let id: Int64
        let sentAtMs: Int64
    }

    /// The sample with the lowest round trip in the window, the oldest on ties; nil before the first sample.
    public private(set) var best: ClockSample?
    private let openedAtMs: Int64
    private var lastId: Int64 = 0
    private var nextSlot: Int64 = 0
    private var unanswered: [Ping] = []
    private var window: [ClockSample] = []

    /// Starts a clock at a connection's open, in ms of local time.
    public init(openedAtMs: Int64) {
        self.openedAtMs = openedAtMs
        window.reserveCapacity(Constants.clockWindow + 1)
    }

    /// The local time in ms at which the next ping is due: the burst first, then every 5000 ms from the open.
    public var nextPingAtMs: Int64 { dueMs(ofSlot: nextSlot) }

    /// Takes the pings that are due, and records their send times.
    ///
    /// A caller that comes late, after the machine slept perhaps, gets one ping for all the times it missed: the
    /// answers to more would tell nothing new.
    ///
    /// - Parameter localMs: Local time now, in ms.
    /// - Returns: The IDs to send at once, in order; empty before ``nextPingAtMs``.
    public mutating func pingsDue(atLocalMs localMs: Int64) -> [Int64] {
        guard localMs >= nextPingAtMs else { return [] }
        // Their answers could only be too late.
        unanswered.removeAll { localMs.saturatingSubtract($0.sentAtMs) > Constants.largestRoundTripMs }
        lastId += 1
        pingSent(id: lastId, atLocalMs: localMs)
        nextSlot += 1
        if nextPingAtMs <= localMs { nextSlot = firstSlot(afterLocalMs: localMs) }
        return [lastId]
    }

    /// Records the local time in ms at which a ping left.
    public mutating func pingSent(id: Int64, atLocalMs localMs: Int64) {
        unanswered.removeAll { $0.id == id }
        unanswered.append(Ping(id: id, sentAtMs: localMs))
    }

    /// Takes a `pong`.
    ///
    /// - Parameters:
    ///   - id: The ID of the ping that it answers.
    ///   - serverTimeMs: The relay's time in it, in ms.
    ///   - localMs: The local time of its arrival, in ms.
    /// - Returns: What it did to the samples.
    public mutating func pong(id: Int64, serverTimeMs: Int64, atLocalMs localMs: Int64) -> PongResult {
        guard let index = unanswered.firstIndex(where: { $0.id == id }) else { return .ignored }
        let sentAtMs = unanswered.remove(at: index).sentAtMs
        let rttMs = localMs.saturatingSubtract(sentAtMs)
        guard (0...Constants.largestRoundTripMs).contains(rttMs) else { return .ignored }
        let sample = ClockSample(offsetMs: serverTimeMs.saturatingSubtract(sentAtMs + rttMs / 2), rttMs: rttMs)
        let stepped = isStep(sample)
        if stepped { window.removeAll(keepingCapacity: true) }
        window.append(sample)
        if window.count > Constants.clockWindow { window.removeFirst() }
        best = window.min { $0.rttMs < $1.rttMs }
        return stepped ? .stepped : .accepted
    }

    /// The relay time in ms at a local time; nil before the first sample.
    public func relayMs(atLocalMs localMs: Int64) -> Int64? {
        best.map { localMs.saturatingAdd($0.offsetMs) }
    }

    /// Whether a sample differs from the best by more than both round trips explain.
    private func isStep(_ sample: ClockSample) -> Bool {
        guard let best else { return false }
        let difference = sample.offsetMs.saturatingSubtract(best.offsetMs).magnitude
        return difference > UInt64((sample.rttMs + best.rttMs) / 2 + Constants.clockStepSlackMs)
    }

    /// The local time of a ping's slot: 0, 500, 1000 and then 5000, 10000, … after the open.
    private func dueMs(ofSlot slot: Int64) -> Int64 {
        if slot < Constants.burstPings { return openedAtMs.saturatingAdd(slot * Constants.burstSpacingMs) }
        let afterOpen = (slot - Constants.burstPings + 1) &* Constants.pingIntervalMs
        return openedAtMs.saturatingAdd(afterOpen)
    }

    /// The first slot that lies after a local time.
    private func firstSlot(afterLocalMs localMs: Int64) -> Int64 {
        let afterOpen = localMs.saturatingSubtract(openedAtMs)
        if afterOpen < (Constants.burstPings - 1) * Constants.burstSpacingMs {
            return afterOpen / Constants.burstSpacingMs + 1
        }
        return max(Constants.burstPings, afterOpen / Constants.pingIntervalMs + Constants.burstPings)
    }
}
