// OpenWatchParty for Swift. See LICENSE.

/// Where a playing file is between mpv's reports of its position.
///
/// mpv reports a position with each frame: a staircase whose steps arrive some ms early or late. Between them the
/// position is read off a straight line of the playing speed, which follows the steps gently. Standing still, the
/// position is the last report, as mpv itself would say. Times are ms of monotonic time.
struct PlaybackLine: Hashable, Sendable {
    /// How far a report may lie beside the line before the line starts anew there.
    private static let jumpMs = 80.0
    /// How much of a report's distance the line takes over.
    private static let gain = 0.2
    /// How long the line goes on without a report, so that a player that hangs does not seem to play.
    private static let trustMs = 1000.0

    /// The last report.
    private(set) var lastMs = 0.0
    /// How fast the position moves while playing; 1 is normal.
    private(set) var speed = 1.0
    /// Whether the file plays.
    private(set) var isRunning = false

    private var lastAtMs = 0.0
    /// The line's position at time 0, once there was a report while running.
    private var originMs: Double?

    /// Takes a report.
    mutating func report(_ positionMs: Double, atMs: Double) {
        lastMs = positionMs
        lastAtMs = atMs
        guard isRunning else { return }
        let origin = positionMs - speed * atMs
        if let old = originMs, (origin - old).magnitude <= Self.jumpMs {
            originMs = old + (origin - old) * Self.gain
        } else {
            originMs = origin
        }
    }

    /// Takes whether the file plays now.
    mutating func setRunning(_ running: Bool) {
        guard running != isRunning else { return }
        isRunning = running
        originMs = nil
    }

    /// Takes the speed from now on.
    mutating func setSpeed(_ newSpeed: Double, atMs: Double) {
        guard newSpeed != speed else { return }
        if let origin = originMs { originMs = origin + (speed - newSpeed) * atMs }
        speed = newSpeed
    }

    /// The position at a time, in ms.
    func positionMs(atMs: Double) -> Double {
        guard isRunning, let originMs else { return lastMs }
        return originMs + speed * min(atMs, lastAtMs + Self.trustMs)
    }

    /// The position at a time if the file had gone on as it did, in ms.
    func unboundedMs(atMs: Double) -> Double {
        guard isRunning, let originMs else { return lastMs }
        return originMs + speed * atMs
    }
}
