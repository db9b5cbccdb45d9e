// OpenWatchParty for Swift. See LICENSE.

/// The constants of section 2; times in ms.
///
/// They are not settings.
package enum Constants {
    /// The pings of the burst at a connection's open (section 5).
    package static let burstPings: Int64 = 3
    /// The distance of the burst's pings (section 5).
    package static let burstSpacingMs: Int64 = 500
    /// The distance of all later pings, counted from the open (section 5).
    package static let pingIntervalMs: Int64 = 5000
    /// The clock's window, in samples (section 5).
    package static let clockWindow = 8
    /// The largest round trip that gives a sample (section 5).
    package static let largestRoundTripMs: Int64 = 1000
    /// What a sample may differ beyond half the round trips before it is a step (section 5).
    package static let clockStepSlackMs: Int64 = 100
    /// The time for a connection to open, and for a request to be answered (sections 6, 7.1 and 14).
    package static let connectTimeoutMs: Int64 = 10_000
    /// The time for the resolver to answer (section 9.2).
    package static let resolveTimeoutMs: Int64 = 30_000
    /// The time for a GET, body included (section 3.4).
    package static let httpTimeoutMs: Int64 = 5000
    /// The largest body of a GET, in bytes (section 3.4).
    package static let httpBodyBytes = 65_536
    /// The public list's source (section 3).
    package static let publicListURL = "https://openwatch.party/relays.json"
    /// The age at which a `joined` refreshes the list (section 3.3).
    package static let listRefreshAgeMs: Int64 = 86_400_000
    /// The largest difference of durations that matches (section 9).
    package static let matchToleranceMs: Int64 = 1500
    /// The probes of one walk (section 9.5).
    package static let probes = 4
    /// The time all probes of one walk share (section 9.5).
    package static let probeBudgetMs: Int64 = 60_000
    /// The time after a `status` at which it is repeated (section 10.3).
    package static let statusHeartbeatMs: Int64 = 15_000
    /// The least time between two `status` messages (section 10.3).
    package static let statusSpacingMs: Int64 = 250
    /// The time between two steps (section 11.1).
    package static let tickMs: Int64 = 500
    /// The drift from which a nudge starts (section 11.2).
    package static let deadbandMs: Int64 = 350
    /// The drift under which a nudge ends (section 11.2).
    package static let nudgeEndMs: Int64 = 150
    /// The rate's factor for a player that is ahead (section 11.2).
    package static let nudgeAhead = 0.96
    /// The rate's factor for a player that is behind (section 11.2).
    package static let nudgeBehind = 1.04
    /// The drift beyond which a player with rate control is sought (section 11.2).
    package static let seekThresholdMs: Int64 = 2000
    /// The drift beyond which a player without rate control is sought (section 11.2).
    package static let seekThresholdNoRateMs: Int64 = 1000
    /// The distance beyond which a held player is sought (sections 10.2 and 11.2).
    package static let heldSeekThresholdMs: Int64 = 500
    /// How far beyond the target a seek of a playing room aims (section 11.2).
    package static let seekLeadMs: Int64 = 250
    /// The least time between two seeks of the party's own (section 11.2).
    package static let seekCooldownMs: Int64 = 2000
    /// How far before a file's end the party's seeks stay (section 11.2).
    package static let endMarginMs: Int64 = 1000
    /// The difference of rates that is none (section 11.2).
    package static let rateTolerance = 0.001
    /// The longest time steps rest after a local command (section 12).
    package static let commandHoldMs: Int64 = 2000
    /// The silence after which a connection is given up (section 14).
    package static let silenceTimeoutMs: Int64 = 15_000
    /// The first reconnect delay, before its random factor (section 14).
    package static let backoffFirstMs: Int64 = 500
    /// The largest reconnect delay, before its random factor (section 14).
    package static let backoffLargestMs: Int64 = 8000
    /// How long a dropped party tries to resume (section 14).
    package static let resumeWindowMs: Int64 = 300_000
    /// The longest delay a native timer gets (section 2).
    package static let largestTimerMs: Int64 = 2_147_483_647
    /// The largest duration of media: 7 days (section 9.7).
    package static let largestDurationMs: Int64 = 604_800_000
    /// The largest magnitude of an offset: 7 days (section 13).
    package static let largestOffsetMs: Int64 = 604_800_000
}
