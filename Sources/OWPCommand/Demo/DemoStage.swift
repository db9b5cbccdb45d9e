// OpenWatchParty for Swift. See LICENSE.

import OWPPlayerMPV
import OWPRelay
import OpenWatchParty

/// What a stage is furnished with; tests exchange a piece to break a phase.
@MainActor
struct DemoProps {
    var cast: DemoCast = .simulated
    var seed: UInt64 = 1
    var clock: any PartyClock = SystemClock()
    /// How a participant, by seat, reaches the relay.
    var connect: @MainActor (Int) -> WebSocketConnect = { _ in urlSessionConnect }
    /// What a participant, by seat, finds in its library.
    var find: @MainActor (Int, DemoPerson) -> [DemoCopy] = { _, person in person.others + [person.copy] }
    /// How a participant, by seat, opens a copy.
    var open: @MainActor (Int, DemoCopy, DemoProps) async throws -> any DemoPlayer = { seat, copy, props in
        SimulatedPlayer(
            simulatedTraits(of: copy, seat: seat, seed: props.seed),
            seed: props.seed &* 31 &+ UInt64(seat),
            clock: props.clock
        )
    }
    /// Called before each phase, with its name.
    var before: @MainActor (String, DemoStage) async -> Void = { _, _ in }
}

/// The relay, the participants and the eye on their players.
@MainActor
final class DemoStage {
    /// How often all players are read, in ms.
    nonisolated static let sampleMs: Int64 = 20

    let cast: DemoCast
    let seats: [DemoSeat]
    let relay: EmbeddedRelay
    private(set) var log = DemoLog()
    /// The room's code as people write it, once there is a room.
    var code: String?
    /// Called after each reading of the players.
    var onSample: (@MainActor () -> Void)?

    private let clock: any PartyClock
    private var waiting: (isDone: @MainActor () -> Bool, continuation: CheckedContinuation<Void, Never>)?
    /// Whether the story is to end where it is.
    private(set) var isInterrupted = false
    private var cancelSampling: (@MainActor () -> Void)?

    /// Starts the relay on a free port of 127.0.0.1 and seats everyone; nobody connects yet.
    init(_ props: DemoProps) throws {
        cast = props.cast
        clock = props.clock
        relay = try EmbeddedRelay.start()
        var seats: [DemoSeat] = []
        for (index, person) in props.cast.people.enumerated() {
            // One guest's way to the relay can be cut.
            let line = index == 1 ? try CutLine(toPort: relay.port) : nil
            let party = try WatchParty<DemoCopy>(
                relays: .at(line.map { "http://127.0.0.1:\($0.port)" } ?? relay.baseURL),
                client: "owp-demo/\(owpVersion)",
                name: person.name,
                resolver: Resolver { media in
                    guard sameScalars(media.title, props.cast.media.title) else { return [] }
                    return props.find(index, person).map { copy in
                        Candidate(
                            id: copy.path ?? copy.name,
                            ref: copy,
                            durationMs: copy.durationMs,
                            sizeBytes: copy.sizeBytes,
                            name: copy.name
                        )
                    }
                },
                connect: props.connect(index),
                clock: props.clock
            )
            seats.append(DemoSeat(person, party: party, line: line) { try await props.open(index, $0, props) })
        }
        self.seats = seats
        sample()
    }

    /// The participants that have not left.
    var present: [DemoSeat] { seats.filter(\.isPresent) }

    /// Local time in ms.
    func nowMs() -> Int64 { clock.nowMs() }

    /// The room's position by its own account, as the first present party that knows it says.
    var roomMs: Int64? { present.lazy.compactMap { $0.party.roomPositionMs() }.first }

    /// Reads all players in one pass, and does so again in a while.
    private func sample() {
        log.append(DemoSample(atMs: nowMs(), players: seats.map(\.sample), roomMs: roomMs))
        onSample?()
        wake()
        cancelSampling = clock.schedule(afterMs: Self.sampleMs) { [weak self] in self?.sample() }
    }

    private func wake() {
        guard let waiting, isInterrupted || waiting.isDone() else { return }
        self.waiting = nil
        waiting.continuation.resume()
    }

