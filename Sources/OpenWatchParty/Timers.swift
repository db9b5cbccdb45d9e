// OpenWatchParty for Swift. See LICENSE.

import OWPCore

/// The running timers of one owner, by name.
///
/// The clock gets at most 2147483647 ms at a time, since an app's clock may be no better than its native timer: a longer
/// timer waits on when that has passed (section 2).
@MainActor
final class Timers<Name: Hashable> {
    private let clock: any PartyClock
    private var cancels: [Name: @MainActor () -> Void] = [:]

    init(clock: any PartyClock) { self.clock = clock }

    /// Starts a timer in place of the one of this name.
    ///
    /// What it does is held while it runs and no longer, so a running timer keeps its owner, and an owner without any
    /// can be released.
    func start(_ name: Name, afterMs delayMs: Int64, _ fired: @escaping @MainActor () -> Void) {
        cancel(name)
        arm(name, dueMs: clock.nowMs().saturatingAdd(delayMs), fired)
    }

    /// Stops a timer, if it runs.
    func cancel(_ name: Name) {
        cancels.removeValue(forKey: name)?()
    }

    private func arm(_ name: Name, dueMs: Int64, _ fired: @escaping @MainActor () -> Void) {
        let remainingMs = dueMs.saturatingSubtract(clock.nowMs())
        let isWhole = remainingMs <= Constants.largestTimerMs
        cancels[name] = clock.schedule(afterMs: min(remainingMs, Constants.largestTimerMs)) { [self] in
            cancels[name] = nil
            if isWhole { fired() } else { arm(name, dueMs: dueMs, fired) }
        }
    }
}
