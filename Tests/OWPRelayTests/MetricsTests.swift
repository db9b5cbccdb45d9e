// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OWPRelayCheck
import OWPWire
import Testing

@testable import OWPRelay

@Suite("Metrics and log", .serialized)
struct MetricsTests {
    @Test("The admin listener serves metrics, and nothing else does")
    func metrics() throws {
        var configuration = RelayConfiguration()
        configuration.adminHost = "127.0.0.1"
        let relay = try EmbeddedRelay.start(configuration)
        defer { relay.stop() }
        let host = try BlockingClient(webSocketAt: relay.port)
        _ = try host.create()
        try host.send(text: "[]")
        _ = try host.nextError()
        func get(_ path: String, port: Int) throws -> String {
            let client = try BlockingClient(port: port)
            try client.send(Array("GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
            return try client.readToEnd()
        }
        let text = try get("/metrics", port: try #require(relay.adminPort))
        for line in [
            "owp_connections 1", "owp_rooms 1", "owp_participants 1", "owp_rooms_total 1",
            "owp_messages_received_total{type=\"create\"} 1", "owp_messages_received_total{type=\"malformed\"} 1",
            "owp_errors_total{code=\"invalid_message\"} 1",
        ] {
            #expect(text.contains(line + "\n"), "\(line)")
        }
        #expect(try get("/metrics", port: relay.port).hasPrefix("HTTP/1.1 404"))
        #expect(try get("/v1/ws", port: try #require(relay.adminPort)).hasPrefix("HTTP/1.1 404"))
    }

    @Test("The log tells what happens to the relay, and nothing of those in it")
    func log() throws {
        let lines = Lines()
        var configuration = RelayConfiguration()
        configuration.log = { lines.append("\($0)") }
        let relay = try EmbeddedRelay.start(configuration)
        let host = try BlockingClient(webSocketAt: relay.port)
        let session = try host.create(name: "Anna")
        relay.stop()
        let text = lines.all.joined(separator: "\n")
        #expect(lines.all.first == "level=info event=started port=\(relay.port) restored_rooms=0")
        #expect(lines.all.contains("level=info event=stopping connections=1 rooms=1"))
        #expect(lines.all.last == "level=info event=stopped")
        for secret in ["Anna", session.code, session.token, "127.0.0.1"] { #expect(!text.contains(secret)) }
    }

    /// `@unchecked`: guarded by `lock`.
    private final class Lines: @unchecked Sendable {
        private let lock = NSLock()
        private var lines: [String] = []
        func append(_ line: String) { lock.withLock { lines.append(line) } }
        var all: [String] { lock.withLock { lines } }
    }
}
