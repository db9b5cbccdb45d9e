// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import Testing

@Suite("Room codes (section 4.1)")
struct RoomCodeTests {
    @Test(
        "FR-19: codes as people type them",
        arguments: [
            "k7m-q2x", " K7M\u{2011}Q2X ", "k7m\u{A0}q2x", "K7MQ2X\r\n", "\u{2212}k7m\u{2010}\u{202F}q2\u{2007}x\t",
        ]
    )
    func normalizes(_ typed: String) throws {
        #expect(normalizeCode(typed) == "K7MQ2X")
        #expect(try formatCode(typed) == "K7M-Q2X")
    }

    @Test(
        "FR-19: what is no code",
        arguments: [
            "k7m_q2x", "K7MO2X", "k7mq2i", "K7MQß", "\u{FF2B}7MQ2X", "K7M\u{301}Q2X", "K7M\u{200B}Q2X", "K7MQ2X2", "",
            "K7MQ2", "K7M\u{2015}Q2X", "K7M\u{200F}Q2X",
        ]
    )
    func refuses(_ typed: String) {
        #expect(normalizeCode(typed) == nil)
        #expect { try formatCode(typed) } throws: { ($0 as? PartyError)?.code == .invalidCode }
    }
}
