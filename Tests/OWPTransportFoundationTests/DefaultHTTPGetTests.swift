// OpenWatchParty for Swift. See LICENSE.

#if canImport(Glibc)
    import Foundation
    import OWPTestSupport
    import OWPWebSocket
    import Testing

    @testable import OWPTransportFoundation

    /// An answer to a GET, as bytes.
    private func answer(
        _ status: String = "200 OK",
        fields: String = "",
        body: [UInt8],
        length: Int? = nil
    ) -> [UInt8] {
        Array("HTTP/1.1 \(status)\r\nContent-Length: \(length ?? body.count)\r\n\(fields)\r\n".utf8) + body
    }

    @MainActor
    @Suite("The default GET (section 3.4)", .timeLimit(.minutes(2)))
    struct DefaultHTTPGetTests {
        /// Makes a GET of a server that runs a script once it has read the request.
        private func get(_ script: @escaping @Sendable (TestPeer) -> Void) async throws -> String {
            let server = TestServer { peer in
                if peer.request() != nil { script(peer) }
            }
            return try await urlSessionGet("http://127.0.0.1:\(server.port)/relays.json")
        }

        private func failure(_ script: @escaping @Sendable (TestPeer) -> Void) async -> TransportError? {
            await transportError { _ = try await get(script) }
        }

        @Test("Status 200 with UTF-8 succeeds", arguments: ["", "{\"relays\":[]}", "\u{E9}\u{1F600}"])
        func succeeds(text: String) async throws {
            #expect(try await get { $0.write(answer(body: Array(text.utf8))) } == text)
        }

        @Test("A chunked body, and one that ends with the connection")
        func bodies() async throws {
            let chunked = Array(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n".utf8
            )
            #expect(try await get { $0.write(chunked, pieces: 1, pauseMs: 1) } == "abc")
            #expect(try await get { $0.write(Array("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nabc".utf8)) } == "abc")
        }

        @Test("The request is a GET of the path, and asks for no compression")
        func request() async throws {
            let text = try await get { peer in
                let head = peer.head
                let text = ([head?.firstLine ?? ""] + (head?.fields.map { $0.name.lowercased() } ?? [])).joined(
                    separator: "\n"
                )
                peer.write(answer(body: Array(text.utf8)))
            }
            let lines = text.split(separator: "\n")
            #expect(lines.first == "GET /relays.json HTTP/1.1")
            #expect(!lines.contains("accept-encoding"))
        }

        @Test("Another status fails", arguments: [201, 204, 206, 304, 400, 404, 429, 500, 503])
        func status(status: Int) async {
            let error = await failure { $0.write(answer("\(status) X", body: [])) }
            #expect(error?.code == .badAnswer)
            #expect(error?.httpStatus == status)
        }

        @Test("A redirect is not followed", arguments: [301, 302, 303, 307, 308])
        func redirect(status: Int) async throws {
            let followed = Seen()
            let target = TestServer { peer in
                followed.append(.pong([]))
                peer.write(answer(body: []))
            }
            let location = "Location: http://127.0.0.1:\(target.port)/\r\n"
            let error = await failure { $0.write(answer("\(status) Moved", fields: location, body: [])) }
            #expect(error?.httpStatus == status)
            #expect(followed.count == 0)
        }

        @Test("A body of 65536 bytes succeeds, one of 65537 fails")
        func limit() async throws {
            let body = [UInt8](repeating: 0x61, count: 65_537)
            #expect(try await get { $0.write(answer(body: Array(body.dropLast()))) }.utf8.count == 65_536)
            #expect(await failure { $0.write(answer(body: body)) }?.code == .badAnswer)
        }

        @Test("An endless fast body is stopped while it comes")
        func endless() async {
            let sent = Seen()
            let piece = [UInt8](repeating: 0x61, count: 65_536)
            let error = await failure { peer in
                peer.write(Array("HTTP/1.1 200 OK\r\n\r\n".utf8))
                for _ in 0..<4096 where peer.write(piece) { sent.append(.pong([])) }
                sent.finish()
            }
            #expect(error?.code == .badAnswer)
            // 256 MiB were to come; what went out is what the kernel's buffers take.
            #expect(await sent.all().count < 1024)
        }

        @Test("A body that is not UTF-8 fails", arguments: [[0xFF], [0xC3], [0xED, 0xA0, 0x80]] as [[UInt8]])
        func notUTF8(body: [UInt8]) async {
            #expect(await failure { $0.write(answer(body: body)) }?.code == .badAnswer)
        }

        @Test("Nothing is decompressed")
        func compressed() async {
            let gzip: [UInt8] = [0x1F, 0x8B, 0x08, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0]
            let error = await failure { $0.write(answer(fields: "Content-Encoding: gzip\r\n", body: gzip)) }
            #expect(error?.code == .badAnswer)
        }

        @Test("A body that ends early fails, and so does no answer at all")
        func short() async {
            #expect(await failure { $0.write(answer(body: [0x61], length: 2)) } != nil)
            #expect(await failure { _ in } != nil)
        }

        @Test("It ends after 5 s, wherever it hangs", arguments: ["answer", "body", "dribble"])
        func timeout(stage: String) async throws {
            let start = ContinuousClock.now
            let closed = Seen()
            // Noted where it happens: this test may have to wait for its turn on a busy machine.
            let hung = Locked<Duration?>(nil)
            let error = await failure { peer in
                let asked = ContinuousClock.now
                if stage != "answer" { peer.write(answer(body: [0x61], length: 1000)) }
                if stage == "dribble" { peer.write([UInt8](repeating: 0x61, count: 900), pieces: 1, pauseMs: 50) }
                peer.drain()
                hung.withLock { $0 = .now - asked }
                closed.finish()
            }
            #expect(error?.code == .timedOut)
            #expect(ContinuousClock.now - start >= .milliseconds(4990))
            _ = await closed.all()
            // Generous: the machine may be busy.
            #expect(try #require(hung.withLock { $0 }) < .seconds(20))
        }

        @Test("Cancelling ends it at once, and the connection with it", arguments: [true, false])
        func cancelled(isInBody: Bool) async throws {
            let reached = Seen()
            let closed = Seen()
            // Noted where it happens: this test may have to wait for its turn on a busy machine.
            let closedAt = Locked<ContinuousClock.Instant?>(nil)
            let task = Task {
                try await get { peer in
                    if isInBody { peer.write(answer(body: [0x61], length: 1000)) }
                    reached.finish()
                    peer.drain()
                    closedAt.withLock { $0 = .now }
                    closed.finish()
                }
            }
            _ = await reached.all()
            let start = ContinuousClock.now
            task.cancel()
            let result = await task.result
            #expect(throws: CancellationError.self) { try result.get() }
            _ = await closed.all()
            #expect(try #require(closedAt.withLock { $0 }) - start < .seconds(4))
        }

        @Test(
            "What is no http:// or https:// URL",
            arguments: ["", "file:///etc/hostname", "ftp://127.0.0.1/", "http://a b/"]
        )
        func badURL(url: String) async {
            #expect(await transportError { _ = try await urlSessionGet(url) }?.code == .invalidURL)
        }

        @Test("A closed port fails promptly")
        func closedPort() async {
            let server = TestServer { _ in }
            server.stop()
            let error = await transportError { _ = try await urlSessionGet("http://127.0.0.1:\(server.port)/") }
            #expect(error?.code == .notConnected)
        }
    }
#endif
