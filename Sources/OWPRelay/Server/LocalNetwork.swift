// OpenWatchParty for Swift. See LICENSE.

import Foundation

/// The IPv4 addresses of this machine that others in its networks can reach.
enum LocalNetwork {
    /// The addresses, first the one towards the rest of the world; none while no network is up.
    static var addresses: [String] {
        let all = interfaceAddresses
        guard let first = routedAddress, all.contains(first) else { return all }
        return [first] + all.filter { $0 != first }
    }

    private static var interfaceAddresses: [String] {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return [] }
        defer { freeifaddrs(list) }
        var found: [String] = []
        for entry in sequence(first: list, next: { $0?.pointee.ifa_next }) {
            guard let interface = entry?.pointee, let address = interface.ifa_addr,
                Int32(address.pointee.sa_family) == AF_INET, interface.ifa_flags & UInt32(IFF_UP) != 0,
                interface.ifa_flags & UInt32(IFF_LOOPBACK) == 0
            else { continue }
            let text = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { self.text(of: $0.pointee) }
            // 169.254: the machine was given no address.
            if !text.hasPrefix("169.254."), !found.contains(text) { found.append(text) }
        }
        return found
    }

    /// The address that a packet to the internet would leave from; none is sent.
    private static var routedAddress: String? {
        #if os(Linux)
            let kind = Int32(SOCK_DGRAM.rawValue)
        #else
            let kind = SOCK_DGRAM
        #endif
        let descriptor = socket(AF_INET, kind, 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        // An address of documentation (RFC 5737).
        var target = sockaddr_in()
        target.sin_family = sa_family_t(AF_INET)
        target.sin_port = UInt16(9).bigEndian
        inet_pton(AF_INET, "192.0.2.1", &target.sin_addr)
        var own = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &target) { target in
            target.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, length) }
        }
        guard status == 0 else { return nil }
        let named = withUnsafeMutablePointer(to: &own) { own in
            own.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
        }
        return named == 0 ? text(of: own) : nil
    }

    private static func text(of address: sockaddr_in) -> String {
        withUnsafeBytes(of: address.sin_addr) { bytes in bytes.map { String($0) }.joined(separator: ".") }
    }
}
