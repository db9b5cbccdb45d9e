// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OWPPlayerMPV

/// One participant's network: how long a message takes on it, and when it is away.
struct NetworkPath {
    /// A time without network.
    struct Outage {
        /// When the network is back.
        let untilUs: Int64
        /// Whether the connections broke, as both ends were told; else TCP holds on, and nobody knows.
        let breaksConnections: Bool
        /// When what was sent meanwhile is retransmitted.
        let resumesUs: Int64
    }

    private let upUs: Int64
    private let downUs: Int64
    private let jitterUs: Double
    private let loss: Double
    /// How often it goes away in an hour, and for how long, in ms.
    let dropsPerHour: Double
    let outageMs: ClosedRange<Int64>
    /// The running outage; nil while the network is there.
    var outage: Outage?

    /// Draws a participant's own path of a profile.
    init(_ profile: NetworkProfile, using random: inout SplitMix) {
        let factor = Double.random(in: 0.5...1.5, using: &random)
        let tilt = Double.random(in: -0.5...0.5, using: &random)
        let oneWay = profile.latencyMs * factor
        upUs = Int64(max(0, oneWay + profile.asymmetryMs * tilt) * 1000)
        downUs = Int64(max(0, oneWay - profile.asymmetryMs * tilt) * 1000)
        jitterUs = profile.jitterMs * 1000
        loss = profile.loss
        dropsPerHour = profile.dropsPerHour
        outageMs = profile.outageMs
    }

    /// How long one message takes, in µs: the way, its jitter, and TCP's timeouts for each time it is lost.
    func delayUs(up: Bool, using random: inout SplitMix) -> Int64 {
        var delay = up ? upUs : downUs
        if jitterUs > 0 { delay += Int64(-log(1 - Double.random(in: 0..<1, using: &random)) * jitterUs) }
        var timeoutUs = retransmissionUs
        while loss > 0, Double.random(in: 0..<1, using: &random) < loss {
            delay += timeoutUs
            timeoutUs = min(2 * timeoutUs, 60_000_000)
        }
        return delay
    }

    /// How long a connection takes to open, in µs: round trips for TCP, for TLS and for the upgrade.
    func openingUs(using random: inout SplitMix) -> Int64 {
        (0..<3).reduce(0) { sum, _ in sum + delayUs(up: true, using: &random) + delayUs(up: false, using: &random) }
    }

    /// When an opening that begins during the outage reaches the other side: its first packet is repeated after 1, 3, 7
    /// and more seconds.
    func firstRetryUs(fromUs nowUs: Int64) -> Int64 {
        guard let outage else { return nowUs }
        var waitUs: Int64 = 1_000_000
        var atUs = nowUs
        while atUs < outage.untilUs {
            atUs += waitUs
            waitUs *= 2
        }
        return atUs
    }

    /// Loses the network for a time.
    mutating func goAway(atUs nowUs: Int64, forMs durationMs: Int64, breaking: Bool) {
        let untilUs = nowUs + durationMs * 1000
        var retryUs = nowUs
        var timeoutUs = retransmissionUs
        while retryUs < untilUs {
            retryUs += timeoutUs
            timeoutUs = min(2 * timeoutUs, 60_000_000)
        }
        outage = Outage(untilUs: untilUs, breaksConnections: breaking, resumesUs: retryUs)
    }

    /// TCP's first timeout: at least 200 ms, and more than a round trip takes.
    private var retransmissionUs: Int64 { max(200_000, 2 * (upUs + downUs) + Int64(2 * jitterUs)) }
}

/// One direction of a TCP connection: what arrives late holds up all that follows, and nothing is lost.
struct TCPLine {
    private var lastUs: Int64 = -1
    /// Until when an outage holds up whatever is on its way.
    private(set) var heldUntilUs: Int64 = 0

    /// When a message arrives that is sent now and on its way for `delayUs`.
    mutating func arrivalUs(sentUs: Int64, delayUs: Int64) -> Int64 {
        lastUs = max(lastUs + 1, max(sentUs, heldUntilUs) + delayUs)
        return lastUs
    }

    /// Holds up everything until the retransmissions after an outage.
    mutating func hold(untilUs: Int64) {
        heldUntilUs = max(heldUntilUs, untilUs)
        lastUs = max(lastUs, heldUntilUs)
    }
}
