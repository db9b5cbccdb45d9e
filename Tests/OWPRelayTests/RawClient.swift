// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OWPCore
import OWPWebSocket
import OWPWire
import Testing

@testable import OWPRelay

/// A client of the relay that sends what it is told, well formed or not, and waits for answers.
final class RawClient {
    struct Failure: Error { var text: String }

    let descriptor: Int32
    private var endpoint: WebSocketEndpoint?
    private var events: [WebSocketEvent] = []
    /// Bytes that came as no WebSocket.
    private(set) var plain: [UInt8] = []

    /// Opens a TCP connection to 127.0.0.1.
    init(port: Int, receiveBuffer: Int32? = nil) throws {
        #if os(Linux)
            let stream = Int32(SOCK_STREAM.rawValue)
        #else
            let stream = SOCK_STREAM
        #endif
        descriptor = socket(AF_INET, stream, 0)
        let size = socklen_t(MemoryLayout<Int32>.size)
        if var receiveBuffer { setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, size) }
        var timeout = timeval(tv_sec: 20, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let status = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard status == 0 else {
            close(descriptor)
            throw Failure(text: "cannot connect: \(systemError())")
        }
    }

    deinit { close(descriptor) }

    /// Opens a WebSocket to a path.
    convenience init(webSocketAt port: Int, path: String = "/v1/ws", receiveBuffer: Int32? = nil) throws {
        try self.init(port: port, receiveBuffer: receiveBuffer)
        try upgrade(port: port, path: path)
    }

    func upgrade(port: Int, path: String) throws {
        var random = SystemRandomNumberGenerator()
        let url = try WebSocketURL("ws://127.0.0.1:\(port)\(path)")
        var handshake = ClientHandshake(to: url, random: &random)
        try send(handshake.request)
        var offset = 0
        while true {
            let bytes = try read()
            offset = 0
            if try bytes.withUnsafeBytes({ try handshake.read($0, at: &offset) }) {
                endpoint = WebSocketEndpoint(clientWithMessageLimit: 1 << 20, random: random)
                feed(Array(bytes[offset...]))
                return
            }
        }
    }

    // MARK: Bytes

    func send(_ bytes: [UInt8]) throws {
        var left = bytes[...]
        while !left.isEmpty {
            #if os(Linux)
                let flags = Int32(MSG_NOSIGNAL)
            #else
                let flags: Int32 = 0
            #endif
            let count = left.withUnsafeBytes { Foundation.send(descriptor, $0.baseAddress, $0.count, flags) }
            guard count > 0 else { throw Failure(text: "cannot send: \(systemError())") }
            left = left.dropFirst(count)
        }
    }

    /// The next bytes; none at the end of the connection.
    func read() throws -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        if count < 0, errno == ECONNRESET { return [] }
        guard count >= 0 else { throw Failure(text: "nothing came: \(systemError())") }
        return Array(buffer[..<count])
    }

    /// Everything up to the end of the connection, as text.
    func readToEnd() throws -> String {
        var all: [UInt8] = []
        while true {
            let bytes = try read()
            if bytes.isEmpty { return String(decoding: all, as: UTF8.self) }
            all += bytes
        }
    }

    // MARK: Messages

    func send(text: String) throws {
        var output: [UInt8] = []
        endpoint?.send(text, output: &output)
        try send(output)
    }

    func send(_ message: ClientMessage) throws { try send(text: message.text) }

    func sendBinary(_ bytes: [UInt8]) throws {
        var output: [UInt8] = []
        endpoint?.send(bytes, output: &output)
        try send(output)
    }

    private func feed(_ bytes: [UInt8]) {
        var (bytes, offset, output) = (bytes, 0, [UInt8]())
        bytes.withUnsafeMutableBytes { buffer in
            while let event = endpoint?.receive(buffer, at: &offset, output: &output) { events.append(event) }
        }
        try? send(output)
    }

    /// The next event; nil at the end of the connection.
    func nextEvent() throws -> WebSocketEvent? {
        while events.isEmpty {
            let bytes = try read()
            if bytes.isEmpty { return nil }
            feed(bytes)
        }
        return events.removeFirst()
    }

    /// The next message that a filter takes.
    func next<Part>(_ filter: (RelayMessage) -> Part?) throws -> Part {
        while true {
            switch try nextEvent() {
            case .text(let text)?:
                guard case .message(let message) = RelayMessage.read(text) else {
                    throw Failure(text: "unreadable: \(text)")
                }
                if let part = filter(message) { return part }
            case let other: throw Failure(text: "ended: \(String(describing: other))")
            }
        }
    }

    func nextJoined() throws -> JoinedMessage { try next { if case .joined(let it) = $0 { it } else { nil } } }
    func nextRoom() throws -> RoomMessage { try next { if case .room(let it) = $0 { it } else { nil } } }
    func nextError() throws -> ErrorMessage { try next { if case .error(let it) = $0 { it } else { nil } } }

    /// The status of the close frame, whatever comes before it; nil for an end without one.
    func closeCode() throws -> Int? {
        while let event = try nextEvent() {
            switch event {
            case .closed(let close): return close.code
            case .failed(let error): throw error
            case .text, .binary, .pong: continue
            }
        }
        return nil
    }

    func create(name: String = "A") throws -> JoinedMessage {
        try send(.create(name: name, client: "test/1"))
        return try nextJoined()
    }

    func join(_ code: String, name: String = "B") throws -> JoinedMessage {
        try send(.join(code: code, name: name, client: "test/1", create: false))
        return try nextJoined()
    }
}
