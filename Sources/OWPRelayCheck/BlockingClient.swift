// OpenWatchParty for Swift. See LICENSE.

import Foundation
package import OWPWebSocket
package import OWPWire

/// What did not happen as it should, in words.
package struct CheckFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// What.
    package let description: String
    /// Makes a failure.
    package init(_ description: String) { self.description = description }
}

/// A client of a relay that sends what it is told, well formed or not, and waits on its thread for answers.
package final class BlockingClient {
    private let descriptor: Int32
    private var endpoint: WebSocketEndpoint?
    private var events: [WebSocketEvent] = []
    /// How long it waits for anything, in ms.
    package var patienceMs: Int64 = 20_000

    /// Opens a TCP connection.
    ///
    /// - Parameters:
    ///   - host: An address or a host name.
    ///   - port: The port.
    ///   - receiveBuffer: The size of the socket's buffer, for a client that is slow on purpose.
    /// - Throws: ``CheckFailure`` when nobody listens there.
    package init(host: String = "127.0.0.1", port: Int, receiveBuffer: Int32? = nil) throws {
        var hints = addrinfo()
        #if os(Linux)
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
            hints.ai_socktype = SOCK_STREAM
        #endif
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &found) == 0, let first = found else {
            throw CheckFailure("\(host) has no address")
        }
        defer { freeaddrinfo(found) }
        descriptor = socket(first.pointee.ai_family, first.pointee.ai_socktype, 0)
        if var receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, socklen_t(MemoryLayout<Int32>.size))
        }
        guard connect(descriptor, first.pointee.ai_addr, first.pointee.ai_addrlen) == 0 else {
            let reason = String(cString: strerror(errno))
            close(descriptor)
            throw CheckFailure("cannot connect to \(host):\(port): \(reason)")
        }
    }

    /// Opens a WebSocket.
    ///
    /// - Parameters:
    ///   - port: The port.
    ///   - host: An address or a host name.
    ///   - path: The path of the endpoint.
    ///   - receiveBuffer: The size of the socket's buffer, for a client that is slow on purpose.
    /// - Throws: ``CheckFailure``, or the ``WebSocketError`` of a refused upgrade.
    package convenience init(
        webSocketAt port: Int,
        host: String = "127.0.0.1",
        path: String = "/v1/ws",
        receiveBuffer: Int32? = nil
    ) throws {
        try self.init(host: host, port: port, receiveBuffer: receiveBuffer)
        var random = SystemRandomNumberGenerator()
        let named = host.contains(":") ? "[\(host)]" : host
        var handshake = ClientHandshake(to: try WebSocketURL("ws://\(named):\(port)\(path)"), random: &random)
        try send(handshake.request)
        while true {
            let bytes = try read()
            if bytes.isEmpty { throw CheckFailure("the connection ended before the upgrade") }
            var offset = 0
            if try bytes.withUnsafeBytes({ try handshake.read($0, at: &offset) }) {
                endpoint = WebSocketEndpoint(clientWithMessageLimit: 1 << 20, random: random)
                feed(Array(bytes[offset...]))
                return
            }
        }
    }

    deinit { close(descriptor) }

    // MARK: Bytes

    /// Sends bytes as they are.
    package func send(_ bytes: [UInt8]) throws {
        var left = bytes[...]
        while !left.isEmpty {
            #if os(Linux)
                let flags = Int32(MSG_NOSIGNAL)
            #else
                let flags: Int32 = 0
            #endif
            let count = left.withUnsafeBytes { Foundation.send(descriptor, $0.baseAddress, $0.count, flags) }
            guard count > 0 else { throw CheckFailure("cannot send: \(String(cString: strerror(errno)))") }
            left = left.dropFirst(count)
        }
    }

    /// The next bytes; none at the end of the connection.
    package func read() throws -> [UInt8] {
        guard try waits(atMostMs: patienceMs) else { throw CheckFailure("nothing came in \(patienceMs) ms") }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count < 0, errno == ECONNRESET { return [] }
        guard count >= 0 else { throw CheckFailure("cannot receive: \(String(cString: strerror(errno)))") }
        return Array(buffer[..<count])
    }

    private func waits(atMostMs limitMs: Int64) throws -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while true {
            let count = poll(&entry, 1, Int32(clamping: limitMs))
            if count >= 0 { return count > 0 }
            if errno != EINTR { throw CheckFailure("cannot wait: \(String(cString: strerror(errno)))") }
        }
    }

    /// Everything up to the end of the connection, as text.
    package func readToEnd() throws -> String {
        var all: [UInt8] = []
        while true {
            let bytes = try read()
            if bytes.isEmpty { return String(decoding: all, as: UTF8.self) }
            all += bytes
        }
    }

    /// Ends the connection without a word.
    package func cut() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    // MARK: Messages

    /// Sends a text message.
    package func send(text: String) throws {
        var output: [UInt8] = []
        endpoint?.send(text, output: &output)
        try send(output)
    }

    /// Sends a message.
    package func send(_ message: ClientMessage) throws { try send(text: message.text) }

    /// Sends a binary message.
    package func sendBinary(_ bytes: [UInt8]) throws {
        var output: [UInt8] = []
        endpoint?.send(bytes, output: &output)
        try send(output)
    }

    /// Sends a ping frame.
    package func ping(_ payload: [UInt8]) throws {
        var output: [UInt8] = []
        endpoint?.ping(payload, output: &output)
        try send(output)
    }

    /// Sends a close frame.
    package func sendClose(code: Int) throws {
        var output: [UInt8] = []
        endpoint?.close(code: code, output: &output)
        try send(output)
    }

    private func feed(_ bytes: [UInt8]) {
        var (bytes, offset, output) = (bytes, 0, [UInt8]())
        bytes.withUnsafeMutableBytes { buffer in
            while let event = endpoint?.receive(buffer, at: &offset, output: &output) { events.append(event) }
        }
        // The relay may be gone already, which the next read tells.
        try? send(output)
    }

    /// The next event; nil at the end of the connection.
    package func nextEvent() throws -> WebSocketEvent? {
        while events.isEmpty {
            let bytes = try read()
            if bytes.isEmpty { return nil }
            feed(bytes)
        }
        return events.removeFirst()
    }

    /// The event that comes within a time; nil when none does.
    package func event(withinMs limitMs: Int64) throws -> WebSocketEvent? {
        let start = ContinuousClock.now
        while events.isEmpty {
            let left = limitMs - (ContinuousClock.now - start).wholeMs
            guard left > 0, try waits(atMostMs: left) else { return nil }
            let bytes = try read()
            if bytes.isEmpty { throw CheckFailure("the connection ended") }
            feed(bytes)
        }
        return events.removeFirst()
    }

    /// The next message that a filter takes; others are passed over.
    package func next<Part>(_ what: String, _ filter: (RelayMessage) -> Part?) throws -> Part {
        while true {
            switch try nextEvent() {
            case .text(let text)?:
                guard case .message(let message) = RelayMessage.read(text) else {
                    throw CheckFailure("instead of \(what), what no client reads: \(text.prefix(200))")
                }
                if let part = filter(message) { return part }
            case .pong?: continue
            case nil: throw CheckFailure("instead of \(what), the end of the connection")
            case .closed(let close)?:
                throw CheckFailure("instead of \(what), a close with \(close.code.map(String.init) ?? "no status")")
            case let other?: throw CheckFailure("instead of \(what), \(other)")
            }
        }
    }

    /// The next `joined`.
    package func nextJoined() throws -> JoinedMessage {
        try next("joined") { if case .joined(let message) = $0 { message } else { nil } }
    }

    /// The next `room`.
    package func nextRoom() throws -> RoomMessage {
        try next("room") { if case .room(let message) = $0 { message } else { nil } }
    }

    /// The next `room` that is as asked; others are passed over.
    package func nextRoom(_ what: String, where isMeant: (RoomMessage) -> Bool) throws -> RoomMessage {
        try next(what) { if case .room(let message) = $0, isMeant(message) { message } else { nil } }
    }

    /// The next `error`.
    package func nextError() throws -> ErrorMessage {
        try next("error") { if case .error(let message) = $0 { message } else { nil } }
    }

    /// The next `pong`'s id and time.
    package func nextPong() throws -> (id: Int64, serverTimeMs: Int64) {
        try next("pong") { if case .pong(let id, let timeMs) = $0 { (id, timeMs) } else { nil } }
    }

    /// The status of the close frame, whatever comes before it; nil for an end without one.
    package func closeCode() throws -> Int? {
        while let event = try nextEvent() {
            switch event {
            case .closed(let close): return close.code
            case .failed(let error): throw error
            case .text, .binary, .pong: continue
            }
        }
        return nil
    }

    /// Makes a room.
    package func create(name: String = "A") throws -> JoinedMessage {
        try send(.create(name: name, client: "check/1"))
        return try nextJoined()
    }

    /// Enters a room.
    package func join(_ code: String, name: String = "B") throws -> JoinedMessage {
        try send(.join(code: code, name: name, client: "check/1", create: false))
        return try nextJoined()
    }
}

extension Duration {
    /// The whole ms in it.
    var wholeMs: Int64 { components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000 }
}
