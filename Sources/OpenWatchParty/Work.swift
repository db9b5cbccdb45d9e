// OpenWatchParty for Swift. See LICENSE.

import OWPCore

/// Runs the party's asynchronous work: everything that awaits an app, a socket or a player goes through here.
///
/// On a clock that is a `WorkScheduler` each piece of work starts as a turn of that clock, so that a test has one
/// runnable task at a time.
@MainActor
final class Work {
    /// A started piece of work.
    @MainActor
    final class Handle {
        fileprivate(set) var isCancelled = false
        fileprivate var task: Task<Void, Never>?

        /// Cancels the work's task; its outcome is dropped, and work that has not started is not begun.
        func cancel() {
            isCancelled = true
            task?.cancel()
        }
    }

    private let scheduler: (any WorkScheduler)?

    init(clock: any PartyClock) {
        scheduler = clock as? any WorkScheduler
    }

    /// Runs an operation in a task of the main actor and hands its outcome on, unless the handle was cancelled.
    @discardableResult
    func run<Value>(
        _ operation: @escaping @MainActor () async throws -> Value,
        then finish: @escaping @MainActor (Result<Value, any Error>) -> Void
    ) -> Handle {
        let handle = Handle()
        let start: @MainActor () -> Void = { [scheduler] in
            handle.task = Task { @MainActor in
                if !handle.isCancelled {
                    let outcome: Result<Value, any Error>
                    do { outcome = .success(try await operation()) } catch { outcome = .failure(error) }
                    if !handle.isCancelled { finish(outcome) }
                }
                handle.task = nil
                scheduler?.ended()
            }
        }
        if let scheduler { scheduler.start(start) } else { start() }
        return handle
    }
}
