// OpenWatchParty for Swift. See LICENSE.

/// A client's address as the limits count it: an IPv4 address whole, an IPv6 address by its /64.
struct NetworkAddress: Hashable, Sendable {
    private enum Family: Hashable, Sendable { case unknown, four, six }
    private let family: Family
    private let bits: UInt64

    /// Takes the 4 bytes of an IPv4 address or the 16 of an IPv6 address; nil for another number.
    init?(_ whole: [UInt8]) {
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]
        switch whole.count {
        case 4: self.init(.four, whole[...])
        case 16 where whole.starts(with: mapped): self.init(.four, whole[12...])
        case 16: self.init(.six, whole[..<8])
        default: return nil
        }
    }

    /// What a Unix socket or an unreadable address counts as.
    static let unknown = NetworkAddress(.unknown, [])

    private init(_ family: Family, _ bytes: ArraySlice<UInt8>) {
        self.family = family
        bits = bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}
