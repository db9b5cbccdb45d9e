// OpenWatchParty for Swift. See LICENSE.

/// Records the asynchronous calls that the party makes to one part of an app, and answers them when the test says.
@MainActor
public final class CallRecorder<Request, Answer> {
    /// One call.
    @MainActor
    public final class Call {
        /// What was asked.
        public let request: Request
        /// The local time of the call, in ms.
        public let atMs: Int64
        private let gate: Gate<Answer>

        init(request: Request, atMs: Int64, gate: Gate<Answer>) {
            self.request = request
            self.atMs = atMs
            self.gate = gate
        }

        /// Whether the party cancelled the call.
        public var isCancelled: Bool { gate.isCancelled }
        /// Answers the call; only the first answer counts.
        public func answer(_ answer: Answer) { gate.open(answer) }
        /// Makes the call throw; only the first answer counts.
        public func fail(_ error: any Error) { gate.fail(error) }

        func wait() async throws -> Answer { try await gate.wait() }
    }

    private let clock: VirtualClock

    /// The calls, in order.
    public private(set) var calls: [Call] = []
    /// Answers each call at once, when set; nil leaves that call to the test.
    public var automatic: ((Request) -> Result<Answer, any Error>?)?
    /// Whether cancelling a call ends it, as it does by default.
    public var heedsCancellation = true

    /// Makes a recorder on a clock.
    public init(clock: VirtualClock) {
        self.clock = clock
    }

    /// Records a call and waits for its answer.
    public func call(_ request: Request) async throws -> Answer {
        let gate = Gate<Answer>(on: clock, heedsCancellation: heedsCancellation)
        let call = Call(request: request, atMs: clock.nowMs(), gate: gate)
        calls.append(call)
        switch automatic?(request) {
        case .success(let answer): call.answer(answer)
        case .failure(let error): call.fail(error)
        case nil: break
        }
        return try await call.wait()
    }
}
