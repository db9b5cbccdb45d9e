// OpenWatchParty for Swift. See LICENSE.

import Testing

@testable import OWPWebSocket

@Suite("Control frames and closing (RFC 6455, sections 5.5 and 7)")
struct ClosingTests {
    @Test("A ping is answered with its payload, also inside a message", arguments: [0, 1, 125])
    func pong(count: Int) {
        let payload = [UInt8](repeating: 0xFE, count: count)
        let outcome = feedEveryWay(frame(0x01, [0x61]) + frame(0x89, payload), to: server)
        #expect(outcome.events.isEmpty)
        #expect(outcome.output == frame(0x8A, payload, mask: nil))
    }

    @Test(
        "Codes that may be sent are passed through and echoed",
        arguments: [
            1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999,
        ]
    )
    func legal(code: Int) {
        let outcome = feedEveryWay(frame(0x88, closePayload(code, "room gone")), to: server)
        #expect(outcome.events == [.closed(WebSocketClose(code: code, reason: "room gone"))])
        #expect(outcome.output == serverClose(code))
        #expect(outcome.isFinished && !outcome.isOpen)
    }

    @Test(
        "Other codes fail with 1002",
        arguments: [0, 1, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65_535]
    )
    func illegal(code: Int) {
        let outcome = feedEveryWay(frame(0x88, closePayload(code)), to: server)
        #expect(outcome.events == [.failed(WebSocketError(.closePayload))])
        #expect(outcome.output == serverClose(1002))
    }

    @Test("A close without a status is answered by one without")
    func empty() {
        let outcome = feedEveryWay(frame(0x88, []), to: server)
        #expect(outcome.events == [.closed(WebSocketClose(code: nil))])
        #expect(outcome.output == frame(0x88, [], mask: nil))
    }

    @Test("A payload of one byte fails with 1002, a reason that is no UTF-8 with 1007")
    func badPayload() {
        let short = feedEveryWay(frame(0x88, [3]), to: server)
        #expect(short.events == [.failed(WebSocketError(.closePayload))])
        let reason = feedEveryWay(frame(0x88, [0x03, 0xE8, 0xC3]), to: server)
        #expect(reason.events == [.failed(WebSocketError(.invalidUTF8))])
        #expect(reason.output == serverClose(1007))
    }

    @Test("Nothing is read after a close")
    func afterClose() {
        let outcome = feedEveryWay(frame(0x88, closePayload(1000)) + frame(0x89, []) + [0xFF, 0xFF], to: server)
        #expect(outcome.events == [.closed(WebSocketClose(code: 1000))])
        #expect(outcome.output == serverClose(1000))
    }

    @Test("One close frame is sent, and no message after it")
    func ownClose() {
        var endpoint = server
        var output: [UInt8] = []
        endpoint.close(code: 4000, reason: "replaced", output: &output)
        endpoint.close(code: 1000, output: &output)
        #expect(output == serverClose(4000, "replaced"))
        #expect(!endpoint.isOpen && !endpoint.isFinished)
        #expect(!endpoint.send("late", output: &output))
        #expect(!endpoint.send([1], output: &output))
        #expect(!endpoint.send(SharedFrame(text: "late"), output: &output))
        endpoint.ping(output: &output)
        #expect(output == serverClose(4000, "replaced"))

        // What was under way still comes out; the peer's close is not answered again.
        let rest = frame(0x89, [1]) + frame(0x81, [0x61]) + frame(0x88, closePayload(4000))
        let outcome = feedEveryWay(rest, to: endpoint)
        #expect(outcome.events == [.text("a"), .closed(WebSocketClose(code: 4000))])
        #expect(outcome.output.isEmpty)
        #expect(outcome.isFinished)
    }

    @Test("A rule broken after our close frame sends no second one")
    func failureWhileClosing() {
        var endpoint = server
        var output: [UInt8] = []
        endpoint.close(code: 1000, output: &output)
        let outcome = feedEveryWay(frame(0x83, []), to: endpoint)
        #expect(outcome.events == [.failed(WebSocketError(.reservedOpcode))])
        #expect(outcome.output.isEmpty)
    }

    @Test("A status that may not be sent leaves the close frame empty", arguments: [nil, 1005, 1006, 0, 70_000, -1])
    func unsendable(code: Int?) {
        var endpoint = server
        var output: [UInt8] = []
        endpoint.close(code: code, reason: "why", output: &output)
        #expect(output == frame(0x88, [], mask: nil))
    }

    @Test("A long reason is cut after a whole character")
    func longReason() {
        var endpoint = server
        var output: [UInt8] = []
        endpoint.close(code: 1000, reason: "a" + String(repeating: "\u{1F600}", count: 40), output: &output)
        #expect(output == serverClose(1000, "a" + String(repeating: "\u{1F600}", count: 30)))
    }

    @Test("A ping of ours is cut to 125 bytes, and its pong comes out")
    func ownPing() {
        var endpoint = server
        var output: [UInt8] = []
        endpoint.ping([UInt8](repeating: 1, count: 200), output: &output)
        #expect(output == frame(0x89, [UInt8](repeating: 1, count: 125), mask: nil))
        #expect(feedEveryWay(frame(0x8A, [1, 2]), to: endpoint).events == [.pong([1, 2])])
    }
}
