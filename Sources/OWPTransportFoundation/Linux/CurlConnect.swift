// OpenWatchParty for Swift. See LICENSE.

#if !canImport(Darwin)
    import Foundation
    import OWPWebSocket

    /// Opens a WebSocket to a `ws://` or `wss://` URL (section 16.8).
    ///
    /// On Apple platforms it is a `URLSessionWebSocketTask`. Linux has none that works, so there the package's own
    /// RFC 6455 client runs on a socket that the system's libcurl connects: TLS trusts the system's certificates or those
    /// of `SSL_CERT_FILE`, and proxies come from the usual environment variables. Cancelling the task ends it at once.
    ///
    /// - Parameter url: The URL.
    /// - Returns: The open connection, which takes messages of up to 16 MiB.
    /// - Throws: ``TransportError``, or `CancellationError`.
    @MainActor
    public func urlSessionConnect(_ url: String) async throws -> any WebSocketConnection {
        try await SocketConnection.open(url, messageLimit: 16 * 1024 * 1024)
    }

    /// A WebSocket with a thread of its own.
    @MainActor
    package final class SocketConnection: PromptWebSocketConnection {
        private let mailbox: SocketMailbox

        private init(_ mailbox: SocketMailbox) { self.mailbox = mailbox }

        deinit { mailbox.abandon() }

        /// Opens a connection.
        ///
        /// - Parameters:
        ///   - text: A `ws://` or `wss://` URL.
        ///   - messageLimit: The largest message to receive, in bytes.
        ///   - environment: Where `SSL_CERT_FILE` and `SSL_CERT_DIR` are looked up.
        /// - Returns: The open connection.
        /// - Throws: ``TransportError``, or `CancellationError`.
        package static func open(
            _ text: String,
            messageLimit: Int,
            environment: [String: String] = ProcessInfo.processInfo.environment
        ) async throws -> SocketConnection {
            try Task.checkCancellation()
            let library = try CurlLibrary.shared.get()
            return try await open(text, messageLimit: messageLimit, environment: environment, library: library)
        }

        /// Opens a connection through a libcurl.
        static func open(
            _ text: String,
            messageLimit: Int,
            environment: [String: String],
            library: CurlLibrary
        ) async throws -> SocketConnection {
            let url: WebSocketURL
            do throws(WebSocketError) { url = try WebSocketURL(text) } catch {
                throw TransportError(.invalidURL, "\(text): \(error)")
            }
            let mailbox = SocketMailbox()
            let opened = Pending<Void>()
            Thread.start(named: "OWPWebSocket") {
                do throws(TransportError) {
                    let thread = try SocketThread(
                        to: url,
                        messageLimit: messageLimit,
                        library: library,
                        mailbox: mailbox,
                        environment: environment
                    )
                    try thread.open { opened.isFinished }
                    // Who cancelled at the last moment holds no connection.
                    if opened.finish(.success(())) { thread.exchange() }
                } catch {
                    opened.finish(.failure(error))
                }
            }
            try await opened.value { mailbox.waker.wake() }
            return SocketConnection(mailbox)
        }

        /// Waits for the next text message; binary ones, which no relay sends, are passed over.
        package func receive() async throws -> String {
            while true {
                if case .text(let text) = try await mailbox.receive() { return text }
            }
        }

        /// Waits for the next message of either kind.
        package func receiveMessage() async throws -> WebSocketMessage { try await mailbox.receive() }

        /// The peer's status, when one came.
        package var closeCode: Int? { mailbox.closeCode }

        /// Queues a text message; waits only while more than 64 KiB are queued.
        package func send(_ text: String) async throws { try await mailbox.send(.text(text)) }

        /// Queues a text message, however much is queued.
        package func post(_ text: String) { mailbox.post(.text(text)) }

        /// Queues a message of either kind.
        package func send(_ message: WebSocketMessage) async throws { try await mailbox.send(message) }

        /// Closes after what was sent before; the closing handshake goes on without the caller, for at most 2000 ms.
        package func close(code: Int) { mailbox.close(code: code) }
    }
#endif
