// OpenWatchParty for Swift. See LICENSE.

/// How long a room waits for what, in ms.
package struct RoomTimes: Hashable, Sendable {
    /// How long a participant buffers before the room waits for it.
    package var stallMs: Int64 = 800
    /// How long a late participant is ready on end, in the running room, until it counts again.
    package var lateMs: Int64 = 5000
    /// How long, beyond its round trip, a ready participant may take to report that a seek unsettled it.
    package var settleMs: Int64 = 700
    /// How long a room waits at most.
    package var waitLimitMs: Int64 = 30_000
    /// How long a room waits at most before an epoch's first start: a search may take that long.
    package var firstWaitLimitMs: Int64 = 120_000
    /// How long a room plays or waits on with nobody connected.
    package var desertedMs: Int64 = 15_000
    /// How long the host may be disconnected before another follows.
    package var hostGraceMs: Int64 = 30_000
    /// How long a dropped participant may resume, and a room lives with nobody connected.
    package var resumeWindowMs: Int64 = 300_000
    /// How old a room gets.
    package var greatestAgeMs: Int64 = 86_400_000
    /// How long changes by status alone are gathered, and how much longer for each participant.
    package var gatherMs: Int64 = 50
    /// See ``gatherMs``.
    package var gatherParticipantMs: Int64 = 5

    /// The protocol's times.
    package init() {}

    /// The protocol's times, each multiplied by a factor, for tests that cannot wait as long.
    package init(scale: Double) {
        func scaled(_ timeMs: Int64) -> Int64 { max(1, Int64((Double(timeMs) * scale).rounded())) }
        stallMs = scaled(stallMs)
        lateMs = scaled(lateMs)
        settleMs = scaled(settleMs)
        waitLimitMs = scaled(waitLimitMs)
        firstWaitLimitMs = scaled(firstWaitLimitMs)
        desertedMs = scaled(desertedMs)
        hostGraceMs = scaled(hostGraceMs)
        resumeWindowMs = scaled(resumeWindowMs)
        greatestAgeMs = scaled(greatestAgeMs)
        gatherMs = scaled(gatherMs)
        gatherParticipantMs = Int64((Double(gatherParticipantMs) * scale).rounded())
    }
}
