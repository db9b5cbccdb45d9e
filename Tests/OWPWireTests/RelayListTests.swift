// OpenWatchParty for Swift. See LICENSE.

import OWPWire
import Testing

@Suite("Relay lists (section 3.2)")
struct RelayListTests {
    @Test("A valid list keeps its four members in order")
    func valid() {
        let text = #"""
            {"version": 2, "relays": [
              {"id": "eu", "name": "Europe", "url": "wss://eu.example/v1/ws", "prefixes": "23", "region": [1e400]},
              {"prefixes": "Z", "url": "wss://us.example:8443/a/v1/ws", "name": "US", "id": "us-1"}
            ]}
            """#
        let relays = [
            Relay(id: "eu", name: "Europe", url: "wss://eu.example/v1/ws", prefixes: "23"),
            Relay(id: "us-1", name: "US", url: "wss://us.example:8443/a/v1/ws", prefixes: "Z"),
        ]
        #expect(readRelayList(text) == relays)
    }

    @Test(
        "One broken entry, and the list is invalid whole",
        arguments: [
            ("\"a\"", "\"\""), ("\"a\"", "\"-a\""), ("\"a\"", "\"b\""), ("\"a\"", "\"A\""), ("\"A\"", "\"\""),
            ("\"A\"", "\"\\ud800\""), ("wss://a/", "ws://a/"), ("wss://a/", "WSS://a/"), ("wss://a/", "wss:///"),
            ("v1/ws\"", "v1/ws/\""), ("wss://a/", "wss://a?/"), ("wss://a/", "wss://a é/"), ("\"2\"", "\"\""),
            ("\"2\"", "\"0\""), ("\"2\"", "\"2a\""), ("\"2\"", "\"22\""), ("\"2\"", "\"3\""), ("\"2\"", "[\"2\"]"),
            ("\"id\":\"a\",", ""), ("{\"id\":\"a\"", "null,{\"id\":\"a\""), ("\"relays\"", "\"list\""),
            ("\"id\":\"a\"", "\"id\":\"a\",\"id\":\"a\""),
        ]
    )
    func broken(_ part: String, _ change: String) {
        let text =
            #"{"relays":[{"id":"a","name":"A","url":"wss://a/v1/ws","prefixes":"2"},"#
            + #"{"id":"b","name":"B","url":"wss://b/v1/ws","prefixes":"3"}]}"#
        #expect(readRelayList(text)?.count == 2)
        #expect(text.contains(part))
        #expect(readRelayList(text.replacing(part, with: change)) == nil)
    }

    @Test(
        "No list at all",
        arguments: ["", "[]", "{}", "null", #"{"relays":[]}"#, #"{"relays":{}}"#, #"{"relays":null}"#]
    )
    func none(_ text: String) {
        #expect(readRelayList(text) == nil)
    }
}
