// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPSync
import OWPWire

/// One connection to a relay, with its clock and the time of its last message (sections 5 and 14).
struct RelayConnection: Sendable {
    /// Its key.
    let key: ConnectionKey
    /// The relay's URL.
    let url: String
    /// Its estimate of relay time, from its open on; stays in use while the party reconnects.
    private(set) var clock: RelayClock?
    private var lastMessageAtMs: Int64 = 0

    /// Starts to open a connection.
    init(opening url: String, _ turn: inout Turn) {
        key = turn.newConnection()
        self.url = url
        turn.add(.open(key, url: url))
    }

    /// Takes its open, which sends the first ping of the burst.
    mutating func opened(_ turn: inout Turn) {
        clock = RelayClock(openedAtMs: turn.nowMs)
        lastMessageAtMs = turn.nowMs
        sendPings(&turn)
    }

    /// Sends the pings that are due, and waits for the next.
    mutating func sendPings(_ turn: inout Turn) {
        guard var clock else { return }
        for id in clock.pingsDue(atLocalMs: turn.nowMs) { turn.send(.ping(id: id), on: key) }
        turn.add(.startTimer(.ping(key), afterMs: max(0, clock.nextPingAtMs.saturatingSubtract(turn.nowMs))))
        self.clock = clock
    }

    /// Takes the arrival of any message, which ends the silence.
    mutating func heard(_ turn: Turn) {
        lastMessageAtMs = turn.nowMs
    }

    /// Takes a `pong`.
    ///
    /// - Returns: Whether it gave a clock sample.
    mutating func pong(id: Int64, serverTimeMs: Int64, _ turn: Turn) -> Bool {
        guard let result = clock?.pong(id: id, serverTimeMs: serverTimeMs, atLocalMs: turn.nowMs) else { return false }
        return result != .ignored
    }

    /// How long the relay may still be silent, in ms; 0 or less when it was for too long (section 14).
    func silenceLeftMs(_ turn: Turn) -> Int64 {
        let silentMs = turn.nowMs.saturatingSubtract(lastMessageAtMs)
        return Constants.silenceTimeoutMs.saturatingSubtract(silentMs)
    }

    /// Stops its pings, when it has ended or waits for one last answer.
    func stopPings(_ turn: inout Turn) {
        if clock != nil { turn.add(.cancelTimer(.ping(key))) }
    }

    /// Closes it with status 1000.
    func close(_ turn: inout Turn) {
        stopPings(&turn)
        turn.add(.close(key))
    }
}
