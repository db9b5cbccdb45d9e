// OpenWatchParty for Swift. See LICENSE.

import Foundation

/// A way to a TCP port of this machine that can be cut, as a cable or a router does it: without a goodbye.
///
/// A thread of its own carries the bytes and owns every socket. Commands reach it through a pipe, one byte each, so
/// nothing is shared.
final class CutLine: Sendable {
    private enum Order: UInt8 {
        case cut = 1
        case close = 2
    }

    /// Where to connect instead of the port that the line leads to.
    let port: Int
    private let orders: Int32

    /// Opens a line on a free port of 127.0.0.1.
    ///
    /// - Throws: ``CommandFailure`` when the machine refuses.
    init(toPort target: Int) throws {
        let (listener, port) = try Self.listen()
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            Foundation.close(listener)
            throw CommandFailure("no pipe for the connection that is to be cut")
        }
        self.port = port
        orders = ends[1]
        let (reader, writer) = (ends[0], ends[1])
        Thread.detachNewThread {
            Self.carry(from: listener, to: UInt16(truncatingIfNeeded: target), orders: reader)
            Foundation.close(reader)
            Foundation.close(writer)
        }
    }

    /// Resets every connection that stands; new ones are carried as before.
    func cut() { give(.cut) }

    /// Closes everything; the line is of no use afterwards.
    func close() { give(.close) }

    private func give(_ order: Order) {
        var byte = order.rawValue
        _ = write(orders, &byte, 1)
    }

    private static func listen() throws -> (descriptor: Int32, port: Int) {
        let listener = newSocket()
        var address = loopback(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && Foundation.listen(listener, 16) == 0
                    && getsockname(listener, address, &length) == 0
            }
        }
        guard isBound else {
            Foundation.close(listener)
            throw CommandFailure("no free port on 127.0.0.1")
        }
        return (listener, Int(UInt16(bigEndian: address.sin_port)))
    }

    /// Carries bytes between accepted connections and the target until it is told to close.
    private static func carry(from listener: Int32, to target: UInt16, orders: Int32) {
        var peers: [Int32: Int32] = [:]
        func drop(_ socket: Int32, abruptly: Bool) {
            guard let other = peers.removeValue(forKey: socket) else { return }
            peers[other] = nil
            for end in [socket, other] {
                if abruptly { resetOnClose(end) }
                Foundation.close(end)
            }
        }
        while true {
            let watched = [orders, listener] + peers.keys
            var polled = watched.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard poll(&polled, nfds_t(polled.count), -1) >= 0 || errno == EINTR else { break }
            for entry in polled where entry.revents != 0 {
                switch entry.fd {
                case orders:
                    var byte: UInt8 = 0
                    guard read(orders, &byte, 1) == 1, Order(rawValue: byte) == .cut else {
                        for socket in Array(peers.keys) { drop(socket, abruptly: false) }
                        Foundation.close(listener)
                        return
                    }
                    for socket in Array(peers.keys) { drop(socket, abruptly: true) }
                case listener:
                    let accepted = accept(listener, nil, nil)
                    guard accepted >= 0 else { continue }
                    neverSignal(accepted)
                    guard let other = connection(toPort: target) else {
                        Foundation.close(accepted)
                        continue
                    }
                    peers[accepted] = other
                    peers[other] = accepted
                default:
                    // It may have been dropped for its other end in this round.
                    guard let other = peers[entry.fd] else { continue }
                    if !move(from: entry.fd, to: other) { drop(entry.fd, abruptly: false) }
                }
            }
        }
    }

    /// Moves what has arrived; false at an end or an error.
    private static func move(from source: Int32, to target: Int32) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(source, &buffer, buffer.count, 0)
        guard count > 0 else { return count < 0 && errno == EINTR }
        var sent = 0
        while sent < count {
            let written = buffer.withUnsafeBytes { bytes in
                Foundation.send(target, bytes.baseAddress?.advanced(by: sent), count - sent, withoutSignal)
            }
            guard written > 0 else { return false }
            sent += written
        }
        return true
    }

    private static func connection(toPort port: UInt16) -> Int32? {
        let socket = newSocket()
        var address = loopback(port: port)
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected else {
            Foundation.close(socket)
            return nil
        }
        return socket
    }

    private static func loopback(port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    /// Closing then sends a reset instead of an orderly end.
    private static func resetOnClose(_ socket: Int32) {
        var abrupt = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &abrupt, socklen_t(MemoryLayout<linger>.size))
    }

    private static func newSocket() -> Int32 {
        #if canImport(Darwin)
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        #endif
        neverSignal(descriptor)
        return descriptor
    }

    // Writing to a peer that is gone is an error, never a SIGPIPE.
    #if canImport(Darwin)
        private static let withoutSignal: Int32 = 0

        private static func neverSignal(_ socket: Int32) {
            var on: Int32 = 1
            setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
        }
    #else
        private static let withoutSignal = Int32(MSG_NOSIGNAL)

        private static func neverSignal(_ socket: Int32) {}
    #endif
}
