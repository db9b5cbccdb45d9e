// OpenWatchParty for Swift. See LICENSE.

#if canImport(Glibc)
    import Foundation
    import OWPTestSupport
    import OWPWebSocket
    import Testing

    @testable import OWPTransportFoundation

    @MainActor
    @Suite("The default WebSocket through a faulty network", .timeLimit(.minutes(2)))
    struct FaultTests {
        /// An echo server behind a proxy.
        private func connect(_ faults: TcpProxy.Faults = .init()) async throws -> (TcpProxy, any WebSocketConnection) {
            let server = TestServer { if $0.open() { $0.echo() } }
            let proxy = TcpProxy(to: server.port, faults: faults)
            return (proxy, try await urlSessionConnect("ws://127.0.0.1:\(proxy.port)/v1/ws"))
        }

        private func echo(_ text: String, on connection: any WebSocketConnection) async throws {
            try await connection.send(text)
            #expect(try await connection.receive() == text)
        }

        @Test("One byte at a time changes nothing")
        func bytewise() async throws {
            var faults = TcpProxy.Faults()
            faults.isBytewise = true
            let (proxy, connection) = try await connect(faults)
            try await echo(String(repeating: "é", count: 1000), on: connection)
            connection.close(code: 1000)
            proxy.stop()
        }

        @Test("Delay and jitter change no order")
        func delay() async throws {
            var faults = TcpProxy.Faults()
            (faults.delayMs, faults.jitterMs) = (20, 30)
            let (proxy, connection) = try await connect(faults)
            let start = ContinuousClock.now
            for index in 0..<50 { try await connection.send("\(index)") }
            for index in 0..<50 { #expect(try await connection.receive() == "\(index)") }
            #expect(ContinuousClock.now - start >= .milliseconds(40))
            connection.close(code: 1000)
            proxy.stop()
        }

        @Test("A cut, in order or with a RST, ends the connection without a status", arguments: [true, false])
        func cut(isReset: Bool) async throws {
            let (proxy, connection) = try await connect()
            try await echo("before", on: connection)
            if isReset { proxy.reset() } else { proxy.cut() }
            #expect(await transportError { _ = try await connection.receive() }?.code == .lost)
            #expect(connection.closeCode == nil)
            proxy.stop()
        }

        @Test("A connection half open: nothing arrives, send and close still return, and it may come back")
        func halfOpen() async throws {
            let (proxy, connection) = try await connect()
            try await echo("before", on: connection)
            proxy.faults.isHalfOpen = true
            try await connection.send("kept")
            let receiving = Task { try await connection.receive() }
            try await Task.sleep(for: .milliseconds(100))
            proxy.faults.isHalfOpen = false
            #expect(try await receiving.value == "kept")
            proxy.faults.isHalfOpen = true
            connection.close(code: 1000)
            #expect(await transportError { _ = try await connection.receive() }?.code == .closed)
            proxy.stop()
        }

        @Test("A connection half open from the start can be cancelled")
        func halfOpenFromTheStart() async throws {
            let server = TestServer { if $0.open() { $0.echo() } }
            var faults = TcpProxy.Faults()
            faults.isHalfOpen = true
            let proxy = TcpProxy(to: server.port, faults: faults)
            let task = Task { _ = try await urlSessionConnect("ws://127.0.0.1:\(proxy.port)/") }
            try await Task.sleep(for: .milliseconds(100))
            task.cancel()
            let result = await task.result
            #expect(throws: CancellationError.self) { try result.get() }
            proxy.stop()
        }

        @Test("A corrupted byte of a frame's head is noticed, one of a text passes as one of another text")
        func corrupted() async throws {
            let server = TestServer { peer in
                peer.open()
                peer.send("abc")
                peer.drain()
            }
            let plain = TcpProxy(to: server.port)
            let first = try await urlSessionConnect("ws://127.0.0.1:\(plain.port)/")
            #expect(try await first.receive() == "abc")
            first.close(code: 1000)
            // The answer's head is as long as the one of the accept key always is.
            let head = 129
            var faults = TcpProxy.Faults()
            faults.corruptedByte = head + 2
            plain.faults = faults
            let second = try await urlSessionConnect("ws://127.0.0.1:\(plain.port)/")
            #expect(try await second.receive() == "`bc")
            second.close(code: 1000)
            // 0x81 becomes 0x80, a continuation of nothing.
            faults.corruptedByte = head
            plain.faults = faults
            let third = try await urlSessionConnect("ws://127.0.0.1:\(plain.port)/")
            #expect(await transportError { _ = try await third.receive() }?.code == .protocolBroken)
            plain.stop()
        }

        @Test("A proxy that takes no connections refuses the connect")
        func refusing() async {
            let server = TestServer { if $0.open() { $0.echo() } }
            let proxy = TcpProxy(to: server.port)
            proxy.isAccepting = false
            let error = await transportError { _ = try await urlSessionConnect("ws://127.0.0.1:\(proxy.port)/") }
            #expect(error != nil)
            proxy.stop()
        }

        @Test("No connection, descriptor or thread is left behind after any of the faults")
        func nothingLeft() async throws {
            let server = TestServer { if $0.open() { $0.echo() } }
            let proxy = TcpProxy(to: server.port)
            func round() async throws {
                let connection = try await urlSessionConnect("ws://127.0.0.1:\(proxy.port)/")
                try await echo("x", on: connection)
                proxy.reset()
                #expect(await transportError { _ = try await connection.receive() }?.code == .lost)
            }
            for _ in 0..<20 { try await round() }
            while proxy.connectionCount > 0 { try await Task.sleep(for: .milliseconds(20)) }
            proxy.stop()
        }
    }
#endif
