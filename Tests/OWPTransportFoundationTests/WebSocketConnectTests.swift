// OpenWatchParty for Swift. See LICENSE.

#if canImport(Glibc)
    import Foundation

    import OWPTestSupport
    import OWPWebSocket
    import Testing

    @testable import OWPTransportFoundation

    /// A frame of a server.
    func serverFrame(_ first: UInt8, _ payload: [UInt8]) -> [UInt8] {
        let count = payload.count
        let length: [UInt8] =
            count <= 125
            ? [UInt8(count)]
            : count <= 65_535
                ? [126, UInt8(count >> 8), UInt8(truncatingIfNeeded: count)]
                : [127] + (0..<8).map { UInt8(truncatingIfNeeded: count >> (56 - 8 * $0)) }
        return [first] + length + payload
    }

    /// The transport's error that some work throws.
    @MainActor
    func transportError(_ work: @MainActor () async throws -> Void) async -> TransportError? {
        do {
            try await work()
            return nil
        } catch {
            return error as? TransportError
        }
    }

    @MainActor
    @Suite("The default WebSocket over a plain socket (section 16.8)", .timeLimit(.minutes(2)))
    struct WebSocketConnectTests {
        @Test(
            "Messages of every length come back whole",
            arguments: [0, 1, 125, 126, 16_384, 65_536, 200_000, 4_194_304]
        )
        func echo(count: Int) async throws {
            let server = TestServer { if $0.open() { $0.echo() } }
            let connection = try await urlSessionConnect(server.url)
            let text = String(repeating: "é", count: count / 2) + (count % 2 == 1 ? "x" : "")
            try await connection.send(text)
            #expect(try await connection.receive() == text)
            connection.close(code: 1000)
        }

        @Test("Calls keep their order, and nothing is lost")
        func order() async throws {
            let server = TestServer { if $0.open() { $0.echo() } }
            let connection = try await urlSessionConnect(server.url)
            for index in 0..<2000 { try await connection.send("\(index)") }
            for index in 0..<2000 { #expect(try await connection.receive() == "\(index)") }
            connection.close(code: 1000)
        }

        @Test("FR-35: one message in, one message out", arguments: [16_384, 60_000])
        func wholeMessages(count: Int) async throws {
            let text = String(repeating: "a", count: count - 4) + "\u{1F600}"
            let bytes = Array(text.utf8)
            let quarter = count / 4
            let fragments = [
                serverFrame(0x01, Array(bytes[..<quarter])), serverFrame(0x00, Array(bytes[quarter..<(2 * quarter)])),
                serverFrame(0x00, Array(bytes[(2 * quarter)..<(3 * quarter)])),
                serverFrame(0x80, Array(bytes[(3 * quarter)...])),
            ]
            let cut = serverFrame(0x01, Array(bytes[..<(count - 2)])) + serverFrame(0x80, Array(bytes[(count - 2)...]))
            let server = TestServer { peer in
                guard peer.open() else { return }
                peer.write(serverFrame(0x81, bytes), pieces: 1000, pauseMs: 5)
                peer.write(serverFrame(0x81, bytes))
                for fragment in fragments { peer.write(fragment) }
                for fragment in fragments { peer.write(fragment + serverFrame(0x89, [1])) }
                peer.write(cut)
                for _ in 0..<1000 { peer.write(serverFrame(0x81, bytes)) }
                peer.write(serverFrame(0x81, Array("end".utf8)))
                peer.drain()
            }
            let connection = try await urlSessionConnect(server.url)
            for _ in 0..<1005 { #expect(try await connection.receive() == text) }
            #expect(try await connection.receive() == "end")
            connection.close(code: 1000)
        }

        @Test("A frame that comes with the handshake's answer is not lost")
        func earlyFrame() async throws {
            let server = TestServer { peer in
                peer.open(with: serverFrame(0x81, Array("early".utf8)))
                peer.drain()
            }
            let connection = try await urlSessionConnect(server.url)
            #expect(try await connection.receive() == "early")
            connection.close(code: 1000)
        }

        @Test("FR-36: the close status is as the peer sent it", arguments: [4000, 1000, 1001, 1007, 1009, 4001, nil])
        func closeCode(code: Int?) async throws {
            let server = TestServer { peer in
                peer.open()
                peer.send("last")
                peer.close(code, "room gone")
                peer.drain()
            }
            let connection = try await urlSessionConnect(server.url)
            #expect(try await connection.receive() == "last")
            let error = await transportError { _ = try await connection.receive() }
            #expect(error?.code == .closedByPeer)
            #expect(connection.closeCode == code)
            #expect(await transportError { try await connection.send("late") }?.code == .closedByPeer)
            connection.close(code: 1000)
        }

        @Test("An abrupt end is noticed at once, without a status", arguments: [true, false])
        func abruptEnd(isReset: Bool) async throws {
            let server = TestServer { peer in
                peer.open()
                if isReset { peer.reset() }
            }
            let connection = try await urlSessionConnect(server.url)
            let error = await transportError { _ = try await connection.receive() }
            #expect(error?.code == .lost)
            #expect(connection.closeCode == nil)
        }

        @Test("A rule broken by the server ends the connection")
        func brokenRule() async throws {
            let server = TestServer { peer in
                peer.open(with: [0x83, 0x00])
                peer.drain()
            }
            let connection = try await urlSessionConnect(server.url)
            let error = await transportError { _ = try await connection.receive() }
            #expect(error?.code == .protocolBroken)
        }

        @Test("A message past the limit is refused before it is read")
        func tooLarge() async throws {
            let server = TestServer { peer in
                peer.open(with: [0x81, 127, 0, 0, 0, 0, 1, 0, 0, 1])
                peer.drain()
            }
            let connection = try await urlSessionConnect(server.url)
            #expect(await transportError { _ = try await connection.receive() }?.code == .protocolBroken)
        }

        @Test("FR-16, FR-37: a refused upgrade throws, with the status", arguments: [200, 302, 404, 429, 503])
        func refused(status: Int) async {
            let server = TestServer { peer in
                _ = peer.request()
                peer.write(HTTPAnswer(status: status).bytes)
            }
            let error = await transportError { _ = try await urlSessionConnect(server.url) }
            #expect(error?.code == .refused)
            #expect(error?.httpStatus == status)
        }

        @Test("A server that ends before it answers")
        func endBeforeAnswer() async {
            let server = TestServer { _ = $0.request() }
            #expect(await transportError { _ = try await urlSessionConnect(server.url) }?.code == .lost)
        }

        @Test("FR-16: a closed port is refused promptly, and the message says where")
        func closedPort() async throws {
            // Bound, and closed again: nobody listens there.
            let server = TestServer { _ in }
            server.stop()
            let port = server.port
            let error = await transportError { _ = try await urlSessionConnect("ws://127.0.0.1:\(port)/v1/ws") }
            #expect(error?.code == .notConnected)
            #expect(error?.message.hasPrefix("ws://127.0.0.1:\(port): ") == true)
        }

        @Test("FR-16: a name that does not resolve")
        func unknownName() async {
            let error = await transportError { _ = try await urlSessionConnect("ws://nowhere.invalid/v1/ws") }
            #expect(error?.code == .nameNotFound)
        }

        @Test(
            "What is no WebSocket URL",
            arguments: ["", "http://127.0.0.1/", "ws://", "ws://u@127.0.0.1/", "ws://a b/"]
        )
        func badURL(url: String) async {
            #expect(await transportError { _ = try await urlSessionConnect(url) }?.code == .invalidURL)
        }

        @Test("What was sent before a close goes out before it, and receive throws at once")
        func ownClose() async throws {
            let seen = Seen()
            let server = TestServer { peer in
                peer.open()
                while let event = peer.event() { seen.append(event) }
                seen.finish()
            }
            let connection = try await urlSessionConnect(server.url)
            for index in 0..<100 { try await connection.send("\(index)") }
            connection.close(code: 1000)
            connection.close(code: 1001)
            #expect(await transportError { _ = try await connection.receive() }?.code == .closed)
            #expect(await transportError { try await connection.send("late") }?.code == .closed)
            #expect(connection.closeCode == nil)
            let events = await seen.all()
            #expect(events == (0..<100).map { .text("\($0)") } + [.closed(WebSocketClose(code: 1000))])
        }

        @Test("A close that is called while a send is still under way does not overtake it")
        func closeBehindSend() async throws {
            for _ in 0..<20 {
                let seen = Seen()
                let server = TestServer { peer in
                    peer.open()
                    while let event = peer.event() { seen.append(event) }
                    seen.finish()
                }
                let connection = try await urlSessionConnect(server.url)
                await Task {
                    Task { connection.close(code: 1000) }
                    try? await connection.send("last")
                }.value
                #expect(await seen.all() == [.text("last"), .closed(WebSocketClose(code: 1000))])
            }
        }

        @Test("A connection that nobody holds any more ends")
        func dropped() async throws {
            let seen = Seen()
            let server = TestServer { peer in
                peer.open()
                while peer.event() != nil {}
                seen.finish()
            }
            do { _ = try await urlSessionConnect(server.url) }
            #expect(await seen.all().isEmpty)
        }

        @Test("A slow reader slows the server down, and gets everything")
        func backPressureOfReading() async throws {
            let progress = Seen()
            let text = String(repeating: "z", count: 100_000)
            let server = TestServer { peer in
                peer.open()
                for _ in 0..<400 {
                    peer.send(text)
                    progress.append(.pong([]))
                }
                peer.drain()
            }
            let connection = try await urlSessionConnect(server.url)
            #expect(try await connection.receive() == text)
            // Until the kernel's buffers are full, too; then the server stands still.
            var count = -1
            while count != progress.count {
                count = progress.count
                try await Task.sleep(for: .milliseconds(300))
            }
            #expect(count < 390)
            for _ in 1..<400 { #expect(try await connection.receive() == text) }
            connection.close(code: 1000)
        }

        @Test("A server that does not read makes send wait; its task can be cancelled")
        func backPressureOfSending() async throws {
            let gate = DispatchSemaphore(value: 0)
            let server = TestServer { peer in
                peer.open()
                gate.wait()
                peer.drain()
            }
            let connection = try await urlSessionConnect(server.url)
            let sending = Task {
                var count = 0
                while count < 10_000 {
                    try await connection.send(String(repeating: "y", count: 100_000))
                    count += 1
                }
            }
            try await Task.sleep(for: .milliseconds(300))
            sending.cancel()
            let result = await sending.result
            #expect(throws: CancellationError.self) { try result.get() }
            gate.signal()
            connection.close(code: 1000)
        }

        @Test("Cancelling a receive loses no message")
        func cancelledReceive() async throws {
            let gate = DispatchSemaphore(value: 0)
            let server = TestServer { peer in
                peer.open()
                gate.wait()
                peer.send("kept")
                peer.drain()
            }
            let connection = try await urlSessionConnect(server.url)
            let receiving = Task { try await connection.receive() }
            await Task.yield()
            receiving.cancel()
            let result = await receiving.result
            #expect(throws: CancellationError.self) { try result.get() }
            gate.signal()
            #expect(try await connection.receive() == "kept")
            connection.close(code: 1000)
        }

        @Test(
            "FR-16, FR-37: cancelling a connect that hangs is reported at once",
            arguments: ["tcp", "handshake", "before"]
        )
        func cancelledConnect(stage: String) async throws {
            // Whoever awaits may have to wait for its turn on a busy machine; one that is quick shows what it takes.
            var fastest = Duration.seconds(60)
            for _ in 0..<5 where fastest > .seconds(2) {
                let gate = DispatchSemaphore(value: 0)
                let reached = Seen()
                let server = TestServer { peer in
                    if stage == "handshake" { _ = peer.request() }
                    reached.finish()
                    gate.wait()
                }
                let connecting = Task { _ = try await urlSessionConnect(server.url) }
                if stage != "before" { _ = await reached.all() }
                let cancelled = ContinuousClock.now
                connecting.cancel()
                let result = await connecting.result
                fastest = min(fastest, ContinuousClock.now - cancelled)
                #expect(throws: CancellationError.self) { try result.get() }
                gate.signal()
            }
            #expect(fastest < .seconds(5), "an attempt that is not cancelled ends after 10 s")
        }

        @Test("FR-37: a hundred connections leave no descriptor and no thread behind")
        func noLeaks() async throws {
            let server = TestServer { if $0.open() { $0.echo() } }
            for _ in 0..<100 {
                let connection = try await urlSessionConnect(server.url)
                try await connection.send("x")
                _ = try await connection.receive()
                connection.close(code: 1000)
            }
        }

        @Test("No child process inherits a connection")
        func closedForChildren() async throws {
            let server = TestServer { if $0.open() { $0.echo() } }
            let connection = try await urlSessionConnect(server.url)
            let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
                Int32($0)
            }
            let own = descriptors.filter { descriptor in
                var address = sockaddr_in()
                var size = socklen_t(MemoryLayout<sockaddr_in>.size)
                let status = withUnsafeMutablePointer(to: &address) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &size) }
                }
                return status == 0 && Int(UInt16(bigEndian: address.sin_port)) == server.port
            }
            #expect(own.count == 1)
            for descriptor in own { #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0) }
            connection.close(code: 1000)
        }

        @Test("A libcurl that is missing, or is none, is named")
        func missingLibrary() {
            #expect(throws: Never.self) { try CurlLibrary.load(["libcurl.so.4"]) }
            for (name, text) in [
                ("libcurl-nowhere.so.4", "was not found: install libcurl"), ("libm.so.6", "is too old"),
            ] {
                do {
                    _ = try CurlLibrary.load([name])
                    Issue.record("loaded")
                } catch {
                    #expect(error.code == .noLibrary)
                    #expect(error.message.contains(name) && error.message.contains(text))
                }
            }
        }
    }

    /// What a script on another thread saw, for a test that waits for its end.
    final class Seen: Sendable {
        private struct State: Sendable {
            var events: [WebSocketEvent] = []
            var isFinished = false
            var waiting: CheckedContinuation<Void, Never>?
        }
        private let state = Locked(State())

        var count: Int { state.withLock { $0.events.count } }
        func append(_ event: WebSocketEvent) { state.withLock { $0.events.append(event) } }

        /// Says that nothing more comes.
        func finish() {
            let waiting = state.withLock { state in
                state.isFinished = true
                return state.waiting
            }
            waiting?.resume()
        }

        /// All events, once nothing more comes.
        func all() async -> [WebSocketEvent] {
            await withCheckedContinuation { continuation in
                let isFinished = state.withLock { state in
                    if !state.isFinished { state.waiting = continuation }
                    return state.isFinished
                }
                if isFinished { continuation.resume() }
            }
            return state.withLock { $0.events }
        }
    }
#endif
