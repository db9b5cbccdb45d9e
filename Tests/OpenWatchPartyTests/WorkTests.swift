// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPTestSupport
import Testing

@testable import OpenWatchParty

@Suite("Asynchronous work in virtual time", .serialized)
@MainActor
struct WorkTests {
    let clock = VirtualClock(nowMs: 0)

    @Test("Work starts with the clock's next turn, and its outcome arrives in the same settling")
    func starts() async {
        let work = Work(clock: clock)
        var log: [String] = []
        work.run({
            log.append("operation")
            return 5
        }) { log.append("outcome \($0)") }
        #expect(log.isEmpty)
        await clock.settle()
        #expect(log == ["operation", "outcome success(5)"])
    }

    @Test("Cancelled before its start, an operation is not called at all")
    func cancelledBeforeStart() async {
        let work = Work(clock: clock)
        var called = false
        let handle = work.run({ called = true }) { _ in called = true }
        handle.cancel()
        await clock.settle()
        #expect(!called)
    }

    @Test("Once cancelled, the outcome is dropped, also of an operation that ignores it", arguments: [true, false])
    func cancelled(heeds: Bool) async {
        let work = Work(clock: clock)
        let gate = Gate<Int>(on: clock, heedsCancellation: heeds)
        var outcomes = 0
        let handle = work.run({ try await gate.wait() }) { _ in outcomes += 1 }
        await clock.settle()
        handle.cancel()
        gate.open(1)
        await clock.settle()
        #expect(outcomes == 0)
        #expect(gate.isCancelled)
    }

    @Test("Gates resume in the order in which they were opened, and timers fire by due time, then by scheduling")
    func order() async {
        let work = Work(clock: clock)
        var log: [Int] = []
        let gates = (0..<20).map { _ in Gate<Int>(on: clock) }
        for gate in gates { work.run({ try await gate.wait() }) { _ in log.append(-1) } }
        await clock.settle()
        log = []
        for (index, gate) in gates.enumerated().reversed() {
            _ = clock.schedule(afterMs: Int64(index / 2)) {
                log.append(index)
                gate.open(index)
            }
        }
        await clock.advance(by: 100)
        let expected = (0..<10).flatMap { [2 * $0 + 1, -1, 2 * $0, -1] }
        #expect(log == expected)
        #expect(clock.nowMs() == 100)
    }

    @Test("A timer set by a timer fires within the same advance, and a cancelled one never")
    func timers() async {
        var fired: [Int64] = []
        _ = clock.schedule(afterMs: 10) { [clock] in
            fired.append(clock.nowMs())
            _ = clock.schedule(afterMs: 5) { fired.append(clock.nowMs()) }
        }
        let cancel = clock.schedule(afterMs: 12) { fired.append(-1) }
        cancel()
        cancel()
        await clock.advance(by: 14)
        #expect(fired == [10])
        await clock.advance(by: 1)
        #expect(fired == [10, 15])
    }

    @Test("runUntil stops at the timer that makes the condition true, or at its limit")
    func runUntil() async {
        var ticks = 0
        func tick() {
            ticks += 1
            _ = clock.schedule(afterMs: 500) { tick() }
        }
        tick()
        #expect(await clock.runUntil { ticks == 4 })
        #expect(clock.nowMs() == 1500)
        #expect(await clock.runUntil(limitMs: 700) { ticks == 10 } == false)
        #expect(clock.nowMs() == 2200)
    }

    @Test("A source of constant random numbers gives exactly its number, and counts", arguments: [0, 0.25, 0.5, 0.999])
    func constantRandom(u: Double) {
        let source = ConstantRandom(u)
        var random: any RandomNumberGenerator = source
        #expect(abs(Double.random(in: 0..<1, using: &random) - u) < 1e-15)
        #expect(source.draws == 1)
    }
}

@Suite("Calls and streams", .serialized)
@MainActor
struct CallTests {
    @Test("A call's waiter gets the first outcome, before or after it came")
    func outcome() async throws {
        let call = Call<Int>()
        let waiting = Task { try await call.value() }
        call.finish(.success(1))
        call.finish(.success(2))
        #expect(try await waiting.value == 1)
        #expect(try await call.value() == 1)
    }

    @Test("A cancelled waiter abandons the call and throws CancellationError")
    func cancelled() async throws {
        var abandoned = 0
        let call = Call<Int> { abandoned += 1 }
        let waiting = Task { try await call.value() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        #expect(abandoned == 1)
    }

    @Test("Every stream holds what was sent since it was taken, and ends with the broadcast (section 15)")
    func broadcast() async {
        let broadcast = Broadcast<Int>()
        broadcast.send(0)
        let first = broadcast.stream()
        broadcast.send(1)
        let second = broadcast.stream()
        broadcast.send(2)
        broadcast.finish()
        #expect(await all(first) == [1, 2])
        #expect(await all(second) == [2])
        #expect(await all(broadcast.stream()) == [])
    }

    private func all(_ stream: AsyncStream<Int>) async -> [Int] {
        var elements: [Int] = []
        for await element in stream { elements.append(element) }
        return elements
    }
}
