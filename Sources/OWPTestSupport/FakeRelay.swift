// OpenWatchParty for Swift. See LICENSE.

public import OWPCore

/// A relay without a network: it records what parties open and send, and says what the test makes it say.
@MainActor
public final class FakeRelay {
    /// What becomes of an attempt to connect.
    public enum Opening: Sendable {
        /// It opens after a time in ms.
        case opens(afterMs: Int64)
        /// It fails after a time in ms.
        case fails(afterMs: Int64)
        /// It opens when the gate does, and fails when the gate does.
        case waits(for: Gate<Void>)
        /// It waits until it is cancelled.
        case hangs
    }

    /// Why an attempt failed.
    public struct Refused: Error, Hashable, Sendable {
        /// Makes the error.
        public init() {}
    }

    private let clock: VirtualClock

    /// The URLs of all attempts, in order.
    public private(set) var attempts: [Attempt] = []
    /// The connections that opened, in order.
    public private(set) var connections: [FakeConnection] = []
    /// Decides what becomes of an attempt; by default each opens at once.
    public var opening: (String) -> Opening = { _ in .opens(afterMs: 0) }
    /// Called with each connection as it opens.
    public var opened: (FakeConnection) -> Void = { _ in }
    /// Called with each text that a party sends, before `send` returns.
    public var received: (FakeConnection, String) -> Void = { _, _ in }

    /// One attempt to connect.
    public struct Attempt: Hashable, Sendable {
        /// The URL asked for.
        public let url: String
        /// The local time of the attempt, in ms.
        public let atMs: Int64
    }

    /// Makes a relay on a clock.
    public init(clock: VirtualClock) {
        self.clock = clock
    }

    /// What to give to the party as its `connect`.
    public var connect: WebSocketConnect {
        { [self] url in try await open(url) }
    }

    /// Forgets the attempts and connections so far.
    public func forget() {
        attempts = []
        connections = []
    }

    private func open(_ url: String) async throws -> any WebSocketConnection {
        attempts.append(Attempt(url: url, atMs: clock.nowMs()))
        switch opening(url) {
        case .opens(let delayMs):
            try await clock.sleep(forMs: delayMs)
        case .fails(let delayMs):
            try await clock.sleep(forMs: delayMs)
            throw Refused()
        case .waits(let gate):
            try await gate.wait()
        case .hangs:
            try await Gate<Void>(on: clock).wait()
        }
        let connection = FakeConnection(url: url, clock: clock)
        connection.received = { [weak self, unowned connection] in self?.received(connection, $0) }
        connections.append(connection)
        opened(connection)
        return connection
    }
}

/// One connection of a ``FakeRelay``.
@MainActor
public final class FakeConnection: WebSocketConnection {
    /// A text that the party sent.
    public struct Record: Hashable, Sendable {
        /// The local time in ms.
        public let atMs: Int64
        /// The text.
        public let text: String
    }

    /// The end of a connection, as `receive` and `send` throw it.
    public struct Ended: Error, Hashable, Sendable {}

    private let clock: VirtualClock
    private var inbox: [String] = []
    private var waiting: Gate<String>?
    private var ended = false

    /// The URL it was opened with.
    public let url: String
    /// The local time of its opening, in ms.
    public let openedAtMs: Int64
    /// What the party sent, in order.
    public private(set) var records: [Record] = []
    /// The status the party closed with; nil while it has not.
    public private(set) var closedWith: Int?
    /// The local time at which the party closed, in ms.
    public private(set) var closedAtMs: Int64?
    /// The status the relay closed with; nil when it closed without one or has not closed.
    public private(set) var closeCode: Int?
    /// Whether sending waits for ever, as on a peer that reads nothing.
    public var holdsSends = false
    var received: (String) -> Void = { _ in }

    init(url: String, clock: VirtualClock) {
        self.url = url
        self.clock = clock
        openedAtMs = clock.nowMs()
    }

    /// Whether neither side has closed.
    public var isOpen: Bool { !ended }

    /// Says something to the party.
    public func push(_ text: String) {
        guard !ended else { return }
        if let gate = waiting {
            waiting = nil
            gate.open(text)
        } else {
            inbox.append(text)
        }
    }

    /// Says something to the party after a time in ms.
    public func push(_ text: String, afterMs delayMs: Int64) {
        guard delayMs > 0 else { return push(text) }
        _ = clock.schedule(afterMs: delayMs) { [self] in push(text) }
    }

    /// Closes from the relay's side.
    ///
    /// - Parameter code: The status; nil for a connection that was cut.
    public func drop(code: Int? = nil) {
        guard !ended else { return }
        ended = true
        closeCode = code
        waiting?.fail(Ended())
        waiting = nil
    }

    /// Waits for the next text.
    public func receive() async throws -> String {
        guard inbox.isEmpty else { return inbox.removeFirst() }
        guard !ended else { throw Ended() }
        let gate = Gate<String>(on: clock)
        waiting = gate
        return try await gate.wait()
    }

    /// Records a text.
    public func send(_ text: String) async throws {
        guard !ended else { throw Ended() }
        records.append(Record(atMs: clock.nowMs(), text: text))
        received(text)
        if holdsSends { try await Gate<Void>(on: clock).wait() }
    }

    /// Records the party's close, which ends the connection.
    public func close(code: Int) {
        guard closedWith == nil else { return }
        closedWith = code
        closedAtMs = clock.nowMs()
        guard !ended else { return }
        ended = true
        waiting?.fail(Ended())
        waiting = nil
    }

    /// The texts the party sent.
    public var sent: [String] { records.map(\.text) }
}
