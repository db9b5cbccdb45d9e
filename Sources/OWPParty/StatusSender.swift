// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPSync
import OWPWire

/// Sends `status` when its time has come, and waits for the next time (section 10.3).
struct StatusSender: Sendable {
    private var reporter = StatusReporter()
    private var timerAtMs: Int64?

    /// Takes a `joined`: the next offer is sent at once.
    mutating func connected() { reporter.connected() }

    /// Takes a drop or the party's end: nothing is sent, and no timer runs.
    mutating func disconnected(_ turn: inout Turn) {
        reporter.disconnected()
        wait(untilMs: nil, &turn)
    }

    /// Takes its timer; the values of this moment are offered next.
    mutating func timerFired() { timerAtMs = nil }

    /// Offers the values of this moment, and sends them when they are due.
    mutating func offer(_ values: StatusValues, on connection: RelayConnection, _ turn: inout Turn) {
        var due = reporter.offer(values, atLocalMs: turn.nowMs)
        if due == .now {
            let status = StatusMessage(
                epoch: values.epoch,
                player: values.player,
                match: values.match,
                offsetMs: values.offsetMs,
                rttMs: connection.clock?.best?.rttMs
            )
            turn.send(.status(status), on: connection.key)
            due = reporter.offer(values, atLocalMs: turn.nowMs)
        }
        if case .at(let dueMs) = due { wait(untilMs: dueMs, &turn) }
    }

    private mutating func wait(untilMs dueMs: Int64?, _ turn: inout Turn) {
        guard dueMs != timerAtMs else { return }
        timerAtMs = dueMs
        if let dueMs {
            turn.add(.startTimer(.status, afterMs: max(0, dueMs.saturatingSubtract(turn.nowMs))))
        } else {
            turn.add(.cancelTimer(.status))
        }
    }
}
