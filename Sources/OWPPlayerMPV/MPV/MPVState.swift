// OpenWatchParty for Swift. See LICENSE.

import OWPWire

/// What is known of a running mpv: what it said, and what of it was asked for.
///
/// A value that takes notices with their time, in ms, and says what came of them. Whatever mpv reports that was not
/// asked for is a person's act. While ``tellsActs`` is set, nothing of such an act shows in the reads before it is told,
/// so that the party cannot undo it first.
struct MPVState: Hashable, Sendable {
    /// What came of a notice.
    enum Outcome: Hashable, Sendable {
        /// A file is open.
        case loaded
        /// A file could not be played, with mpv's reason.
        case cannotPlay(String)
        /// A seek has landed, or the first frame of a file shows.
        case restarted
        /// A person did something.
        case act(PersonAct)
    }

    /// The reads that an adapter's owner is told of when they change.
    struct Reads: Hashable, Sendable {
        var paused: Bool
        var buffering: Bool
        var firstFrameShown: Bool
        var durationMs: Int64?
    }

    /// How long after a seek's landing the position counts as settled; a keyframe seek shows its target until then.
    private static let settleMs = 50.0
    /// How long a person's seek may take to land.
    private static let personSeekMs = 10_000.0

    /// Whether somebody is told of persons' acts.
    var tellsActs = false
    /// Whether the adapter keeps a playing file still while a seek lands.
    var isHeldStill = false
    /// Whether the adapter is putting a person's play back.
    var isUndoingPlay = false
    /// What the adapter asked to be paused or not.
    var ownPauses = OwnChanges<Bool>()
    /// The speeds that the adapter asked for, in ten-thousandths.
    var ownSpeeds = OwnChanges<Int>()
    /// The seeks that the adapter asked for.
    var ownSeeks = OwnChanges<Bool>()
    /// The speed that the adapter last asked for.
    var askedSpeed = 1.0

    /// The position while nobody moves the file by hand.
    private(set) var line = PlaybackLine()
    /// Whether mpv itself says it is paused.
    private(set) var isPaused = true
    /// Whether a file is open.
    private(set) var isLoaded = false
    /// When a person's seek counts as done, while one is under way.
    private(set) var settlesAtMs: Double?

    private var isPausedForCache = false
    private var isIdle = false
    private var isSeeking = false
    private var isAtEnd = false
    private var durationMs: Double?
    private var hasPosition = false
    private var showsFrame = false
    /// Where the file was, and went on, before a person's seek.
    private var lineBeforeSeek: PlaybackLine?

    /// The adapter's reads.
    var reads: Reads {
        Reads(
            paused: isUndoingPlay || (isPaused && !isHeldStill),
            buffering: isPausedForCache,
            firstFrameShown: isLoaded && showsFrame,
            durationMs: durationMs.flatMap(wholeMs)
        )
    }

    /// The position at a time, in ms.
    func positionMs(atMs: Double) -> Int64 {
        let position = lineBeforeSeek?.unboundedMs(atMs: atMs) ?? line.positionMs(atMs: atMs)
        let end = durationMs ?? position
        return max(0, wholeMs(min(position, end)) ?? 0)
    }

    /// Takes a notice.
    mutating func take(_ timed: TimedNotice) -> [Outcome] {
        let now = timed.atMs
        switch timed.notice {
        case .property(let property, let value): return take(property, value, atMs: now)
        case .startFile:
            forgetFile()
            return []
        case .fileLoaded:
            isLoaded = true
            return [.loaded]
        case .endFile(let error):
            forgetFile()
            return error.map { [.cannotPlay($0)] } ?? []
        case .seek:
            guard !ownSeeks.explain(true, atMs: now), tellsActs, isLoaded else { return [] }
            lineBeforeSeek = lineBeforeSeek ?? line
            settlesAtMs = now + Self.personSeekMs
            return []
        case .playbackRestart:
            showsFrame = true
            if settlesAtMs != nil { settlesAtMs = now + Self.settleMs }
            return [.restarted]
        case .shutdown, .reply: return []
        }
    }

    /// Ends a person's seek once its time has come.
    mutating func settle(atMs: Double) -> [Outcome] {
        guard let due = settlesAtMs, atMs >= due else { return [] }
        settlesAtMs = nil
        lineBeforeSeek = nil
        return [.act(.seek(toMs: positionMs(atMs: atMs)))]
    }

    /// Takes that mpv did as asked, before it reports so.
    mutating func didPause(_ paused: Bool) {
        isPaused = paused
        if paused { isUndoingPlay = false }
        updateRunning()
    }

    private mutating func take(_ property: MPVProperty, _ value: JSONValue, atMs now: Double) -> [Outcome] {
        var outcomes: [Outcome] = []
        switch property {
        case .paused: outcomes = takePaused(value == .bool(true), atMs: now)
        case .pausedForCache: isPausedForCache = value == .bool(true)
        case .idle: isIdle = value == .bool(true)
        case .atEnd: isAtEnd = value == .bool(true)
        case .seeking:
            isSeeking = value == .bool(true)
            // An mpv that was attached to shows its file already.
            if value == .bool(false), isLoaded, hasPosition { showsFrame = true }
        case .duration:
            guard case .number(let seconds) = value, seconds > 0 else {
                durationMs = nil
                break
            }
            durationMs = seconds * 1000
        case .speed:
            guard case .number(let speed) = value, (0.001...1000).contains(speed) else { break }
            outcomes = takeSpeed(speed, atMs: now)
        case .position:
            guard case .number(let seconds) = value else { break }
            hasPosition = true
            line.report(seconds * 1000, atMs: now)
        }
        updateRunning()
        return outcomes
    }

    private mutating func takePaused(_ paused: Bool, atMs now: Double) -> [Outcome] {
        let isOwn = ownPauses.explain(paused, atMs: now)
        let wasPaused = isPaused
        isPaused = paused
        if paused { isUndoingPlay = false }
        guard !isOwn, tellsActs, isLoaded, paused != wasPaused else { return [] }
        // Held still it is paused already, so the person's key, meant to pause, let it go.
        guard paused || isHeldStill else {
            isUndoingPlay = true
            return [.act(.play)]
        }
        return [.act(.pause)]
    }

    private mutating func takeSpeed(_ speed: Double, atMs now: Double) -> [Outcome] {
        let isOwn = ownSpeeds.explain(speedKey(speed), atMs: now)
        let changed = speedKey(speed) != speedKey(line.speed)
        line.setSpeed(speed, atMs: now)
        guard !isOwn, changed, tellsActs, isLoaded, speedKey(speed) != speedKey(askedSpeed) else { return [] }
        return [.act(.rate(factor: speed / askedSpeed))]
    }

    private mutating func updateRunning() {
        line.setRunning(!isPaused && !isPausedForCache && !isSeeking && !isIdle && !isAtEnd)
    }

    private mutating func forgetFile() {
        let speed = line.speed
        line = PlaybackLine()
        line.setSpeed(speed, atMs: 0)
        isLoaded = false
        showsFrame = false
        hasPosition = false
        durationMs = nil
        lineBeforeSeek = nil
        settlesAtMs = nil
    }
}

/// A speed in ten-thousandths: mpv may give it back in a type of less precision.
func speedKey(_ speed: Double) -> Int {
    Int((min(max(speed, 0), 1000) * 10_000).rounded())
}

/// A number of ms as an integer, when it is one that a file can have.
private func wholeMs(_ value: Double) -> Int64? {
    value.magnitude < 9e15 ? Int64(value.rounded()) : nil
}
