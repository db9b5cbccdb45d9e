// OpenWatchParty for Swift. See LICENSE.

import OpenWatchParty

/// What is told while something takes its time.
extension WatchSession {
    /// Calls the relay, and tells that it has not answered when that takes long.
    func connecting<Value: Sendable>(_ call: @MainActor () async throws -> Value) async throws -> Value {
        try await noting("connecting", "The relay at \(plainText(settings.relay)) has not answered yet.", call)
    }

    /// Does something, and tells what it is when it takes longer than two seconds.
    func noting<Value: Sendable>(
        _ event: String,
        _ text: String,
        _ work: @MainActor () async throws -> Value
    ) async throws -> Value {
        let note = Task {
            try await Task.sleep(nanoseconds: 2_000_000_000)
            output.tell(event, [:], text)
        }
        defer { note.cancel() }
        return try await work()
    }

    /// Waits while an attempt that was given up keeps its connection, for two seconds at most.
    ///
    /// It may have asked to join, and leaves again when the answer comes; else somebody would stay behind in the room.
    func untilParted() async {
        for _ in 0..<100 where party.hasConnections {
            try? await Task.sleep(nanoseconds: 20_000_000)
        }
    }
}
