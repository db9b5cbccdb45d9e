// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OWPCore
import OWPRelayCheck
import OWPWebSocket
import OWPWire
import Testing

@testable import OWPRelay

@Suite("The server over real sockets", .serialized)
struct ServerTests {
    /// A relay whose waiting times are short and whose limits are out of the way.
    private func started(_ change: (inout RelayConfiguration) -> Void = { _ in }) throws -> EmbeddedRelay {
        var configuration = RelayConfiguration()
        configuration.maxConnectionsPerIP = 1000
        configuration.maxRoomsPerIP = 1000
        change(&configuration)
        return try EmbeddedRelay.start(configuration)
    }

    @Test("Two clients meet in a room and see each other's commands")
    func meets() throws {
        let relay = try started()
        defer { relay.stop() }
        let host = try BlockingClient(webSocketAt: relay.port)
        let guest = try BlockingClient(webSocketAt: relay.port, path: "/some/base/v1/ws")
        let created = try host.create()
        #expect(isRoomCode(created.code))
        #expect(isValidToken(created.token))
        let joined = try guest.join(created.code.lowercased())
        #expect((joined.peerId, joined.room.participants.count) == ("p2", 2))
        #expect(try host.nextRoom().room.participants.map(\.name) == ["A", "B"])
        try host.send(.setMedia(media: Media(kind: .movie, title: "Film", durationMs: 60_000), positionMs: 0))
        let room = try guest.nextRoom()
        #expect(room.room.phase == .waiting)
        #expect(room.media == .valid(Media(kind: .movie, title: "Film", durationMs: 60_000)))
        try guest.send(.ping(id: 7))
        let (id, timeMs) = try guest.nextPong()
        #expect(id == 7)
        #expect(timeMs >= joined.serverTimeMs)
    }

    @Test("A dropped connection is shown, and resumes; a resume elsewhere closes with 4000")
    func resumes() throws {
        let relay = try started()
        defer { relay.stop() }
        let host = try BlockingClient(webSocketAt: relay.port)
        let code = try host.create().code
        var guest: BlockingClient? = try BlockingClient(webSocketAt: relay.port)
        guard let session = try guest?.join(code) else { return }
        _ = try host.nextRoom()
        guest = nil
        #expect(try host.nextRoom().room.participants.map(\.connected) == [true, false])
        let resume = ClientMessage.resume(code: code, peerId: session.peerId, token: session.token)
        let second = try BlockingClient(webSocketAt: relay.port)
        try second.send(resume)
        #expect(try second.nextJoined().token == session.token)
        let third = try BlockingClient(webSocketAt: relay.port)
        try third.send(resume)
        _ = try third.nextJoined()
        #expect(try second.closeCode() == 4000)
    }

    @Test("Stopping closes with 1001, and a second stop does nothing")
    func stops() throws {
        let relay = try started()
        let client = try BlockingClient(webSocketAt: relay.port)
        _ = try client.create()
        relay.stop()
        #expect(try client.closeCode() == 1001)
        relay.stop()
        #expect(throws: CheckFailure.self) { try BlockingClient(port: relay.port) }
    }

