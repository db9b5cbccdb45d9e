// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPWebSocket
import OWPWire

extension CheckScenario {
    static let conventions: [CheckScenario] = [
        CheckScenario("1", "unknown members are ignored") { relay in
            let client = try relay.open()
            try client.send(text: #"{"x":{"y":[1]},"type":"ping","id":3,"z":null}"#)
            try expect(try client.nextPong().id == 3, "another id came back")
        },
        CheckScenario("1", "an integer may be written with a fraction of zero") { relay in
            let client = try relay.open()
            try client.send(text: #"{"type":"ping","id":4.0}"#)
            try expect(try client.nextPong().id == 4, "another id came back")
        },
        CheckScenario("1", "escapes and non-ASCII text arrive as they are") { relay in
            let client = try relay.open()
            try client.send(text: #"{"type":"create","name":"\u00e9 \ud83c\udf7f 観","client":"a/1"}"#)
            let name = try client.nextJoined().room.participants[0].name
            try expect(name.utf8.elementsEqual("é 🍿 観".utf8), "the name became \(name)")
        },
        code("as typed: lower case and a hyphen") { "\($0.lowercased().prefix(3))-\($0.lowercased().suffix(3))" },
        code("with spaces, tabs and line ends around") { " \t\($0)\r\n" },
        code("with U+00A0, U+2007, U+202F and dashes inside") { code in
            code.map { "\($0)" }.joined(separator: "\u{A0}\u{2007}\u{202F}\u{2010}\u{2014}\u{2212}")
        },
    ]

    private static func code(_ form: String, _ type: @escaping @Sendable (String) -> String) -> CheckScenario {
        CheckScenario("1", "a code is understood \(form)") { relay in
            let party = try CheckParty(relay, 1)
            let guest = try relay.open()
            try expect(try guest.join(type(party.code)).code == party.code, "another room was entered")
        }
    }

    static let connections: [CheckScenario] = [
        http("GET /health is answered with 200", 200) { "GET \($0)/health HTTP/1.1\r\nHost: x\r\n\r\n" },
        http("another path is answered with 404", 404) { "GET \($0)/nothing HTTP/1.1\r\nHost: x\r\n\r\n" },
        http("another method is answered with 405", 405) { "POST \($0)/v1/ws HTTP/1.1\r\nHost: x\r\n\r\n" },
        http("a GET without upgrade is answered with 400", 400) { "GET \($0)/v1/ws HTTP/1.1\r\nHost: x\r\n\r\n" },
        http("a bad key is answered with 400", 400) { upgrade($0, key: "short", version: "13") },
        http("another version is answered with 426", 426) {
            upgrade($0, key: "dGhlIHNhbXBsZSBub25jZQ==", version: "8")
        },
        CheckScenario("2", "the endpoint is found under any base") { relay in
            var other = relay
            other.base = relay.base + "/some/base"
            let client = try other.open()
            try client.send(.ping(id: 1))
            _ = try client.nextPong()
        },
        closes("a binary message", 1003) { try $0.sendBinary([1, 2]) },
        closes("text that is no UTF-8", 1007) { try $0.send([0x81, 0x82, 0, 0, 0, 0, 0xC3, 0x28]) },
        closes("a message of 16385 bytes", 1009) { try $0.send(text: String(repeating: "x", count: 16_385)) },
        closes("16385 bytes in pieces", 1009) { client in
            let piece: [UInt8] = [0x00, 0xFE, 0x10, 0x00, 0, 0, 0, 0] + [UInt8](repeating: 0x61, count: 4096)
            try client.send([0x01] + piece.dropFirst() + piece + piece + piece + piece)
        },
        closes("an unmasked frame", 1002) { try $0.send([0x81, 0x01, 0x61]) },
        closes("a reserved bit", 1002) { try $0.send([0xC1, 0x80, 0, 0, 0, 0]) },
        closes("a reserved opcode", 1002) { try $0.send([0x83, 0x80, 0, 0, 0, 0]) },
        closes("a continuation of nothing", 1002) { try $0.send([0x80, 0x80, 0, 0, 0, 0]) },
        closes("a long control frame", 1002) { try $0.send([0x89, 0xFE, 0, 126, 0, 0, 0, 0]) },
        CheckScenario("2", "a message of 16384 bytes is read") { relay in
            let client = try relay.open()
            let filler = String(repeating: "x", count: 16_384 - 32)
            try client.send(text: #"{"type":"ping","id":1,"x":"\#(filler)"}"#.padded(to: 16_384))
            _ = try client.nextPong()
        },
        CheckScenario("2", "a message in pieces with a ping between them is one message") { relay in
            let client = try relay.open()
            let (one, two) = (Array(#"{"type":"pi"#.utf8), Array(#"ng","id":8}"#.utf8))
            try client.send([0x01, 0x80 | UInt8(one.count), 0, 0, 0, 0] + one)
            try client.ping([7])
            try client.send([0x80, 0x80 | UInt8(two.count), 0, 0, 0, 0] + two)
            try expect(try client.nextPong().id == 8, "another id came back")
        },
        CheckScenario("2", "a ping frame is answered with its payload") { relay in
            let client = try relay.open()
            try client.ping([1, 2, 3])
            try expect(try client.nextEvent() == .pong([1, 2, 3]), "no such pong came")
        },
        CheckScenario("2", "a close is answered with its status") { relay in
            let client = try relay.open()
            try client.sendClose(code: 1000)
            try expect(try client.closeCode() == 1000, "another status came")
        },
        CheckScenario("2", "a resume elsewhere closes the old connection with 4000") { relay in
            let party = try CheckParty(relay, 1)
            let other = try relay.open()
            try other.send(.resume(code: party.code, peerId: "p1", token: party.sessions[0].token))
            _ = try other.nextJoined()
            try expect(try party.host.closeCode() == 4000, "another status came")
        },
        CheckScenario("2", "without joining, a connection is closed with 1008 after 30 s") { relay in
            let start = ContinuousClock.now
            let client = try relay.open()
            try expect(try client.closeCode() == 1008, "another status came")
            let tookMs = (ContinuousClock.now - start).wholeMs
            try expect(tookMs >= relay.scaled(30_000) - 100, "it came after \(tookMs) ms")
        },
        CheckScenario("2", "after closed the connection is left open for 5 s") { relay in
            let party = try CheckParty(relay, 1)
            let start = ContinuousClock.now
            try party.host.send(.end)
            _ = try party.host.next("closed") { if case .closed = $0 { true } else { nil } }
            _ = try party.host.closeCode()
            let tookMs = (ContinuousClock.now - start).wholeMs
            try expect(tookMs >= relay.scaled(5000) - 100, "it was closed after \(tookMs) ms")
        },
        CheckScenario("2", "after closed the connection may enter another room") { relay in
            let party = try CheckParty(relay, 2)
            try party.host.send(.kick(peerId: "p2"))
            _ = try party.clients[1].next("closed") { if case .closed = $0 { true } else { nil } }
            _ = try party.clients[1].create()
        },
    ]

    private static func http(
        _ rule: String,
        _ status: Int,
        _ request: @escaping @Sendable (String) -> String
    ) -> CheckScenario {
        CheckScenario("2", rule) { relay in
            let answer = try relay.answer(to: request(relay.base))
            try expect(answer.hasPrefix("\(status) "), "it was answered with \(answer.prefix(40))")
        }
    }

    private static func upgrade(_ base: String, key: String, version: String) -> String {
        """
        GET \(base)/v1/ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
        Sec-WebSocket-Key: \(key)\r\nSec-WebSocket-Version: \(version)\r\n\r\n
        """
    }

    private static func closes(
        _ what: String,
        _ code: Int,
        _ send: @escaping @Sendable (BlockingClient) throws -> Void
    ) -> CheckScenario {
        CheckScenario("2", "\(what) closes with \(code)") { relay in
            let client = try relay.open()
            try send(client)
            let came = try client.closeCode()
            try expect(came == code, "it was closed with \(came.map(String.init) ?? "no status")")
        }
    }
}

extension String {
    /// The text with spaces behind it, up to so many bytes.
    fileprivate func padded(to size: Int) -> String { self + String(repeating: " ", count: max(0, size - utf8.count)) }
}
