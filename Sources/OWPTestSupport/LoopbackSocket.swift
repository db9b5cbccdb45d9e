// OpenWatchParty for Swift. See LICENSE.

import Foundation

/// Blocking TCP sockets on 127.0.0.1, for tests.
enum LoopbackSocket {
    /// Listens on a free port.
    static func listen() -> (socket: Int32, port: Int) {
        let listener = make()
        var address = loopback(port: 0)
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, size) == 0 && Foundation.listen(listener, 128) == 0
                    && getsockname(listener, address, &size) == 0
            }
        }
        precondition(isBound, "no free port on 127.0.0.1")
        return (listener, Int(UInt16(bigEndian: address.sin_port)))
    }

    /// Waits for the next connection; nil once the listener is shut down.
    static func accept(_ listener: Int32) -> Int32? {
        while true {
            let socket = Foundation.accept(listener, nil, nil)
            if socket >= 0 {
                prepare(socket)
                return socket
            }
            // A signal, or a client that went away before it was taken, ends one accept, not the server.
            guard [EINTR, ECONNABORTED, EMFILE].contains(errno) else { return nil }
        }
    }

    /// Runs something on a thread of its own, under the name by which those of tests are found.
    static func startThread(_ body: @escaping @Sendable () -> Void) {
        Thread.detachNewThread {
            // `Thread.name` may come too early to have an effect.
            if let name = fopen("/proc/thread-self/comm", "w") {
                fputs("OWPTest", name)
                fclose(name)
            }
            body()
        }
    }

    /// Connects to a port; nil when nobody listens there.
    static func connect(to port: Int) -> Int32? {
        let socket = make()
        var address = loopback(port: port)
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { Foundation.connect(socket, $0, size) == 0 }
        }
        guard isConnected else {
            close(socket)
            return nil
        }
        prepare(socket)
        return socket
    }

    /// Waits until a socket has bytes or an end to read; with no socket (-1), until the time is over.
    static func waitToRead(_ socket: Int32, ms: Int32) -> Bool {
        var waited = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return poll(&waited, 1, ms) > 0
    }

    /// Reads what is there; empty at the end, nil when the connection is broken.
    static func read(_ socket: Int32) -> [UInt8]? {
        var isBroken = false
        let bytes = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, count in
            let read = recv(socket, buffer.baseAddress, buffer.count, 0)
            isBroken = read < 0
            count = max(0, read)
        }
        return isBroken ? nil : bytes
    }

    /// Writes all bytes; false when the connection is broken.
    static func write(_ socket: Int32, _ bytes: [UInt8]) -> Bool {
        var start = 0
        while start < bytes.count {
            let count = bytes[start...].withUnsafeBytes { send(socket, $0.baseAddress, $0.count, noSignal) }
            guard count > 0 else { return false }
            start += count
        }
        return true
    }

    /// Sends an end.
    static func finishWriting(_ socket: Int32) { _ = Foundation.shutdown(socket, Int32(SHUT_WR)) }

    /// Wakes up who waits for a listener.
    static func shutdown(_ socket: Int32) { _ = Foundation.shutdown(socket, Int32(SHUT_RDWR)) }

    /// Closes a socket, with a RST when asked for.
    static func close(_ socket: Int32, reset: Bool = false) {
        if reset {
            var option = linger(l_onoff: 1, l_linger: 0)
            setsockopt(socket, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
        }
        _ = Foundation.close(socket)
    }

    private static func make() -> Int32 {
        #if canImport(Darwin)
            return socket(AF_INET, SOCK_STREAM, 0)
        #else
            return socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        #endif
    }

    private static func loopback(port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }

    /// Small pieces go out at once, a broken connection raises no signal, and no child process inherits it.
    private static func prepare(_ socket: Int32) {
        _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
        var on: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        setsockopt(socket, Int32(IPPROTO_TCP), TCP_NODELAY, &on, size)
        #if canImport(Darwin)
            setsockopt(socket, SOL_SOCKET, SO_NOSIGPIPE, &on, size)
        #endif
    }

    #if canImport(Darwin)
        private static let noSignal: Int32 = 0
    #else
        private static let noSignal = Int32(MSG_NOSIGNAL)
    #endif
}
