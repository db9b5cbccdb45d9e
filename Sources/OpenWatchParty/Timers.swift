// OpenWatchParty for Swift. See LICENSE.

import OWPCore

/// The running timers of one owner, by name.
///
/// The clock gets at most 2147483647 ms at a time, since an app's clock may be no better than its native timer: a longer
/// timer waits on when that has passed (section 2).
@MainActor
final class Timers<Name: Hashable> {
    private let clock: any PartyClock
    private let fired: @MainActor (Name) -> Void
    private var cancels: [Name: @MainActor () -> Void] = [:]

    init(clock: any PartyClock, fired: @escaping @MainActor (Name) -> Void) {
        self.clock = clock
        self.fired = fired
    }

    /// Starts a timer in place of the one of this name.
    func start(_ name: Name, afterMs delayMs: Int64) {
        cancel(name)
        arm(name, dueMs: clock.nowMs().saturatingAdd(delayMs))
    }

    /// Stops a timer, if it runs.
    func cancel(_ name: Name) {
        cancels.removeValue(forKey: name)?()
    }

    private func arm(_ name: Name, dueMs: Int64) {
        let remainingMs = dueMs.saturatingSubtract(clock.nowMs())
        let isWhole = remainingMs <= Constants.largestTimerMs
        cancels[name] = clock.schedule(afterMs: min(remainingMs, Constants.largestTimerMs)) { [self] in
            cancels[name] = nil
            if isWhole { fired(name) } else { arm(name, dueMs: dueMs) }
        }
    }
}
