// OpenWatchParty for Swift. See LICENSE.

public import OWPCore

/// A player without a picture: behaves like a real one in time, for demonstrations, tests and apps under construction.
///
/// Its seeks land as those of our other adapters do: exactly the seek lead of 250 ms after they were asked, unless they
/// take longer, and then it declares that (sections 11.2 and 16.4).
@MainActor
public final class SimulatedPlayer: PlayerAdapter {
    /// Called after the player changed by itself: it opened, ran dry or went on.
    ///
    /// An app calls `playerChanged()` of its party here; without it, the party sees the change at its next tick.
    public var onChange: (@MainActor () -> Void)?

    private var model: SimulatedPlayerModel
    private let clock: any PartyClock
    private var cancelChange: (@MainActor () -> Void)?

    /// Opens a copy, paused at 0.
    ///
    /// - Parameters:
    ///   - traits: What kind of player and file it is.
    ///   - seed: What its behaviour is drawn from; the same seed behaves the same.
    ///   - clock: Local time and timers.
    public init(_ traits: SimulatedPlayerTraits, seed: UInt64, clock: any PartyClock) {
        self.clock = clock
        model = SimulatedPlayerModel(traits, seed: seed, openedAtMs: clock.nowMs())
        expectChange()
    }

    /// The position in ms of its own copy.
    public var positionMs: Int64 { state.positionMs }
    /// The length of its copy in ms.
    public var durationMs: Int64? { state.firstFrameShown ? model.traits.durationMs : nil }
    /// Whether it is paused.
    public var paused: Bool { state.paused }
    /// Whether its input is dry.
    public var buffering: Bool { state.buffering }
    /// Whether its copy is open and shows a frame.
    public var firstFrameShown: Bool { state.firstFrameShown }
    /// Whether its speed can be changed.
    public var canSetRate: Bool { model.traits.canSetRate }
    /// The keyframe distance, and the measured lateness of seeks that take too long.
    public var seekAccuracyMs: Int64 { state.seekAccuracyMs }

    /// Starts playing; returns once the picture moves, or would if its input were there.
    public func play() async throws {
        await wait(untilMs: model.play(atMs: clock.nowMs()))
        expectChange()
    }

    /// Pauses at once.
    public func pause() async throws {
        model.pause(atMs: clock.nowMs())
        expectChange()
    }

    /// Seeks; returns once the seek has landed.
    public func seek(to positionMs: Int64) async throws {
        await wait(untilMs: model.seek(to: positionMs, atMs: clock.nowMs()))
        expectChange()
    }

    /// Changes the speed at once.
    public func setRate(_ rate: Double) async throws {
        model.setRate(rate, atMs: clock.nowMs())
        expectChange()
    }

    /// Holds its input back for a while: it stands still and buffers.
    public func stall(forMs durationMs: Int64) {
        model.stall(forMs: durationMs, atMs: clock.nowMs())
        onChange?()
        expectChange()
    }

    /// Puts the picture elsewhere behind the party's back, at once and without a seek.
    public func displace(byMs distanceMs: Int64) {
        model.displace(byMs: distanceMs, atMs: clock.nowMs())
    }

    /// Stops its timer; the player is of no use afterwards.
    public func close() {
        cancelChange?()
        cancelChange = nil
        onChange = nil
    }

    private var state: SimulatedPlayerState {
        // The model moves itself to the time of a reading; the adapter's reads do not change anything.
        var model = model
        return model.state(atMs: clock.nowMs())
    }

    private func wait(untilMs time: Int64) async {
        await withCheckedContinuation { continuation in
            _ = clock.schedule(afterMs: time - clock.nowMs()) { continuation.resume() }
        }
    }

    private func expectChange() {
        cancelChange?()
        let now = clock.nowMs()
        cancelChange = model.nextChangeMs(atMs: now).map { time in
            clock.schedule(afterMs: time - now) { [weak self] in
                self?.expectChange()
                self?.onChange?()
            }
        }
    }
}
