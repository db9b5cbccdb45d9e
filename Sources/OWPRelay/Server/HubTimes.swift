// OpenWatchParty for Swift. See LICENSE.

/// How long the relay bears with a connection, in ms.
struct HubTimes: Hashable, Sendable {
    /// How long a connection may send nothing.
    var silenceMs: Int64
    /// How long a connection may be in no room.
    var joinMs: Int64
    /// How long a connection that was told `closed` is left open.
    var dismissalMs: Int64 = 5000
    /// How long a client may go on sending too much.
    var floodMs: Int64 = 10_000
    /// After how long without a surplus message a flood is over.
    var floodPauseMs: Int64 = 1000
    /// How long the HTTP head may take.
    var headMs: Int64 = 10_000
    /// How long the peer may take to answer a close frame, and to close its side.
    var closingMs: Int64 = 5000

    init(_ configuration: RelayConfiguration) {
        let scale = configuration.timerScale
        func scaled(_ timeMs: Int64) -> Int64 { max(1, Int64((Double(timeMs) * scale).rounded())) }
        silenceMs = scaled(Int64(configuration.clientTimeoutMs))
        joinMs = silenceMs
        dismissalMs = scaled(dismissalMs)
        floodMs = scaled(floodMs)
        floodPauseMs = scaled(floodPauseMs)
        headMs = scaled(headMs)
        closingMs = scaled(closingMs)
    }

    /// When a session has been silent, or in no room, for too long.
    func deadlineMs(_ session: RelayHub.Session) -> Int64 {
        let silence = session.heardAtMs + silenceMs
        guard session.roomCode == nil else { return silence }
        let join = session.dismissedAtMs.map { $0 + dismissalMs } ?? session.roomlessSinceMs + joinMs
        return min(silence, join)
    }
}

/// Bytes in base64url without padding (RFC 4648, section 5).
func base64url(_ bytes: [UInt8]) -> String {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
        let group = bytes[start..<min(start + 3, bytes.count)]
        let bits = group.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << UInt32(8 * (3 - group.count))
        for index in 0...group.count { text.append(digits[Int(bits >> UInt32(18 - 6 * index) & 63)]) }
    }
    return String(decoding: text, as: UTF8.self)
}
