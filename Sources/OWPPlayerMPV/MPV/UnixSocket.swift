// OpenWatchParty for Swift. See LICENSE.

import Foundation

/// A connected stream socket of the local machine; closed when nobody holds it any more.
final class UnixSocket: Sendable {
    private let descriptor: Int32

    /// Connects to a listener's path.
    ///
    /// - Parameter path: The socket's path.
    /// - Throws: ``MPVError/badSocketPath(_:)`` for a path that no socket can have, ``MPVError/ended`` when nobody
    ///   listens there.
    init(connectingTo path: String) throws(MPVError) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        let room = MemoryLayout.size(ofValue: address.sun_path)
        guard !bytes.isEmpty, bytes.count < room, !bytes.contains(0) else { throw .badSocketPath(path) }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        #if canImport(Glibc)
            let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        #else
            let kind = SOCK_STREAM
        #endif
        let descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { throw .ended }
        #if canImport(Darwin)
            var on: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        #endif
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard connected == 0 else {
            close(descriptor)
            throw .ended
        }
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }

    /// Waits for bytes; nil once the connection has ended.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count > 0 { return count }
            if count == 0 || errno != EINTR { return nil }
        }
    }

    /// Writes all bytes, waiting as long as the reader takes; false once the connection has ended.
    func write(_ bytes: [UInt8]) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                send(descriptor, $0.baseAddress?.advanced(by: sent), $0.count - sent, noSignal)
            }
            if count > 0 {
                sent += count
            } else if errno != EINTR {
                return false
            }
        }
        return true
    }

    /// Ends the connection: a waiting reader or writer returns.
    func end() {
        _ = shutdown(descriptor, Int32(SHUT_RDWR))
    }
}
