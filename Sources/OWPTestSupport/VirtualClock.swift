// OpenWatchParty for Swift. See LICENSE.

public import OWPCore

/// A clock that stands still until a test moves it, and that lets one task run at a time.
///
/// The party starts its asynchronous work as turns of this clock, and the fakes suspend only in a ``Gate``. So the
/// clock knows when nothing can run any more, and takes the next turn only then: a test that ran once runs the same way
/// always, however busy the machine is. A turn costs microseconds, so a whole party runs far faster than time.
@MainActor
public final class VirtualClock: PartyClock {
    private struct Timer {
        let id: Int
        let dueMs: Int64
        let action: @MainActor () -> Void
    }

    private var localMs: Int64
    private var timers: [Timer] = []
    private var lastTimer = 0
    private var turns: [@MainActor () -> Void] = []
    private var taken = 0
    /// Tasks started and not ended, and how many of them wait in a gate.
    private var running = 0
    private var parked = 0
    private var quiet: CheckedContinuation<Void, Never>?

    /// Makes a clock.
    ///
    /// - Parameter nowMs: The local time to start at, in ms; not 0 by default, so that a duration is not taken for a time.
    public init(nowMs: Int64 = 1_000_000) {
        localMs = nowMs
    }

    /// The local time in ms.
    public func nowMs() -> Int64 { localMs }

    /// Runs an action when the clock has been moved by a delay in ms; a negative one counts as 0.
    public func schedule(afterMs delayMs: Int64, _ action: @escaping @MainActor () -> Void) -> @MainActor () -> Void {
        lastTimer += 1
        let id = lastTimer
        let (due, overflow) = localMs.addingReportingOverflow(max(0, delayMs))
        timers.append(Timer(id: id, dueMs: overflow ? .max : due, action: action))
        return { [weak self] in self?.timers.removeAll { $0.id == id } }
    }

    /// How many timers are waiting.
    public var timerCount: Int { timers.count }

    /// The local times in ms at which the waiting timers are due, in order.
    public var timersDueMs: [Int64] { timers.map(\.dueMs).sorted() }

    /// Runs all work that can run without time passing; no timer fires.
    ///
    /// Every task must end or wait in a ``Gate``, or this waits for ever.
    public func settle() async {
        while true {
            if running > parked { await withCheckedContinuation { quiet = $0 } }
            guard taken < turns.count else { break }
            let turn = turns[taken]
            taken += 1
            turn()
        }
        turns.removeAll(keepingCapacity: true)
        taken = 0
    }

    /// Runs all work and every timer that is due now.
    public func run() async {
        await advance(by: 0)
    }

    /// Moves the clock on, running each timer at its time and all work after each.
    ///
    /// - Parameter durationMs: How far, in ms, at least 0.
    public func advance(by durationMs: Int64) async {
        let (sum, overflow) = localMs.addingReportingOverflow(max(0, durationMs))
        let end = overflow ? .max : sum
        await settle()
        while await fireNext(notAfter: end) {}
        localMs = end
    }

    /// Moves the clock from timer to timer until a condition holds.
    ///
    /// - Parameters:
    ///   - limitMs: How far at most, in ms.
    ///   - condition: Asked when all work has run, after each timer.
    /// - Returns: Whether the condition held in time; without it the clock has moved by the limit.
    @discardableResult
    public func runUntil(limitMs: Int64 = 600_000, _ condition: @MainActor () -> Bool) async -> Bool {
        let (sum, overflow) = localMs.addingReportingOverflow(max(0, limitMs))
        let end = overflow ? .max : sum
        await settle()
        while !condition() {
            guard await fireNext(notAfter: end) else {
                localMs = end
                return condition()
            }
        }
        return true
    }

    /// Fires the first timer in order of due time, then of scheduling; false when none is due by `end`.
    private func fireNext(notAfter end: Int64) async -> Bool {
        let next = timers.indices.min { (timers[$0].dueMs, timers[$0].id) < (timers[$1].dueMs, timers[$1].id) }
        guard let next, timers[next].dueMs <= end else { return false }
        let timer = timers.remove(at: next)
        localMs = max(localMs, timer.dueMs)
        timer.action()
        await settle()
        return true
    }

    /// Queues what makes a parked task run again.
    func resume(_ turn: @escaping @MainActor () -> Void) {
        turns.append { [self] in
            parked -= 1
            turn()
        }
    }

    /// Says that the running task is about to wait in a gate.
    func park() {
        parked += 1
        reportQuiet()
    }

    private func reportQuiet() {
        guard running <= parked, let waiting = quiet else { return }
        quiet = nil
        waiting.resume()
    }
}

extension VirtualClock: WorkScheduler {
    /// Queues the start of a piece of work as a turn of its own.
    package func start(_ turn: @escaping @MainActor () -> Void) {
        turns.append { [self] in
            running += 1
            turn()
        }
    }

    /// Says that a started piece of work has ended.
    package func ended() {
        running -= 1
        reportQuiet()
    }
}
