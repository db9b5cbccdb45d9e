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
        // Any 64-bit number of ms is far within what a duration holds.
        let deadline = ContinuousClock.now + .milliseconds(max(0, delayMs))
        let task = Task { @MainActor in
            while !Task.isCancelled {
                let left = ContinuousClock.now.duration(to: deadline)
                guard left > .zero else { return action() }
                let piece = min(left, Duration.milliseconds(Constants.largestTimerMs))
                try? await Task.sleep(for: piece, clock: .continuous)
            }
        }
        return { task.cancel() }
    }
}
