// OpenWatchParty for Swift. See LICENSE.

/// Tasks that wait until something is so.
@MainActor
final class Waiters {
    private struct Waiter {
        let isMet: @MainActor () -> Bool
        let continuation: CheckedContinuation<Bool, Never>
    }

    private var waiters: [Int: Waiter] = [:]
    private var lastId = 0

    /// Lets those go on whose wait is over; to be called after each change.
    func check() {
        for (id, waiter) in waiters.sorted(by: { $0.key < $1.key }) where waiter.isMet() {
            waiters[id] = nil
            waiter.continuation.resume(returning: true)
        }
    }

    /// Waits until something is so, at most for a time; false when the time passed or the task was cancelled.
    func wait(atMostMs limitMs: Double, until isMet: @escaping @MainActor () -> Bool) async -> Bool {
        if isMet() { return true }
        lastId += 1
        let id = lastId
        let limit = Task { [weak self] in
            try? await Task.sleep(nanoseconds: UInt64(max(0, limitMs) * 1_000_000))
            self?.giveUp(id)
        }
        defer { limit.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                waiters[id] = Waiter(isMet: isMet, continuation: continuation)
                if Task.isCancelled { giveUp(id) }
            }
        } onCancel: {
            Task { @MainActor in self.giveUp(id) }
        }
    }

    private func giveUp(_ id: Int) {
        waiters.removeValue(forKey: id)?.continuation.resume(returning: false)
    }
}
