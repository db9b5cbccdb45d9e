// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPTestSupport
import OWPWire
import Testing

@testable import OpenWatchParty

extension SessionTests {
    @Suite("Field reports of the session")
    @MainActor
    struct Reports {
        @Test("FR-18: a quiet paused room stays connected, and neither side is quiet for more than 5 s")
        func quietRoom() async throws {
            let harness = try Harness()
            _ = try await harness.watch(phase: .paused, positionMs: 600_000)
            await harness.clock.advance(by: 2000)
            harness.forget()
            let openedAt = try harness.connection.openedAtMs
            await harness.clock.advance(by: 600_000)
            #expect(harness.log.isEmpty)
            #expect(harness.room.relay.attempts.count == 1)
            let pings = try harness.connection.records
                .filter { $0.text.contains(#""ping""#) }
                .map { $0.atMs - openedAt }
            #expect(pings.prefix(5) == [0, 500, 1000, 5000, 10_000])
            #expect(zip(pings, pings.dropFirst()).allSatisfy { $1 - $0 <= 5000 })
            #expect(pings.count >= 120)
        }

        @Test(
            "FR-19: a code as people type it is joined",
            arguments: ["k7m-q2x", " K7M\u{2011}Q2X ", "k7m\u{A0}q2x", "K7MQ2X\r\n"]
        )
        func typedCodes(code: String) async throws {
            let harness = try Harness()
            #expect(try formatCode(code) == "K7M-Q2X")
            let relays = notFoundRelays(harness.clock)
            #expect(relays.relayFor(code) == relays.list.first { $0.prefixes.contains("K") })
            let call = harness.party.startJoin(code)
            await harness.clock.settle()
            #expect(call.failure == nil && call.result != nil)
            #expect(harness.party.state.room?.code == "K7MQ2X")
        }

        @Test(
            "FR-19: what is no code opens no connection",
            arguments: [
                "k7m_q2x", "K7MO2X", "k7mq2i", "K7MQ\u{DF}", "\u{FF2B}7MQ2X", "K7M\u{301}Q2X", "K7M\u{200B}Q2X",
                "K7MQ2X2", "",
            ]
        )
        func noCodes(code: String) async throws {
            let harness = try Harness()
            #expect(partyError { _ = try formatCode(code) } == .invalidCode)
            #expect(notFoundRelays(harness.clock).relayFor(code) == nil)
            #expect(harness.party.startJoin(code).failure == .invalidCode)
            await harness.clock.settle()
            #expect(harness.room.relay.attempts.isEmpty)
            #expect(harness.log.isEmpty)
        }
    }
}
