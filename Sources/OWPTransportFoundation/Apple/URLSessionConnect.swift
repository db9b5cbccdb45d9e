// OpenWatchParty for Swift. See LICENSE.

#if canImport(Darwin)
    import Foundation

    /// Opens a WebSocket to a `ws://` or `wss://` URL (section 16.8).
    ///
    /// It is a `URLSessionWebSocketTask`. On Linux, which has none that works, the package's own RFC 6455 client stands
    /// behind the same name. Cancelling the task ends it at once.
    ///
    /// - Parameter url: The URL.
    /// - Returns: The open connection, which takes messages of up to 16 MiB.
    /// - Throws: ``TransportError``, or `CancellationError`.
    @MainActor
    public func urlSessionConnect(_ url: String) async throws -> any WebSocketConnection {
        try Task.checkCancellation()
        guard let address = URL(string: url), ["ws", "wss"].contains(address.scheme?.lowercased()) else {
            throw TransportError(.invalidURL, "\(url) is not a ws:// or wss:// URL")
        }
        let events = SocketEvents(url: url)
        let session = URLSession(configuration: .ephemeral, delegate: events, delegateQueue: nil)
        let task = session.webSocketTask(with: address)
        task.maximumMessageSize = 16 * 1024 * 1024
        // The session keeps itself and its delegate alive until its task has ended.
        session.finishTasksAndInvalidate()
        task.resume()
        try await events.opened.value { task.cancel() }
        return SocketConnection(task, events)
    }

    /// What the session tells of one WebSocket.
    private final class SocketEvents: NSObject, URLSessionWebSocketDelegate {
        let url: String
        let opened = Pending<Void>()
        /// The peer's status; 0 while none has come.
        let closeCode = Locked(0)

        init(url: String) { self.url = url }

        func urlSession(
            _ session: URLSession,
            webSocketTask: URLSessionWebSocketTask,
            didOpenWithProtocol protocol: String?
        ) {
            opened.finish(.success(()))
        }

        func urlSession(
            _ session: URLSession,
            webSocketTask: URLSessionWebSocketTask,
            didCloseWith closeCode: URLSessionWebSocketTask.CloseCode,
            reason: Data?
        ) {
            self.closeCode.withLock { $0 = closeCode.rawValue }
        }

        func urlSession(
            _ session: URLSession,
            task: URLSessionTask,
            willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest,
            completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) {
            completionHandler(nil)
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            let failure: TransportError
            if let status = (task.response as? HTTPURLResponse)?.statusCode, status != 101 {
                failure = TransportError(
                    .refused,
                    "\(url): the server answered with status \(status)",
                    httpStatus: status
                )
            } else {
                failure = transportError(error, url: url)
            }
            opened.finish(.failure(failure))
        }
    }

    /// A WebSocket of a `URLSession`.
    @MainActor
    private final class SocketConnection: WebSocketConnection {
        private let task: URLSessionWebSocketTask
        private let events: SocketEvents
        /// The sends that have not returned; a close waits for them.
        private var sending = 0
        private var closing: Int?

        init(_ task: URLSessionWebSocketTask, _ events: SocketEvents) {
            self.task = task
            self.events = events
        }

        deinit { if closing == nil { task.cancel() } }

        func receive() async throws -> String {
            while true {
                if closing != nil { throw TransportError(.closed, "the connection was closed on this side") }
                do {
                    let task = task
                    let message = try await withTaskCancellationHandler {
                        try await task.receive()
                    } onCancel: {
                        task.cancel()
                    }
                    if case .string(let text) = message { return text }
                } catch {
                    try Task.checkCancellation()
                    // The session may tell the end of the connection before the delegate hears of the close frame.
                    if closing == nil { events.closeCode.withLock { if $0 == 0 { $0 = task.closeCode.rawValue } } }
                    throw transportError(error, url: events.url)
                }
            }
        }

        var closeCode: Int? {
            let code = events.closeCode.withLock { $0 }
            // Nothing came, a close frame without a status, no close frame, and a failed TLS handshake.
            return [0, 1005, 1006, 1015].contains(code) ? nil : code
        }

        func send(_ text: String) async throws {
            if closing != nil { throw TransportError(.closed, "the connection was closed on this side") }
            sending += 1
            defer {
                sending -= 1
                finishClosing()
            }
            do {
                try await task.send(.string(text))
            } catch {
                throw transportError(error, url: events.url)
            }
        }

        func close(code: Int) {
            guard closing == nil else { return }
            closing = code
            finishClosing()
        }

        private func finishClosing() {
            guard sending == 0, let closing else { return }
            task.cancel(with: .init(rawValue: closing) ?? .normalClosure, reason: nil)
        }
    }

    /// What an error of the session's means.
    func transportError(_ error: (any Error)?, url: String) -> TransportError {
        let text = error?.localizedDescription ?? "the connection has ended"
        let code: TransportError.Code =
            switch (error as? URLError)?.code {
            case .badURL, .unsupportedURL: .invalidURL
            case .cannotFindHost, .dnsLookupFailed: .nameNotFound
            case .cannotConnectToHost, .notConnectedToInternet: .notConnected
            case .timedOut: .timedOut
            case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateHasUnknownRoot,
                .serverCertificateNotYetValid, .serverCertificateUntrusted, .clientCertificateRejected,
                .clientCertificateRequired:
                .tls
            default: .lost
            }
        return TransportError(code, "\(url): \(text)")
    }
#endif
