// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPTestSupport
import OWPWire
import Testing

@testable import OpenWatchParty

@Suite("What crosses the wire (sections 2 and 17)", .serialized)
@MainActor
struct WireTests {
    @Test("Every outgoing int is written without fraction or exponent, also from arithmetic")
    func outgoingInts() async throws {
        let harness = try Harness()
        let player = try await harness.watch(phase: .paused, positionMs: 600_000)
        try harness.party.setOffset(-604_800_000)
        try harness.party.seek(to: largestWireInt - 604_800_000)
        try harness.party.setOffset(95_000)
        player.positionMs = 5_000_000_000
        try harness.party.pause()
        try harness.party.seek(to: 12_345_678_901)
        try harness.party.setRate(2)
        try harness.party.setMedia(Harness.film(), ref: "x", positionMs: largestWireInt)
        await harness.clock.advance(by: 20_000)
        let texts = try harness.connection.sent
        let positions = texts.filter { $0.contains("positionMs") && !$0.contains("status") }
        #expect(positions.contains { $0.contains(#""positionMs":9007199254740991"#) && $0.contains("seek") })
        #expect(positions.contains { $0.contains(#""positionMs":4999905000"#) && $0.contains("pause") })
        #expect(positions.contains { $0.contains(#""positionMs":12345583901"#) && $0.contains("seek") })
        #expect(positions.contains { $0.contains(#""positionMs":9007199254740991"#) && $0.contains("setMedia") })
        #expect(texts.contains { $0.contains(#""rate":2"#) && !$0.contains("2.0") })
        for text in texts {
            let numbers = text.split { ",:{}[]".contains($0) }.filter { $0.first?.isNumber ?? false }
            #expect(numbers.allSatisfy { Int64($0) != nil }, "\(text)")
        }
    }