    /// Ends the story where it is: nothing is waited for any more.
    func interrupt() {
        isInterrupted = true
        wake()
    }

    /// Waits until a condition holds, which is asked after each reading; the story waits for one thing at a time.
    func until(_ isDone: @escaping @MainActor () -> Bool) async {
        guard !isInterrupted else { return }
        await withCheckedContinuation { waiting = (isDone, $0) }
    }

    /// Lets time pass.
    func pass(forMs durationMs: Int64) async {
        let end = nowMs() + durationMs
        await until { [self] in nowMs() >= end }
    }

    /// Waits until nothing is missing, and stays so for a while.
    ///
    /// - Parameters:
    ///   - boundMs: The time it has to come true, in ms.
    ///   - startMs: When that time begins.
    ///   - holdMs: How long it must stay true.
    ///   - missing: Says what is missing, in words, or nil.
    /// - Returns: How long it took, in ms, from the start to the beginning of the run that stayed.
    /// - Throws: ``PhaseFailure`` with what was missing at the bound.
    func reach(
        withinMs boundMs: Int64,
        of startMs: Int64,
        holdingMs holdMs: Int64 = 500,
        _ missing: @escaping @MainActor () -> String?
    ) async throws -> Int64 {
        var run = SteadyRun(holdMs: holdMs)
        var outcome: Result<Int64, PhaseFailure>?
        var lastMissing = "nothing happened"
        await until { [self] in
            let (now, lacks) = (nowMs(), missing())
            if let lacks { lastMissing = lacks }
            if let since = run.offer(lacks == nil, atMs: now), since - startMs <= boundMs {
                outcome = .success(max(0, since - startMs))
            } else if now - startMs > boundMs, (run.sinceMs ?? .max) > startMs + boundMs {
                outcome = .failure(PhaseFailure("\(lastMissing) (after \(duration(boundMs)))"))
            }
            return outcome != nil
        }
        return try (outcome ?? .failure(PhaseFailure(lastMissing))).get()
    }

    /// Makes a call of the API that has a time to come back.
    ///
    /// - Returns: What it returned, and how long it took in ms.
    /// - Throws: ``PhaseFailure`` when it threw or took too long.
    func call<Value: Sendable>(
        _ what: String,
        withinMs boundMs: Int64,
        _ body: @escaping @MainActor () async throws -> Value
    ) async throws -> (value: Value, tookMs: Int64) {
        let start = nowMs()
        var outcome: (result: Result<Value, any Error>, endMs: Int64)?
        let task = Task { [self] in
            let result: Result<Value, any Error>
            do { result = .success(try await body()) } catch { result = .failure(error) }
            outcome = (result, nowMs())
        }
        await until { [self] in outcome != nil || nowMs() - start > boundMs }
        guard let outcome, outcome.endMs - start <= boundMs else {
            task.cancel()
            throw PhaseFailure("\(what) took more than \(duration(boundMs))")
        }
        do {
            return (try outcome.result.get(), outcome.endMs - start)
        } catch {
            throw PhaseFailure("\(what) failed: \(error)")
        }
    }

    /// Ends everything, the relay last.
    func close() async {
        cancelSampling?()
        for seat in seats { await seat.close() }
        relay.stop()
    }
}

/// A phase did not happen; the text says what was missing.
struct PhaseFailure: Error, Hashable, Sendable {
    let message: String
    init(_ message: String) { self.message = message }
}

/// The simulated player of a seat: each a little different, as people's machines are.
func simulatedTraits(of copy: DemoCopy, seat: Int, seed: UInt64) -> SimulatedPlayerTraits {
    var random = SplitMix(seed: seed &* 1009 &+ UInt64(seat))
    var traits = SimulatedPlayerTraits(durationMs: copy.durationMs)
    traits.driftPpm = Double.random(in: -150...150, using: &random)
    let latency = Int64.random(in: 8...25, using: &random)
    traits.startLatencyMs = latency...(latency + 15)
    let cost = Int64.random(in: 40...140, using: &random)
    traits.seekCostMs = cost...(cost * 2)
    return traits
}
