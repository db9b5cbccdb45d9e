// OpenWatchParty for Swift. See LICENSE.

#if !canImport(Darwin)
    import OWPWebSocket

    /// A message of either kind.
    package enum WebSocketMessage: Hashable, Sendable {
        /// A text message.
        case text(String)
        /// A binary message.
        case binary([UInt8])

        /// Its payload's size in bytes.
        var count: Int {
            switch self {
            case .text(let text): text.utf8.count
            case .binary(let bytes): bytes.count
            }
        }
    }

    /// What the tasks that use a connection share with the connection's thread.
    ///
    /// Both directions are bounded: `send` waits while 64 KiB are unsent, and the thread stops reading the socket while
    /// 64 KiB are unread.
    final class SocketMailbox: Sendable {
        /// What the thread is asked to do next.
        struct Orders: Sendable {
            var messages: [WebSocketMessage] = []
            /// The status to close with, after the messages.
            var close: Int?
            /// Whether nobody uses the connection any more, without having closed it.
            var isAbandoned = false
        }

        private enum Side { case receiving, sending }

        private struct State: Sendable {
            var orders = Orders()
            /// Whether the thread has been woken up since it last took its orders.
            var isWoken = false
            var unsentBytes = 0
            var incoming: ArraySlice<WebSocketMessage> = []
            var unreadBytes = 0
            /// Why the connection has ended.
            var end: TransportError?
            var closeCode: Int?
            /// Whether the thread still owes the system what was queued before a close, and the close frame.
            var owesLastWords = false
            var waiting: [(id: UInt64, side: Side, continuation: CheckedContinuation<Void, any Error>)] = []
            var cancelled: Set<UInt64> = []
            var lastID: UInt64 = 0

            func isBlocked(_ side: Side) -> Bool {
                switch side {
                case .receiving: end == nil && incoming.isEmpty
                case .sending: end == nil && unsentBytes > bufferBytes
                }
            }

            /// Takes those out who can go on now.
            mutating func unblocked() -> [CheckedContinuation<Void, any Error>] {
                guard !waiting.isEmpty else { return [] }
                let blocked = [Side.receiving, .sending].filter(isBlocked)
                let free = waiting.filter { !blocked.contains($0.side) }
                waiting.removeAll { !blocked.contains($0.side) }
                return free.map { $0.continuation }
            }
        }

        private static let bufferBytes = 65_536
        private let state = Locked(State())
        let waker = Waker()
    }

    // MARK: For the tasks that use the connection

    extension SocketMailbox {
        /// The peer's status.
        var closeCode: Int? { state.withLock { $0.closeCode } }

        /// Waits for the next message; throws the connection's end after the last one.
        func receive() async throws -> WebSocketMessage {
            while true {
                let (message, wasFull) = try state.withLock { state in
                    let wasFull = state.unreadBytes > Self.bufferBytes
                    guard let next = state.incoming.popFirst() else {
                        if let end = state.end { throw end }
                        return (nil as WebSocketMessage?, false)
                    }
                    state.unreadBytes -= next.count
                    // Else the slice would keep what it has given out.
                    if state.incoming.isEmpty { state.incoming = [] }
                    return (next, wasFull && state.unreadBytes <= Self.bufferBytes)
                }
                if wasFull { waker.wake() }
                if let message { return message }
                try await wait(.receiving)
            }
        }

        /// Queues a message at once, and waits while too much is queued.
        ///
        /// It runs on its caller's actor: a hop away from there would let a later `close` overtake the message.
        func send(_ message: WebSocketMessage, isolation: isolated (any Actor)? = #isolation) async throws {
            let (isBlocked, isWoken) = try state.withLock { state in
                if let end = state.end { throw end }
                state.orders.messages.append(message)
                state.unsentBytes += message.count
                defer { state.isWoken = true }
                return (state.isBlocked(.sending), state.isWoken)
            }
            if !isWoken { waker.wake() }
            if isBlocked { try await wait(.sending) }
        }

        /// Queues a message at once, without waiting; nothing happens once the connection has ended.
        func post(_ message: WebSocketMessage) {
            let isWoken = state.withLock { state in
                guard state.end == nil else { return true }
                state.orders.messages.append(message)
                state.unsentBytes += message.count
                defer { state.isWoken = true }
                return state.isWoken
            }
            if !isWoken { waker.wake() }
        }

        /// Ends the connection on this side; the thread still sends what was queued, and the close frame.
        func close(code: Int) {
            let free = state.withLock { state in
                guard state.end == nil else { return [] as [CheckedContinuation<Void, any Error>] }
                state.orders.close = code
                state.owesLastWords = true
                LastWords.begin()
                state.end = TransportError(.closed, "the connection was closed on this side")
                state.incoming = []
                state.unreadBytes = 0
                return state.unblocked()
            }
            waker.wake()
            for continuation in free { continuation.resume() }
        }

        /// Ends the connection without a closing handshake, unless it is closed already.
        func abandon() {
            state.withLock { if $0.end == nil { $0.orders.isAbandoned = true } }
            waker.wake()
        }

        /// Waits until a side is not blocked any more; throws only the task's cancellation.
        private func wait(_ side: Side) async throws {
            let id = state.withLock { state in
                state.lastID += 1
                return state.lastID
            }
            defer { state.withLock { _ = $0.cancelled.remove(id) } }
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    let now: Result<Void, any Error>? = state.withLock { state in
                        if state.cancelled.contains(id) { return .failure(CancellationError()) }
                        guard state.isBlocked(side) else { return .success(()) }
                        state.waiting.append((id, side, continuation))
                        return nil
                    }
                    if let now { continuation.resume(with: now) }
                }
            } onCancel: {
                let waiting = state.withLock { state in
                    state.cancelled.insert(id)
                    let index = state.waiting.firstIndex { $0.id == id }
                    return index.map { state.waiting.remove(at: $0).continuation }
                }
                waiting?.resume(throwing: CancellationError())
            }
        }
    }

    // MARK: For the connection's thread

    extension SocketMailbox {
        /// Whether the thread must not read on.
        var isFull: Bool { state.withLock { $0.unreadBytes > Self.bufferBytes } }

        /// Takes what is to be done.
        func takeOrders() -> Orders {
            state.withLock { state in
                state.isWoken = false
                defer { state.orders = Orders(isAbandoned: state.orders.isAbandoned) }
                return state.orders
            }
        }

        /// Says that everything up to the close frame has been handed to the system, or never will be.
        func saidLastWords() {
            let owed = state.withLock { state in
                defer { state.owesLastWords = false }
                return state.owesLastWords
            }
            if owed { LastWords.end() }
        }

        /// Says that messages have been handed to the system.
        func sent(bytes: Int) {
            let free = state.withLock { state in
                state.unsentBytes -= bytes
                return state.unblocked()
            }
            for continuation in free { continuation.resume() }
        }

        /// Hands messages over, and the connection's end after them.
        ///
        /// - Parameters:
        ///   - messages: What arrived.
        ///   - end: Why nothing more will; the first reason stays.
        ///   - closeCode: The peer's status, when it sent one.
        func deliver(_ messages: [WebSocketMessage], end: TransportError? = nil, closeCode: Int? = nil) {
            let free = state.withLock { state in
                guard state.end == nil else { return [] as [CheckedContinuation<Void, any Error>] }
                state.incoming += messages
                state.unreadBytes += messages.reduce(0) { $0 + $1.count }
                (state.end, state.closeCode) = (end, closeCode)
                return state.unblocked()
            }
            for continuation in free { continuation.resume() }
        }
    }
#endif
