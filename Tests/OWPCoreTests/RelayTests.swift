// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import Testing

@Suite("Relays (sections 3.1 and 3.2)")
struct RelayTests {
    @Test(
        "A relay's URL has a scheme, a host and the path at its end",
        arguments: [
            ("wss://h/v1/ws", true), ("ws://h/v1/ws", true), ("wss://h:1/a/v1/ws", true), ("wss://v1/ws", true),
            ("wss:///v1/ws", false), ("wss://h/v1/ws/", false), ("WSS://h/v1/ws", false), ("wss://h?/v1/ws", false),
            ("wss://h#/v1/ws", false), ("wss://h /v1/ws", false), ("wss://hé/v1/ws", false), ("https://h/v1/ws", false),
            ("wss://hv1/ws", false), ("wss:/v1/ws", false), ("", false),
        ]
    )
    func relayURL(_ url: String, _ valid: Bool) {
        #expect(isRelayURL(Array(url.utf8)) == valid)
    }

    @Test("A base URL makes the entry of a self-hosted relay")
    func custom() throws {
        let relay = try Relay.custom(baseURL: "http://192.168.1.5:8080/owp//")
        #expect(relay.id == "custom")
        #expect(relay.name == "http://192.168.1.5:8080/owp")
        #expect(relay.url == "ws://192.168.1.5:8080/owp/v1/ws")
        #expect(relay.prefixes == "23456789ABCDEFGHJKMNPQRSTUVWXYZ")
    }

    @Test(
        "A bad base URL is refused",
        arguments: [
            "", "https://", "http:///", "HTTP://h", "ws://h", "https://?x", "https://#", "http://h?x", "http://h x",
        ]
    )
    func refused(_ base: String) {
        #expect { try Relay.custom(baseURL: base) } throws: { ($0 as? PartyError)?.code == .invalidMessage }
    }
}
