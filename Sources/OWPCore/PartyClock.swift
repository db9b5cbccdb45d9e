// OpenWatchParty for Swift. See LICENSE.

/// Local time and timers of a party (section 16.8).
///
/// Every timer of the SDK goes through it.
@MainActor
public protocol PartyClock: AnyObject {
    /// Monotonic local time in ms; never the wall clock.
    func nowMs() -> Int64

    /// Runs an action once after a delay.
    ///
    /// - Parameters:
    ///   - delayMs: The delay in ms; a negative one counts as 0, and any 64-bit value is valid.
    ///   - action: Runs on the main actor, never before the delay has passed.
    /// - Returns: A function that cancels the timer; calling it after the action ran, or again, does nothing.
    func schedule(afterMs delayMs: Int64, _ action: @escaping @MainActor () -> Void) -> @MainActor () -> Void
}

/// A clock that also orders the party's asynchronous work, so that a test has one runnable task at a time.
@MainActor
package protocol WorkScheduler: AnyObject {
    /// Queues the start of a piece of work as a turn of its own.
    func start(_ turn: @escaping @MainActor () -> Void)
    /// Says that a started piece of work has ended.
    func ended()
}