    @Test("A value out of bounds is refused before any local effect, and nothing is sent")
    func refusedBefore() async throws {
        let harness = try Harness()
        let player = try await harness.watch(phase: .playing, positionMs: 600_000)
        let party = harness.party
        await harness.clock.advance(by: 1000)
        _ = player.takeCommands()
        let state = party.state
        let sent = harness.room.sent.filter { $0.type != "status" }
        #expect(partyError { try party.seek(to: -1) } == .invalidMessage)
        #expect(partyError { try party.seek(to: largestWireInt + 1) } == .invalidMessage)
        #expect(partyError { try party.seek(to: .max) } == .invalidMessage)
        #expect(partyError { try party.setRate(0.49) } == .invalidMessage)
        #expect(partyError { try party.setRate(2.01) } == .invalidMessage)
        #expect(partyError { try party.setRate(.nan) } == .invalidMessage)
        #expect(partyError { try party.setRate(.infinity) } == .invalidMessage)
        #expect(partyError { try party.setMedia(Harness.film(), ref: "x", positionMs: -1) } == .invalidMessage)
        #expect(
            partyError { try party.setMedia(Harness.film(), ref: "x", positionMs: largestWireInt + 1) }
                == .invalidMessage
        )
        #expect(partyError { try party.setMedia(Harness.film(durationMs: 0), ref: "x") } == .invalidMessage)
        #expect(partyError { try party.setMedia(Harness.film(""), ref: "x") } == .invalidMessage)
        #expect(partyError { try party.setMedia(Harness.film("a\u{7}b"), ref: "x") } == .invalidMessage)
        #expect(partyError { try party.kick("nobody") } == .invalidMessage)
        #expect(partyError { try party.transferHost("nobody") } == .invalidMessage)
        #expect(partyError { try party.setOffset(.min) } == .invalidMessage)
        #expect(partyError { try party.setOffset(604_800_001) } == .invalidMessage)
        player.positionMs = .max
        #expect(partyError { try party.pause() } == .invalidMessage)
        player.positionMs = 601_000
        try party.setOffset(-604_800_000)
        await harness.clock.settle()
        _ = player.takeCommands()
        #expect(partyError { try party.seek(to: largestWireInt - 604_800_000 + 1) } == .invalidMessage)
        try party.setOffset(0)
        #expect(party.state == state)
        #expect(harness.room.sent.filter { $0.type != "status" } == sent)
        #expect(player.commands.isEmpty)
    }

    @Test("A computed position below 0 is sent as 0 (section 12)")
    func clampsToZero() async throws {
        let harness = try Harness()
        _ = try await harness.watch(phase: .paused, positionMs: 0)
        try harness.party.setOffset(95_000)
        try harness.party.seek(to: 10_000)
        await harness.clock.settle()
        #expect(harness.room.sent.last { $0.type == "seek" } == .seek(positionMs: 0))
    }

    @Test("A timer of more than 2147483647 ms neither runs early nor is armed in a loop (section 2)")
    func longTimer() async throws {
        let clock = VirtualClock(nowMs: 0)
        var fired: [Int64] = []
        var asked: [Int64] = []
        let recording = RecordingClock(clock) { asked.append($0) }
        let timers = Timers<String>(clock: recording)
        timers.start("long", afterMs: 5_000_000_000) { fired.append(clock.nowMs()) }
        await clock.advance(by: 4_999_999_999)
        #expect(fired.isEmpty)
        await clock.advance(by: 1)
        #expect(fired == [5_000_000_000])
        #expect(asked == [2_147_483_647, 2_147_483_647, 705_032_706])

        timers.start("long", afterMs: .max) { fired.append(clock.nowMs()) }
        timers.cancel("long")
        #expect(clock.timerCount == 0)
    }

    @Test("A room that starts in years starts then: its play timer is clamped and does not spin")
    func longPlayTimer() async throws {
        let harness = try Harness(host: false)
        let player = try await harness.watch(phase: .paused, positionMs: 0)
        harness.room.play(fromMs: 0, inMs: 3_000_000_000)
        await harness.clock.advance(by: 10_000)
        #expect(harness.clock.timersDueMs.allSatisfy { $0 <= harness.clock.nowMs() + 2_147_483_647 })
        #expect(harness.clock.timerCount < 10)
        #expect(!player.commands.contains(.play))
    }

    @Test("A relay message of 16384 bytes and more is accepted (section 17)")
    func largeMessages() async throws {
        let harness = try Harness()
        try await harness.join()
        for size in [16_384, 100_000] {
            harness.room.room.rev += 1
            let text = RelayMessage.room(RoomMessage(room: harness.room.room)).text
            let padding = String(repeating: "x", count: size - text.utf8.count - 10)
            try harness.connection.push(text.dropLast() + #","pad":"\#(padding)"}"#)
            await harness.clock.settle()
            #expect(harness.party.state.room?.rev == harness.room.room.rev)
        }
    }

    @Test("What is no message changes nothing (FR-38, the SDK's side)")
    func hostileTexts() async throws {
        let harness = try Harness()
        try await harness.join()
        let state = harness.party.state
        harness.forget()
        let nested = String(repeating: "[", count: 100_000)
        let texts = [
            "", "{", "[]", "null", "5", nested, #"{"type":5}"#, #"{"type":"\ud800"}"#, #"{"type":"room"}"#,
            #"{"type":"room","type":"room"}"#, #"{"type":"closed","reason":""}"#, #"{"type":"closed"}"#,
            #"{"type":"error","code":"","message":"x","re":null}"#, #"{"type":"error","code":"x","message":"x"}"#,
            #"{"type":"pong","id":1e400,"serverTime":-1}"#, #"{"type":"welcome","room":{}}"#, "\u{FEFF}{}",
        ]
        for text in texts { try harness.connection.push(text) }
        await harness.clock.settle()
        #expect(harness.party.state == state)
        #expect(harness.log.isEmpty)
        #expect(try harness.connection.isOpen)
    }
}

/// A clock that tells which delays it is asked for.
@MainActor
private final class RecordingClock: PartyClock {
    private let clock: VirtualClock
    private let asked: (Int64) -> Void

    init(_ clock: VirtualClock, asked: @escaping (Int64) -> Void) {
        self.clock = clock
        self.asked = asked
    }

    func nowMs() -> Int64 { clock.nowMs() }

    func schedule(afterMs delayMs: Int64, _ action: @escaping @MainActor () -> Void) -> @MainActor () -> Void {
        asked(delayMs)
        return clock.schedule(afterMs: delayMs, action)
    }
}
