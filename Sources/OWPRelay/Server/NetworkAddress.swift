// OpenWatchParty for Swift. See LICENSE.

/// A client's address as the limits count it: an IPv4 address whole, an IPv6 address by its /64.
struct NetworkAddress: Hashable, Sendable {
    /// 4 or 8 bytes.
    let bytes: [UInt8]

    /// Takes the 4 bytes of an IPv4 address or the 16 of an IPv6 address; nil for another number.
    init?(_ whole: [UInt8]) {
        switch whole.count {
        case 4: bytes = whole
        case 16:
            let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
            bytes = whole.starts(with: mapped) ? Array(whole[12...]) : Array(whole[..<8])
        default: return nil
        }
    }

    /// What a Unix socket or an unreadable address counts as.
    static let unknown = NetworkAddress(exactly: [])

    private init(exactly bytes: [UInt8]) { self.bytes = bytes }
}
