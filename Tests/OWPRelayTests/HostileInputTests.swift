// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OWPCore
import OWPRelayCheck
import OWPWebSocket
import OWPWire
import Testing

@testable import OWPRelay

@Suite("FR-38: hostile input to the embedded relay", .serialized)
struct HostileInputTests {
    /// Texts that no real client sends; none may change anything or end the connection.
    static let texts: [String] = [
        "", "not JSON", "[]", "null", "5", "\"play\"", "{\"type\":5}", "{\"type\":null}", "{}",
        "{\"type\":\"play\",\"type\":\"play\"}",
        "{\"type\":\"ping\",\"id\":1,\"id\":2}",
        String(repeating: "[", count: 16_000),
        "{\"type\":\"ping\",\"id\":1e400}", "{\"type\":\"ping\",\"id\":0}", "{\"type\":\"ping\",\"id\":1.5}",
        "{\"type\":\"create\",\"name\":\"\(String(repeating: "x", count: 33))\",\"client\":\"a/1\"}",
        "{\"type\":\"create\",\"name\":\"\\ud800\",\"client\":\"a/1\"}",
        "{\"type\":\"create\",\"name\":\"a\\u0000\",\"client\":\"a/1\"}",
        "{\"type\":\"create\",\"name\":\"a\",\"client\":\"/1\"}",
        "{\"type\":\"join\",\"code\":\"0\",\"name\":\"a\",\"client\":\"a/1\"}",
        "{\"type\":\"resume\",\"code\":\"222222\",\"peerId\":\"p1\",\"token\":\"short\"}",
        "{\"type\":\"seek\",\"positionMs\":\"5\"}", "{\"type\":\"rate\",\"rate\":0}",
        "{\"type\":\"rate\",\"rate\":1e9}",
        "{\"type\":\"status\",\"epoch\":0,\"player\":\"dancing\",\"match\":null,\"offsetMs\":0}",
        "{\"type\":\"setMedia\",\"media\":{},\"positionMs\":0}",
    ]

    /// Two healthy members of a playing room, and the relay.
    private func party(
        _ change: (inout RelayConfiguration) -> Void = { _ in }
    ) throws -> (relay: EmbeddedRelay, host: BlockingClient, guest: BlockingClient, code: String) {
        var configuration = RelayConfiguration()
        change(&configuration)
        let relay = try EmbeddedRelay.start(configuration)
        let host = try BlockingClient(webSocketAt: relay.port)
        let guest = try BlockingClient(webSocketAt: relay.port)
        let code = try host.create().code
        _ = try guest.join(code)
        _ = try host.nextRoom()
        return (relay, host, guest, code)
    }

    /// The healthy two are still served, and hear of nothing.
    private func isUndisturbed(_ host: BlockingClient, _ guest: BlockingClient, id: Int64) throws -> Bool {
        for client in [host, guest] {
            try client.send(.ping(id: id))
            guard case .text(let text)? = try client.nextEvent(),
                case .message(.pong(id, _)) = RelayMessage.read(text)
            else { return false }
        }
        return true
    }

    @Test("Malformed texts are answered one by one, and nothing of them reaches others")
    func texts() throws {
        let (relay, host, guest, _) = try party()
        defer { relay.stop() }
        let raw = try BlockingClient(webSocketAt: relay.port)
        for (number, text) in HostileInputTests.texts.enumerated() {
            try raw.send(text: text)
            let error = try raw.nextError()
            #expect(["invalid_message", "not_in_room"].contains(error.code), "\(text.prefix(60)): \(error)")
            #expect(try isUndisturbed(host, guest, id: Int64(number + 1)))
            if number % 10 == 9 { Thread.sleep(forTimeInterval: 0.5) }
        }
    }

    @Test("What breaks the framing closes the connection with its code")
    func frames() throws {
        let (relay, host, guest, _) = try party()
        defer { relay.stop() }
        let text10MB: [UInt8] = [0x81, 0xFF, 0, 0, 0, 0, 0, 0x98, 0x96, 0x80, 1, 2, 3, 4]
        let endless =
            [UInt8]([0x01, 0x80, 0, 0, 0, 0]) + (0..<20_000).flatMap { _ in [0x00, 0x81, 0, 0, 0, 0, 0x61] as [UInt8] }
        let cases: [(bytes: [UInt8], code: Int)] = [
            (text10MB, 1009), (endless, 1009), ([0x82, 0x81, 0, 0, 0, 0, 1], 1003), ([0x81, 0x01, 0x61], 1002),
            ([0xC1, 0x80, 0, 0, 0, 0], 1002), ([0x83, 0x80, 0, 0, 0, 0], 1002), ([0x80, 0x80, 0, 0, 0, 0], 1002),
            ([0x89, 0xFE, 0, 126, 0, 0, 0, 0], 1002), ([0x81, 0x81, 0, 0, 0, 0, 0xFF], 1007),
        ]
        for (number, entry) in cases.enumerated() {
            let raw = try BlockingClient(webSocketAt: relay.port)
            try raw.send(entry.bytes)
            #expect(try raw.closeCode() == entry.code, "\(entry.bytes.prefix(8))")
            #expect(try isUndisturbed(host, guest, id: Int64(number + 1)))
        }
    }

    @Test("10000 pings at once: the rest is refused, and the others are served")
    func flood() throws {
        let (relay, host, guest, _) = try party()
        defer { relay.stop() }
        let raw = try BlockingClient(webSocketAt: relay.port)
        let ping = ClientMessage.ping(id: 1).text
        for batch in 0..<100 {
            for _ in 0..<100 { try raw.send(text: ping) }
            if batch % 20 == 0 { #expect(try isUndisturbed(host, guest, id: Int64(batch + 1))) }
        }
        var (pongs, refusals) = (0, 0)
        while pongs + refusals < 10_000 {
            guard case .text(let text)? = try raw.nextEvent() else { break }
            switch RelayMessage.read(text) {
            case .message(.pong): pongs += 1
            case .message(.error(let error)):
                #expect(error.code == "rate_limited")
                refusals += 1
            default: Issue.record("unexpected: \(text)")
            }
        }
        #expect(pongs >= 60)
        #expect(refusals > 5000)
    }

    @Test("Half-sent heads and silent connections hold nobody up")
    func halfSent() throws {
        let (relay, host, guest, _) = try party { $0.timerScale = 0.2 }
        defer { relay.stop() }
        let heads = try (0..<20).map { _ in try BlockingClient(port: relay.port) }
        for head in heads { try head.send(Array("GET /v1/ws HT".utf8)) }
        #expect(try isUndisturbed(host, guest, id: 1))
        #expect(try heads[0].readToEnd() == "")
        #expect(try isUndisturbed(host, guest, id: 2))
    }
}
