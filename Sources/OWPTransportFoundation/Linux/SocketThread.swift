// OpenWatchParty for Swift. See LICENSE.

#if !canImport(Darwin)
    import OWPWebSocket

    /// The work of a connection's own thread: connects, shakes hands, and then moves bytes until the connection ends.
    final class SocketThread {
        /// The time to connect and shake hands, in ms; who wants less cancels.
        private static let openLimitMs = 60_000
        /// The time a closing handshake may take, in ms.
        private static let closeLimitMs = 2000
        /// The unsent bytes, pongs most of all, beyond which nothing more is read.
        private static let outputLimit = 262_144

        private let url: WebSocketURL
        private let place: String
        private let handle: CurlHandle
        private let mailbox: SocketMailbox
        private var endpoint: WebSocketEndpoint
        private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
        /// The part of `buffer` that came with the handshake's answer.
        private var early = 0..<0
        private var output: [UInt8] = []
        /// The bytes of `output` that are sent.
        private var outputSent = 0
        /// The payload bytes in `output` that the mailbox counts as unsent.
        private var counted = 0
        /// When the thread gives up closing.
        private var closeDeadline: ContinuousClock.Instant?
        private var isEnded = false
        /// Whether this side has closed.
        private var isClosing = false

        /// Prepares a connection.
        ///
        /// - Parameters:
        ///   - url: Where to.
        ///   - messageLimit: The largest message to receive, in bytes.
        ///   - library: The loaded libcurl.
        ///   - mailbox: What is shared with those who use the connection.
        ///   - environment: Where trusted certificates are looked up.
        /// - Throws: ``TransportError``.
        init(
            to url: WebSocketURL,
            messageLimit: Int,
            library: CurlLibrary,
            mailbox: SocketMailbox,
            environment: [String: String]
        ) throws(TransportError) {
            self.url = url
            self.mailbox = mailbox
            place = "\(url.isSecure ? "wss" : "ws")://\(url.hostField)"
            let scheme = url.isSecure ? "https" : "http"
            handle = try CurlHandle(
                url: "\(scheme)://\(url.host):\(url.port)/",
                place: place,
                library: library,
                waker: mailbox.waker,
                environment: environment
            )
            endpoint = WebSocketEndpoint(clientWithMessageLimit: messageLimit, random: SystemRandomNumberGenerator())
        }

        deinit { buffer.deallocate() }

        /// Connects and shakes hands.
        ///
        /// - Parameter isCancelled: Asked after each wait.
        /// - Throws: ``TransportError``.
        func open(isCancelled: () -> Bool) throws(TransportError) {
            let deadline = ContinuousClock.now + .milliseconds(Self.openLimitMs)
            try handle.connect(limitMs: Self.openLimitMs, isCancelled: isCancelled)
            var random = SystemRandomNumberGenerator()
            var handshake = ClientHandshake(to: url, random: &random)
            output = handshake.request
            while true {
                try flush()
                switch handle.receive(into: buffer) {
                case .bytes(let count):
                    var offset = 0
                    if try isOpen(&handshake, count: count, offset: &offset) {
                        early = offset..<count
                        return
                    }
                case .end: throw TransportError(.lost, "\(place): the server ended the connection before it answered")
                case .nothingYet:
                    if isCancelled() { throw TransportError(.closed, "\(place): cancelled") }
                    guard ContinuousClock.now < deadline else {
                        throw TransportError(.timedOut, "\(place): the server did not answer")
                    }
                    handle.wait(forWriting: !output.isEmpty, timeoutMs: 1000)
                }
            }
        }

        /// Reads on in the handshake's answer.
        private func isOpen(
            _ handshake: inout ClientHandshake,
            count: Int,
            offset: inout Int
        ) throws(TransportError) -> Bool {
            do throws(WebSocketError) {
                return try handshake.read(UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: &offset)
            } catch {
                let code: TransportError.Code = error.code == .refused ? .refused : .protocolBroken
                throw TransportError(code, "\(place): \(error)", httpStatus: error.httpStatus)
            }
        }

        /// Moves bytes until the connection has ended, its closing handshake included.
        func exchange() {
            defer { mailbox.saidLastWords() }
            do throws(TransportError) {
                read(early)
                while true {
                    let orders = mailbox.takeOrders()
                    if orders.isAbandoned { return }
                    follow(orders)
                    try flush()
                    if isClosing, output.isEmpty { mailbox.saidLastWords() }
                    if endpoint.isFinished && output.isEmpty && closeDeadline == nil { startClosing() }
                    let mayRead = output.count - outputSent <= Self.outputLimit && !mailbox.isFull
                    if mayRead {
                        switch handle.receive(into: buffer) {
                        case .bytes(let count):
                            read(0..<count)
                            continue
                        case .end: throw TransportError(.lost, "\(place): the connection ended without a close frame")
                        case .nothingYet: break
                        }
                    }
                    var waitMs = 60_000
                    if let closeDeadline {
                        let left = ContinuousClock.now.duration(to: closeDeadline)
                        guard left > .zero else { return }
                        waitMs = Int(left / .milliseconds(1)) + 1
                    }
                    handle.wait(forReading: mayRead, forWriting: !output.isEmpty, timeoutMs: waitMs)
                }
            } catch {
                if !isEnded { mailbox.deliver([], end: error) }
            }
        }

        /// Encodes what is to be sent.
        private func follow(_ orders: SocketMailbox.Orders) {
            for message in orders.messages {
                switch message {
                case .text(let text): endpoint.send(text, output: &output)
                case .binary(let bytes): endpoint.send(bytes, output: &output)
                }
                counted += message.count
            }
            if let code = orders.close {
                isClosing = true
                endpoint.close(code: code, output: &output)
                startClosing()
            }
        }

        private func startClosing() {
            if closeDeadline == nil { closeDeadline = ContinuousClock.now + .milliseconds(Self.closeLimitMs) }
        }

        /// Hands bytes of the buffer to the endpoint, and what comes out to the mailbox.
        private func read(_ range: Range<Int>) {
            let bytes = UnsafeMutableRawBufferPointer(rebasing: buffer[range])
            var offset = 0
            var messages: [WebSocketMessage] = []
            while let event = endpoint.receive(bytes, at: &offset, output: &output) {
                switch event {
                case .text(let text): messages.append(.text(text))
                case .binary(let bytes): messages.append(.binary(bytes))
                case .pong: break
                case .closed(let close):
                    isEnded = true
                    let status = close.code.map { "status \($0)" } ?? "no status"
                    let end = TransportError(.closedByPeer, "\(place): the server closed with \(status)")
                    mailbox.deliver(messages, end: end, closeCode: close.code)
                case .failed(let error):
                    isEnded = true
                    mailbox.deliver(messages, end: TransportError(.protocolBroken, "\(place): \(error)"))
                }
            }
            if !isEnded, !messages.isEmpty { mailbox.deliver(messages) }
        }

        /// Sends as much of the output as the socket takes.
        private func flush() throws(TransportError) {
            while outputSent < output.count {
                let (all, start) = (output, outputSent)
                let sent = try all.withUnsafeBytes { bytes in
                    Result { () throws(TransportError) in
                        try handle.send(UnsafeRawBufferPointer(rebasing: bytes[start...]))
                    }
                }.get()
                if sent == 0 { return }
                outputSent += sent
            }
            guard !output.isEmpty else { return }
            output.removeAll(keepingCapacity: output.capacity <= Self.outputLimit)
            outputSent = 0
            if counted > 0 { mailbox.sent(bytes: counted) }
            counted = 0
        }
    }
#endif
