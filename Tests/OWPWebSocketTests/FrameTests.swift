// OpenWatchParty for Swift. See LICENSE.

import Testing

@testable import OWPWebSocket

@Suite("Frames (RFC 6455, section 5)")
struct FrameTests {
    struct Vector: Sendable, CustomTestStringConvertible {
        var name: String
        var stream: [UInt8]
        var events: [WebSocketEvent]
        var testDescription: String { name }
    }

    static let hello = Array("Hello".utf8)
    static let long = [UInt8](repeating: 0x61, count: 126)

    static let messages = [
        Vector(
            name: "the masked sample of section 5.7",
            stream: [0x81, 0x85, 0x37, 0xFA, 0x21, 0x3D, 0x7F, 0x9F, 0x4D, 0x51, 0x58],
            events: [.text("Hello")]
        ),
        Vector(name: "an empty text", stream: frame(0x81, []), events: [.text("")]),
        Vector(name: "an empty binary message", stream: frame(0x82, []), events: [.binary([])]),
        Vector(
            name: "binary bytes stay binary",
            stream: frame(0x82, [0xFF, 0, 0x80]),
            events: [.binary([0xFF, 0, 0x80])]
        ),
        Vector(
            name: "125 bytes",
            stream: frame(0x82, Array(long.dropLast())),
            events: [.binary(Array(long.dropLast()))]
        ),
        Vector(name: "126 bytes", stream: frame(0x82, long), events: [.binary(long)]),
        Vector(
            name: "at the limit",
            stream: frame(0x82, [UInt8](repeating: 7, count: 1000)),
            events: [.binary([UInt8](repeating: 7, count: 1000))]
        ),
        Vector(
            name: "three fragments with a ping and a pong between",
            stream: frame(0x01, Array("He".utf8)) + frame(0x89, [1]) + frame(0x00, Array("ll".utf8)) + frame(0x8A, [2])
                + frame(0x80, Array("o".utf8)),
            events: [.pong([2]), .text("Hello")]
        ),
        Vector(
            name: "empty fragments",
            stream: frame(0x01, []) + frame(0x00, []) + frame(0x80, []) + frame(0x81, hello),
            events: [.text(""), .text("Hello")]
        ),
        Vector(
            name: "a character cut by a fragment",
            stream: frame(0x01, [0xF0, 0x9F]) + frame(0x80, [0x98, 0x80]),
            events: [.text("\u{1F600}")]
        ),
        Vector(
            name: "a zero key",
            stream: frame(0x81, hello, mask: 0),
            events: [.text("Hello")]
        ),
        Vector(
            name: "many messages in one read",
            stream: (0..<5).flatMap { frame(0x81, Array("\($0)".utf8), mask: 0xDEAD_BEEF) },
            events: (0..<5).map { .text("\($0)") }
        ),
    ]

    @Test("Messages come out whole, however the stream is cut", arguments: messages)
    func message(_ vector: Vector) {
        let outcome = feedEveryWay(vector.stream, to: server)
        #expect(outcome.events == vector.events)
        #expect(outcome.isOpen)
    }

    static func bad(_ name: String, _ stream: [UInt8], _ code: WebSocketError.Code) -> Vector {
        Vector(name: name, stream: stream, events: [.failed(WebSocketError(code))])
    }

    static let failures = [
        bad("RSV1", frame(0xC1, hello), .reservedBits),
        bad("RSV2", frame(0xA1, hello), .reservedBits),
        bad("RSV3 on a ping", frame(0x99, []), .reservedBits),
        bad("opcode 3", frame(0x83, []), .reservedOpcode),
        bad("opcode 7", frame(0x87, hello), .reservedOpcode),
        bad("opcode 11", frame(0x8B, []), .reservedOpcode),
        bad("opcode 15", frame(0x8F, []), .reservedOpcode),
        bad("an unmasked frame of a client", frame(0x81, hello, mask: nil), .maskingRule),
        bad("a ping of 126 bytes, known from two bytes", [0x89, 0xFE], .longControl),
        bad("a fragmented ping", frame(0x09, []), .fragmentedControl),
        bad("a fragmented close", frame(0x08, []), .fragmentedControl),
        bad("5 in two bytes", frame(0x81, hello, lengthBytes: 2), .lengthForm),
        bad("126 in eight bytes", frame(0x81, long, lengthBytes: 8), .lengthForm),
        bad("the highest bit of a length", frame(0x82, [], lengthBytes: 8, length: 1 << 63), .lengthForm),
        bad("a continuation of nothing", frame(0x80, hello), .strayContinuation),
        bad("a text inside a text", frame(0x01, hello) + frame(0x81, hello), .missingContinuation),
        bad("a binary message inside a text", frame(0x01, hello) + frame(0x02, hello), .missingContinuation),
        bad(
            "a frame past the limit, before its payload",
            Array(frame(0x82, [], lengthBytes: 2, length: 1001)),
            .messageTooLarge
        ),
        bad(
            "the largest length there is",
            frame(0x82, [], lengthBytes: 8, length: UInt64(Int64.max)),
            .messageTooLarge
        ),
        bad(
            "fragments past the limit",
            frame(0x02, [UInt8](repeating: 0, count: 999)) + frame(0x80, [1, 2]),
            .messageTooLarge
        ),
        bad(
            "bad UTF-8 before the message's end",
            Array(frame(0x81, [0x61, 0xFF, 0x61, 0x61]).prefix(8)),
            .invalidUTF8
        ),
        bad("a text that ends inside a character", frame(0x81, [0xE2, 0x82]), .invalidUTF8),
        bad("fragments that end inside a character", frame(0x01, [0xE2]) + frame(0x80, [0x82]), .invalidUTF8),
        bad("a surrogate over two fragments", frame(0x01, [0xED]) + frame(0x00, [0xA0]), .invalidUTF8),
    ]

