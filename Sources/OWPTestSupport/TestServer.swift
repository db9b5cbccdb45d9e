// OpenWatchParty for Swift. See LICENSE.

#if canImport(Glibc)
    import Foundation
    import Glibc
    public import OWPWebSocket

    /// A server on a free port of 127.0.0.1 that runs a blocking script for each connection, on a thread of its own.
    public final class TestServer: Sendable {
        /// The port it listens on.
        public let port: Int
        private let listener: Int32

        /// Starts it.
        ///
        /// - Parameter script: Runs for each connection; the socket is closed after it.
        public init(_ script: @escaping @Sendable (TestPeer) -> Void) {
            let (listener, port) = LoopbackSocket.listen()
            (self.listener, self.port) = (listener, port)
            LoopbackSocket.startThread {
                while let socket = LoopbackSocket.accept(listener) {
                    LoopbackSocket.startThread {
                        let peer = TestPeer(socket: socket)
                        script(peer)
                        peer.end()
                    }
                }
                LoopbackSocket.close(listener)
            }
        }

        /// Stops listening; without it, the server lives as long as the process.
        public func stop() { LoopbackSocket.shutdown(listener) }

        /// The URL of a WebSocket here.
        public var url: String { "ws://127.0.0.1:\(port)/v1/ws" }

        /// Its base URL as a relay.
        public var baseURL: String { "http://127.0.0.1:\(port)" }
    }

    /// The server's end of one connection; it belongs to its script's thread.
    public final class TestPeer {
        private let socket: Int32
        private var input: [UInt8] = []
        private var endpoint = WebSocketEndpoint(serverWithMessageLimit: 64 * 1024 * 1024)
        private var output: [UInt8] = []
        private var isEnded = false
        /// The request that ``open()`` or ``request()`` read.
        public private(set) var head: HTTPHead?

        init(socket: Int32) {
            self.socket = socket
            signal(SIGPIPE, SIG_IGN)
        }

        /// Reads a request's head; nil when the client went away.
        public func request() -> HTTPHead? {
            var reader = HTTPHeadReader()
            while head == nil, let bytes = read() {
                var offset = 0
                head = bytes.withUnsafeBytes { try? reader.read($0, at: &offset) }
                input = Array(bytes[offset...])
            }
            return head
        }

        /// Reads the request and accepts it.
        @discardableResult
        public func open(with frames: [UInt8] = []) -> Bool {
            guard let head = request(), let request = try? HTTPRequest(head),
                case .accepted(let answer) = ServerHandshake(request)
            else { return false }
            return write(answer + frames)
        }

        /// The next event; nil when the client went away.
        public func event() -> WebSocketEvent? {
            while true {
                if input.isEmpty {
                    guard let bytes = read() else { return nil }
                    input = bytes
                }
                var offset = 0
                let event = input.withUnsafeMutableBytes { endpoint.receive($0, at: &offset, output: &output) }
                input.removeFirst(offset)
                flush()
                if let event { return event }
            }
        }

        /// Sends a text message.
        public func send(_ text: String) {
            endpoint.send(text, output: &output)
            flush()
        }

        /// Sends back what comes, until the client closes.
        public func echo() {
            while let event = event() {
                switch event {
                case .text(let text): endpoint.send(text, output: &output)
                case .binary(let bytes): endpoint.send(bytes, output: &output)
                case .pong: break
                case .closed, .failed: return
                }
                flush()
            }
        }

        /// Sends a close frame.
        public func close(_ code: Int?, _ reason: String = "") {
            endpoint.close(code: code, reason: reason, output: &output)
            flush()
        }

        /// Reads until the client closes its end.
        public func drain() { while read() != nil {} }

        /// Moves bytes to and from a port of 127.0.0.1 until both sides have ended.
        public func tunnel(to port: Int) {
            guard let server = LoopbackSocket.connect(to: port) else { return }
            let client = socket
            let done = DispatchSemaphore(value: 0)
            LoopbackSocket.startThread {
                while let bytes = LoopbackSocket.read(server), !bytes.isEmpty {
                    _ = LoopbackSocket.write(client, bytes)
                }
                LoopbackSocket.finishWriting(client)
                done.signal()
            }
            while let bytes = read() { _ = LoopbackSocket.write(server, bytes) }
            LoopbackSocket.finishWriting(server)
            done.wait()
            LoopbackSocket.close(server)
        }

        /// Sends bytes as they are.
        @discardableResult
        public func write(_ bytes: [UInt8]) -> Bool {
            var start = 0
            while start < bytes.count {
                let count = bytes[start...].withUnsafeBytes { Glibc.send(socket, $0.baseAddress, $0.count, 0) }
                guard count > 0 else { return false }
                start += count
            }
            return true
        }

        /// Sends bytes as they are, in pieces with a pause between, until the connection is broken.
        public func write(_ bytes: [UInt8], pieces: Int, pauseMs: UInt32) {
            for start in stride(from: 0, to: bytes.count, by: pieces) {
                guard write(Array(bytes[start..<min(start + pieces, bytes.count)])) else { return }
                // Even a sleep of nothing gives a busy machine away for a moment.
                if pauseMs > 0 { usleep(pauseMs * 1000) }
            }
        }

        /// Ends the connection with a RST.
        public func reset() {
            guard !isEnded else { return }
            isEnded = true
            LoopbackSocket.close(socket, reset: true)
        }

        /// Ends the connection.
        public func end() {
            guard !isEnded else { return }
            isEnded = true
            LoopbackSocket.close(socket)
        }

        private func flush() {
            write(output)
            output = []
        }

        private func read() -> [UInt8]? {
            if isEnded { return nil }
            if !input.isEmpty {
                defer { input = [] }
                return input
            }
            let bytes = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
                count = max(0, recv(socket, buffer.baseAddress, buffer.count, 0))
            }
            return bytes.isEmpty ? nil : bytes
        }
    }
#endif