    @Test("A port in use is told in one line")
    func portInUse() throws {
        let relay = try started()
        defer { relay.stop() }
        #expect(throws: RelayStartError.self) {
            var configuration = RelayConfiguration()
            configuration.port = relay.port
            _ = try EmbeddedRelay.start(configuration)
        }
    }

    @Test(
        "Requests that are no upgrade are answered and closed",
        arguments: [
            ("GET /health HTTP/1.1\r\nHost: x\r\n\r\n", 200), ("GET /base/health HTTP/1.1\r\nHost: x\r\n\r\n", 200),
            ("GET / HTTP/1.1\r\nHost: x\r\n\r\n", 404), ("GET /v1/ws HTTP/1.1\r\nHost: x\r\n\r\n", 400),
            ("POST /v1/ws HTTP/1.1\r\nHost: x\r\n\r\n", 405), ("nonsense\r\n\r\n", 400),
            (
                """
                GET /v1/ws HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
                Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 12\r\n\r\n
                """, 426
            ),
        ]
    )
    func http(request: String, status: Int) throws {
        let relay = try started()
        defer { relay.stop() }
        let client = try BlockingClient(port: relay.port)
        try client.send(Array(request.utf8))
        #expect(try client.readToEnd().hasPrefix("HTTP/1.1 \(status) "))
    }

    @Test("Too many connections of an address are refused with 429, of all with 503")
    func connectionLimits() throws {
        let relay = try started { $0.maxConnectionsPerIP = 2 }
        defer { relay.stop() }
        let kept = try (0..<2).map { _ in try BlockingClient(webSocketAt: relay.port) }
        let error = #expect(throws: WebSocketError.self) { try BlockingClient(webSocketAt: relay.port) }
        #expect(error?.httpStatus == 429)
        let full = try started { $0.maxConnections = 1 }
        defer { full.stop() }
        let one = try BlockingClient(webSocketAt: full.port)
        let other = #expect(throws: WebSocketError.self) { try BlockingClient(webSocketAt: full.port) }
        #expect(other?.httpStatus == 503)
        withExtendedLifetime((kept, one)) {}
    }

    @Test("Binary messages close with 1003, large ones with 1009, invalid UTF-8 with 1007, broken frames with 1002")
    func closeCodes() throws {
        let relay = try started()
        defer { relay.stop() }
        let binary = try BlockingClient(webSocketAt: relay.port)
        try binary.sendBinary([1])
        #expect(try binary.closeCode() == 1003)
        let fits = try BlockingClient(webSocketAt: relay.port)
        try fits.send(text: String(repeating: "x", count: 16_384))
        #expect(try fits.nextError().code == "invalid_message")
        try fits.send(text: String(repeating: "x", count: 16_385))
        #expect(try fits.closeCode() == 1009)
        let invalid = try BlockingClient(webSocketAt: relay.port)
        try invalid.send([0x81, 0x82, 0, 0, 0, 0, 0xC3, 0x28])
        #expect(try invalid.closeCode() == 1007)
        let unmasked = try BlockingClient(webSocketAt: relay.port)
        try unmasked.send([0x81, 0x01, 0x61])
        #expect(try unmasked.closeCode() == 1002)
    }

    @Test("Who does not join, and who is silent, is closed; a head that never ends too")
    func timeouts() throws {
        let relay = try started { $0.timerScale = 0.01 }
        defer { relay.stop() }
        let idle = try BlockingClient(webSocketAt: relay.port)
        #expect(try idle.closeCode() == 1008)
        let silent = try BlockingClient(webSocketAt: relay.port)
        _ = try silent.create()
        #expect(try silent.closeCode() == 1008)
        let head = try BlockingClient(port: relay.port)
        try head.send(Array("GET /v1/ws HTTP/1.1\r\n".utf8))
        #expect(try head.readToEnd() == "")
    }

    @Test("A client that never reads is dropped, and may resume")
    func neverReads() throws {
        let relay = try started {
            $0.sendBufferBytes = 65_536
            $0.messagesPerSecond = 1e6
            $0.messageBurst = 1_000_000
        }
        defer { relay.stop() }
        let host = try BlockingClient(webSocketAt: relay.port)
        let code = try host.create().code
        let deaf = try BlockingClient(webSocketAt: relay.port, receiveBuffer: 4096)
        let session = try deaf.join(code)
        _ = try host.nextRoom()
        let ext: [String: JSONValue] = ["a.b": .string(String(repeating: "x", count: 900))]
        let media = Media(kind: .movie, title: String(repeating: "t", count: 2000), durationMs: 1000, ext: ext)
        var connected = true
        while connected {
            try host.send(.setMedia(media: media, positionMs: 0))
            connected = try host.nextRoom().room.participants[1].connected
        }
        let again = try BlockingClient(webSocketAt: relay.port)
        try again.send(.resume(code: code, peerId: session.peerId, token: session.token))
        #expect(try again.nextJoined().peerId == "p2")
    }

    @Test("A leave that came is taken, also when a message can no longer be sent to who left")
    func leavesUnread() throws {
        let relay = try started {
            $0.messagesPerSecond = 1e6
            $0.messageBurst = 1_000_000
        }
        defer { relay.stop() }
        let host = try BlockingClient(webSocketAt: relay.port)
        let code = try host.create().code
        for _ in 0..<100 {
            var guest: BlockingClient? = try BlockingClient(webSocketAt: relay.port)
            let peerId = try #require(try guest?.join(code)).peerId
            // What the guest has not read makes its close a RST, which meets the relay as it sends more.
            for index in 0..<60 { try host.send(.lock(index.isMultiple(of: 2))) }
            try guest?.send(.leave)
            try guest?.sendClose(code: 1000)
            guest = nil
            var (hasCome, isThere) = (false, true)
            while isThere {
                let shown = try host.nextRoom().room.participants.first { $0.peerId == peerId }
                #expect(shown?.connected ?? true, "it left, and did not drop")
                hasCome = hasCome || shown != nil
                isThere = shown?.connected ?? !hasCome
            }
        }
    }
}
