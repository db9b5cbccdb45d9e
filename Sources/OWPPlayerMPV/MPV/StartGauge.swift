// OpenWatchParty for Swift. See LICENSE.

/// How far the position is ahead of the picture's start, measured at each start, so that the next one is exact.
///
/// mpv names the next frame as soon as it plays, so its position jumps ahead by a frame; a sound device, on the other
/// hand, may hold everything back. Times and positions are in ms.
struct StartGauge: Sendable {
    /// How long a file must have played until its start can be measured.
    private static let measuredAfterMs = 300.0
    /// The largest value believed.
    private static let largestMs = 200.0

    /// How far ahead of the place where it stood a file is at the moment of its start; negative when it starts late.
    private(set) var advanceMs = 0.0

    private var isMeasured = false
    private var watched: (fromMs: Double, atMs: Double)?

    /// Takes a start from a position.
    mutating func started(fromMs: Double, atMs: Double) {
        watched = (fromMs, atMs)
    }

    /// Forgets a start that something else followed.
    mutating func interrupted() {
        watched = nil
    }

    /// Takes how the file plays now.
    mutating func take(_ line: PlaybackLine, atMs: Double) {
        guard let start = watched, line.isRunning, atMs - start.atMs >= Self.measuredAfterMs else { return }
        watched = nil
        let advance = line.positionMs(atMs: atMs) - line.speed * (atMs - start.atMs) - start.fromMs
        guard advance.magnitude <= Self.largestMs else { return }
        advanceMs = isMeasured ? advanceMs + (advance - advanceMs) / 2 : advance
        isMeasured = true
    }
}
