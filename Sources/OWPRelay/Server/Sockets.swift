// OpenWatchParty for Swift. See LICENSE.

import Foundation

#if os(Linux)
    import COWPSystem
#endif

/// Why a relay could not start, in one line.
public struct RelayStartError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What went wrong.
    public let description: String
    /// Makes an error of one line.
    init(_ description: String) { self.description = description }
}

/// The system's calls for TCP, each without waiting.
enum Sockets {
    /// What reading or writing came to.
    enum Transfer: Hashable, Sendable {
        case bytes(Int)
        case wouldBlock
        case ended
    }

    #if os(Linux)
        private static let stream = Int32(SOCK_STREAM.rawValue)
        private static let noSignal = Int32(MSG_NOSIGNAL)
    #else
        private static let stream = SOCK_STREAM
        private static let noSignal: Int32 = 0
    #endif

    /// Opens a listening socket.
    ///
    /// - Parameters:
    ///   - host: An address or a host name.
    ///   - port: A port; 0 for any free one.
    /// - Returns: The descriptor and the port.
    /// - Throws: ``RelayStartError``, such as for a port in use.
    static func listen(host: String, port: Int) throws(RelayStartError) -> (descriptor: Int32, port: Int) {
        var hints = addrinfo()
        hints.ai_socktype = stream
        hints.ai_flags = AI_PASSIVE
        var found: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, String(port), &hints, &found)
        guard status == 0, let first = found else {
            throw RelayStartError("\(host) is no address of this machine: \(String(cString: gai_strerror(status)))")
        }
        defer { freeaddrinfo(found) }
        let descriptor = socket(first.pointee.ai_family, stream, 0)
        guard descriptor >= 0 else { throw RelayStartError("cannot open a socket: \(systemError())") }
        prepare(descriptor)
        var on: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
        guard bind(descriptor, first.pointee.ai_addr, first.pointee.ai_addrlen) == 0,
            Foundation.listen(descriptor, 1024) == 0
        else {
            let reason =
                switch errno {
                case EADDRINUSE: "already in use; stop what uses it, or take another port"
                case EADDRNOTAVAIL: "no address of this machine; 0.0.0.0 stands for all of them"
                case EACCES: "not allowed; take a port above 1023"
                default: systemError()
                }
            close(descriptor)
            throw RelayStartError("cannot listen on \(host):\(port): \(reason)")
        }
        return (descriptor, localPort(descriptor) ?? port)
    }

    /// What came of taking a waiting connection.
    enum Accepted: Hashable, Sendable {
        case connection(Int32, NetworkAddress)
        case none
        case outOfDescriptors
    }

    /// Takes the next connection that waits.
    static func accept(_ listener: Int32) -> Accepted {
        while true {
            var storage = sockaddr_storage()
            var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
            let descriptor = withUnsafeMutablePointer(to: &storage) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    #if os(Linux)
                        let flags = Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
                        return accept4(listener, address, &length, flags)
                    #else
                        return Foundation.accept(listener, address, &length)
                    #endif
                }
            }
            if descriptor >= 0 {
                prepare(descriptor)
                return .connection(descriptor, address(storage))
            }
            switch errno {
            case EINTR, ECONNABORTED: continue
            case EMFILE, ENFILE, ENOBUFS, ENOMEM: return .outOfDescriptors
            default: return .none
            }
        }
    }

    /// Makes a socket one that never waits, is not inherited, sends at once and raises no signal.
    private static func prepare(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        var on: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, size)
        #if canImport(Darwin)
            setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, size)
        #endif
    }

    private static func address(_ storage: sockaddr_storage) -> NetworkAddress {
        withUnsafeBytes(of: storage) { bytes in
            switch Int32(storage.ss_family) {
            case AF_INET:
                let whole = withUnsafeBytes(of: bytes.load(as: sockaddr_in.self).sin_addr) { Array($0) }
                return NetworkAddress(whole) ?? .unknown
            case AF_INET6:
                let whole = withUnsafeBytes(of: bytes.load(as: sockaddr_in6.self).sin6_addr) { Array($0) }
                return NetworkAddress(whole) ?? .unknown
            default: return .unknown
            }
        }
    }

    /// Reads an address as a proxy writes it: IPv4 or IPv6, perhaps in brackets or with a port; nil for other text.
    static func address(parsing text: String) -> NetworkAddress? {
        var text = Substring(text)
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            text = text[text.index(after: text.startIndex)..<end]
        } else if text.filter({ $0 == ":" }).count == 1 {
            text = text.prefix { $0 != ":" }
        }
        var four = in_addr()
        if inet_pton(AF_INET, String(text), &four) == 1 {
            return NetworkAddress(withUnsafeBytes(of: four) { Array($0) })
        }
        var sixteen = in6_addr()
        guard inet_pton(AF_INET6, String(text), &sixteen) == 1 else { return nil }
        return NetworkAddress(withUnsafeBytes(of: sixteen) { Array($0) })
    }

    /// The port that a listening socket got.
    private static func localPort(_ descriptor: Int32) -> Int? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let status = withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        guard status == 0 else { return nil }
        // Both families keep the port at the same place.
        return withUnsafeBytes(of: storage) { Int(UInt16(bigEndian: $0.load(as: sockaddr_in.self).sin_port)) }
    }

    /// Reads what has come.
    static func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Transfer {
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count > 0 { return .bytes(count) }
            if count == 0 { return .ended }
            if errno == EINTR { continue }
            return errno == EAGAIN || errno == EWOULDBLOCK ? .wouldBlock : .ended
        }
    }

    /// Writes what the system takes.
    static func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Transfer {
        while true {
            let count = send(descriptor, bytes.baseAddress, bytes.count, noSignal)
            if count >= 0 { return .bytes(count) }
            if errno == EINTR { continue }
            return errno == EAGAIN || errno == EWOULDBLOCK ? .wouldBlock : .ended
        }
    }

    /// Says that nothing more will be written.
    static func finishWriting(_ descriptor: Int32) { _ = shutdown(descriptor, Int32(SHUT_WR)) }

    /// Closes a descriptor.
    static func close(_ descriptor: Int32) { _ = Foundation.close(descriptor) }

    /// A descriptor kept for the moment when there is none left to take a connection with, and refuse it.
    static func reserve() -> Int32 { open("/dev/null", O_RDONLY | O_CLOEXEC) }
}