    @Test("What is wrong fails at once, and nothing is read after it", arguments: failures)
    func failure(_ vector: Vector) {
        let outcome = feedEveryWay(vector.stream + frame(0x81, Self.hello), to: server)
        #expect(outcome.events == vector.events)
        #expect(outcome.isFinished)
        #expect(feedEveryWay(vector.stream, to: server).events == vector.events)
        guard case .failed(let error)? = vector.events.first else { return }
        #expect(outcome.output == serverClose(error.closeCode))
    }

    @Test(
        "The closing codes of failures",
        arguments: [
            (WebSocketError.Code.invalidUTF8, 1007), (.messageTooLarge, 1009), (.reservedBits, 1002),
            (.lengthForm, 1002),
        ]
    )
    func codes(code: WebSocketError.Code, closeCode: Int) {
        #expect(WebSocketError(code).closeCode == closeCode)
    }

    @Test("A client refuses masked frames and takes unmasked ones")
    func clientSide() {
        #expect(feedEveryWay(frame(0x81, Self.hello), to: client).events == [.failed(WebSocketError(.maskingRule))])
        #expect(feedEveryWay(frame(0x81, Self.hello, mask: nil), to: client).events == [.text("Hello")])
    }

    @Test(
        "What one side writes, the other reads, at every length form",
        arguments: [
            0, 1, 7, 8, 9, 125, 126, 127, 65_535, 65_536, 100_000,
        ]
    )
    func roundTrip(count: Int) {
        let text = String(repeating: "x", count: count)
        var fromClient = WebSocketEndpoint(clientWithMessageLimit: 100_000, random: Splitmix(state: 3))
        var fromServer = WebSocketEndpoint(serverWithMessageLimit: 100_000)
        var (up, down): ([UInt8], [UInt8]) = ([], [])
        #expect(fromClient.send(text, output: &up) && fromClient.send(Array(text.utf8), output: &up))
        #expect(fromServer.send(text, output: &down) && fromServer.send(Array(text.utf8), output: &down))
        let expected: [WebSocketEvent] = [.text(text), .binary(Array(text.utf8))]
        #expect(feed(up, cuts: [up.count / 3], to: fromServer).events == expected)
        #expect(feed(down, cuts: [down.count / 3], to: fromClient).events == expected)
        #expect(down.prefix(SharedFrame(text: text).bytes.count).elementsEqual(SharedFrame(text: text).bytes))
        let extended = count <= 125 ? 0 : count <= 65_535 ? 2 : 8
        #expect(SharedFrame(text: text).bytes.count == 2 + extended + count)
    }

    @Test("Every frame of a client has a key of its own")
    func freshKeys() {
        var endpoint = client
        var keys: Set<[UInt8]> = []
        for _ in 0..<100 {
            var output: [UInt8] = []
            endpoint.send("", output: &output)
            keys.insert(Array(output.suffix(4)))
        }
        #expect(keys.count == 100)
    }

    @Test("Masking in place, at every length, cut and alignment")
    func masking() {
        let plain = (0..<40).map { UInt8($0) }
        for (start, cut, end) in (0..<8).flatMap({ s in (s...20).flatMap { c in (c...40).map { (s, c, $0) } } }) {
            var bytes = plain
            var key: UInt32 = 0x4433_2211
            bytes.withUnsafeMutableBytes { all in
                applyMask(UnsafeMutableRawBufferPointer(rebasing: all[start..<cut]), key: &key)
                applyMask(UnsafeMutableRawBufferPointer(rebasing: all[cut..<end]), key: &key)
            }
            let keys: [UInt8] = [0x11, 0x22, 0x33, 0x44]
            #expect(
                bytes.indices.allSatisfy {
                    bytes[$0] == ((start..<end).contains($0) ? plain[$0] ^ keys[($0 - start) % 4] : plain[$0])
                }
            )
        }
    }

    @Test("Random streams give the same outcome, however they are cut")
    func randomStreams() {
        var random = Splitmix(state: 11)
        for _ in 0..<3000 {
            var stream: [UInt8] = []
            for _ in 0..<Int.random(in: 1...4, using: &random) {
                let first: [UInt8] = [
                    0x81, 0x01, 0x80, 0x00, 0x82, 0x89, 0x8A, 0x88, UInt8.random(in: 0...255, using: &random),
                ]
                let payload = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                    UInt8.random(in: 0...255, using: &random) & (Bool.random(using: &random) ? 0x7F : 0xFF)
                }
                stream += frame(
                    first.randomElement(using: &random) ?? 0,
                    payload,
                    mask: UInt32.random(in: 0...(.max), using: &random)
                )
            }
            if Int.random(in: 0...5, using: &random) == 0 {
                stream[Int.random(in: 0..<stream.count, using: &random)] ^= 0x10
            }
            let whole = feed(stream, to: server)
            #expect(feed(stream, cuts: Array(stride(from: 1, to: stream.count, by: 1)), to: server) == whole)
            let cuts = (1..<stream.count).filter { _ in Int.random(in: 0...4, using: &random) == 0 }
            #expect(feed(stream, cuts: cuts, to: server) == whole)
        }
    }
}
