// OpenWatchParty for Swift. See LICENSE.

import FuzzSupport
import OWPSync

/// Any pings and pongs at any times never trap, and the best sample is one that may be (section 5).
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzClock(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var bytes = FuzzBytes(start, count)
    var clock = RelayClock(openedAtMs: bytes.int())
    var events = 0
    while bytes.hasMore, events < 200 {
        events += 1
        switch bytes.byte() % 4 {
        case 0: clock.pingSent(id: Int64(bytes.byte()), atLocalMs: bytes.int())
        case 1:
            let localMs = bytes.int()
            let isDue = localMs >= clock.nextPingAtMs
            require(clock.pingsDue(atLocalMs: localMs).isEmpty == !isDue, "pings leave when they are due")
        default:
            let before = clock.best
            let result = clock.pong(id: Int64(bytes.byte()), serverTimeMs: bytes.int(), atLocalMs: bytes.int())
            require(result != .ignored || clock.best == before, "an ignored pong changes nothing")
            require(result != .stepped || before != nil, "the first sample never steps")
        }
        require(clock.best.map { (0...1000).contains($0.rttMs) } ?? true, "a round trip within bounds")
        _ = clock.relayMs(atLocalMs: bytes.int())
    }
    return 0
}
