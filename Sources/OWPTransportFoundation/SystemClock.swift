// OpenWatchParty for Swift. See LICENSE.

/// The clock of a running party: the system's monotonic clock (section 16.8).
@MainActor
public final class SystemClock: PartyClock {
    private let start = ContinuousClock.now

    /// Makes a clock whose time starts at 0.
    public nonisolated init() {}

    /// The whole ms since the clock was made.
    public func nowMs() -> Int64 {
        let (seconds, attoseconds) = start.duration(to: .now).components
        return seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }

    /// Runs an action once after a delay, which is cut into pieces of at most 2147483647 ms (section 2).
    public func schedule(afterMs delayMs: Int64, _ action: @escaping @MainActor () -> Void) -> @MainActor () -> Void {
        // The deadline is kept in ms: a duration of any 64-bit number of ms could overflow.
        let (sum, isTooLarge) = nowMs().addingReportingOverflow(max(0, delayMs))
        let deadlineMs = isTooLarge ? Int64.max : sum
        let task = Task { @MainActor in
            while !Task.isCancelled {
                let leftMs = deadlineMs - nowMs()
                guard leftMs > 0 else { return action() }
                try? await Task.sleep(for: .milliseconds(min(leftMs, Constants.largestTimerMs)), clock: .continuous)
            }
        }
        return { task.cancel() }
    }
}
