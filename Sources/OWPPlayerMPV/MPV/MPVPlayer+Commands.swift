// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPWire

/// What the party does to mpv.
extension MPVPlayer {
    /// Starts playing; the position moves on from where the last seek aimed, or from where the file stands.
    ///
    /// mpv's position jumps by a frame when it starts, and a seek lands on the first frame at its target or behind it, so
    /// the start waits for up to 200 ms until that is made up for.
    ///
    /// - Throws: ``MPVError`` when mpv refuses or has ended.
    public func play() async throws {
        if hasEnded { throw MPVError.ended }
        guard paused else { return }
        await sleep(untilMs: startAtMs())
        try await begin()
    }

    /// Pauses.
    ///
    /// - Throws: ``MPVError`` when mpv refuses or has ended.
    public func pause() async throws {
        aim = nil
        try await setPaused(true)
    }

    /// Changes the speed; 1 is normal.
    ///
    /// - Throws: ``MPVError`` when mpv refuses or has ended.
    public func setRate(_ rate: Double) async throws {
        startGauge.interrupted()
        let id = state.ownSpeeds.asked(speedKey(rate))
        state.askedSpeed = rate
        try await noting(["set_property", "speed", .number(rate)]) { state, succeeded, now in
            state.ownSpeeds.answered(id, succeeded: succeeded, atMs: now)
        }
    }

    /// Seeks exactly; returns once the seek has landed, 250 ms after it was asked or, when mpv takes longer, then.
    ///
    /// Until then mpv stands still at the target. The step of section 11.2 aims that far ahead of a playing room, and a
    /// paused player gets its `play` when the seek has returned, so both are in step. A held player waits the same
    /// time, which costs nothing that could be heard or seen.
    ///
    /// - Parameter positionMs: The target in ms; less than 0 counts as 0, and beyond the end as the end.
    /// - Throws: ``MPVError`` when mpv refuses, has ended, or shows no frame within its bound.
    public func seek(to positionMs: Int64) async throws {
        let asked = monotonicMs()
        let target = Double(max(0, positionMs))
        let plays = !paused
        let wasDry = buffering
        if plays {
            state.isHeldStill = true
            askPaused(true)
        }
        do {
            try await seekAndLand(target)
        } catch {
            if plays, state.isHeldStill { try? await begin() }
            throw error
        }
        let took = monotonicMs() - asked
        if !wasDry { landing.landed(tookMs: Int64(took.rounded(.up)), rate: state.line.speed) }
        aim = Aim(positionMs: target, dueMs: asked + Double(Constants.seekLeadMs))
        guard plays else { return await sleep(untilMs: asked + Double(Constants.seekLeadMs)) }
        await sleep(untilMs: startAtMs())
        // A person may have paused meanwhile.
        if state.isHeldStill { try await begin() }
    }

    /// Pauses mpv or lets it play, and waits until it has.
    func setPaused(_ paused: Bool) async throws {
        startGauge.interrupted()
        let id = state.ownPauses.asked(paused)
        try await noting(["set_property", "pause", .bool(paused)]) { state, succeeded, now in
            state.ownPauses.answered(id, succeeded: succeeded, atMs: now)
            if succeeded { state.didPause(paused) }
        }
    }

    /// Puts back what a person did and the room decides.
    func undo(_ act: PersonAct) {
        switch act {
        case .play:
            askPaused(true)
            // The picture must not be ahead of the others when the room starts.
            askSeek(aim?.positionMs ?? state.line.lastMs) { _ in }
        case .pause:
            if state.isHeldStill {
                state.isHeldStill = false
                askPaused(true)
            }
        case .rate:
            let speed = state.askedSpeed
            let id = state.ownSpeeds.asked(speedKey(speed))
            send(["set_property", "speed", .number(speed)]) { [self] in
                state.ownSpeeds.answered(id, succeeded: (try? $0.get()) != nil, atMs: monotonicMs())
            }
        case .seek: aim = nil
        }
    }

    private func seekAndLand(_ target: Double) async throws {
        startGauge.interrupted()
        var restartsAtAnswer: Int?
        var failure: MPVError?
        askSeek(target) { [self] answer in
            do throws(MPVError) { _ = try answer.get() } catch { failure = error }
            restartsAtAnswer = restarts
        }
        // Neither the answer nor a position at the target shows that it has landed: only its first frame does.
        try await wait { [self] in failure != nil || restartsAtAnswer.map { restarts > $0 } ?? false }
        if let failure { throw failure }
    }

    private func begin() async throws {
        let from = state.line.lastMs
        defer { state.isHeldStill = false }
        try await setPaused(false)
        aim = nil
        startGauge.started(fromMs: from, atMs: monotonicMs())
    }

    /// When to start so that the position is then what it is to be.
    private func startAtMs() -> Double {
        let now = monotonicMs()
        let stands = state.line.lastMs
        let due = aim.map { now - $0.dueMs < 50 ? $0.dueMs : now } ?? now
        let ahead = (stands + startGauge.advanceMs - (aim?.positionMs ?? stands)) / state.line.speed
        return due + min(max(ahead, -200), 200)
    }

    private func askPaused(_ paused: Bool) {
        let id = state.ownPauses.asked(paused)
        send(["set_property", "pause", .bool(paused)]) { [self] in
            let succeeded = (try? $0.get()) != nil
            state.ownPauses.answered(id, succeeded: succeeded, atMs: monotonicMs())
            if succeeded { state.didPause(paused) } else { state.isUndoingPlay = false }
        }
    }

    private func askSeek(_ target: Double, then: @escaping @MainActor (Result<JSONValue, MPVError>) -> Void) {
        let id = state.ownSeeks.asked(true)
        send(["seek", .number(target / 1000), "absolute+exact"]) { [self] in
            state.ownSeeks.answered(id, succeeded: (try? $0.get()) != nil, atMs: monotonicMs())
            then($0)
        }
    }

    private func noting(
        _ words: [JSONValue],
        _ note: @escaping @MainActor (inout MPVState, Bool, Double) -> Void
    ) async throws {
        var answer: Result<JSONValue, MPVError>?
        send(words) { [self] in
            answer = $0
            note(&state, (try? $0.get()) != nil, monotonicMs())
        }
        try await wait { answer != nil }
        _ = try answer?.get()
    }
}

/// Where the last seek aimed, and when it was to land; in ms.
struct Aim: Hashable, Sendable {
    let positionMs: Double
    let dueMs: Double
}
