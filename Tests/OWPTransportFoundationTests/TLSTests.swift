// OpenWatchParty for Swift. See LICENSE.

#if canImport(Glibc)
    import Foundation
    import OWPTestSupport
    import OWPWebSocket
    import Testing

    @testable import OWPTransportFoundation

    @MainActor
    @Suite("TLS of the default WebSocket", .serialized, .timeLimit(.minutes(3)), .enabled(if: TLSProxy.canRun))
    struct TLSTests {
        /// Connects to an echo server behind TLS and has a message sent back.
        private func echo(
            _ certificate: TLSProxy.Certificate,
            host: String = "localhost",
            trusting file: String?,
            count: Int = 5
        ) async throws {
            let server = TestServer { if $0.open() { $0.echo() } }
            let proxy = try TLSProxy(certificate, to: server.port)
            defer { proxy.stop() }
            let connection = try await SocketConnection.open(
                "wss://\(host):\(proxy.port)/v1/ws",
                messageLimit: 16_777_216,
                environment: file.map { ["SSL_CERT_FILE": $0] } ?? [:]
            )
            let text = String(repeating: "x", count: count)
            for _ in 0..<3 {
                try await connection.send(text)
                #expect(try await connection.receive() == text)
            }
            connection.close(code: 1000)
        }

        private func failure(_ work: @MainActor () async throws -> Void) async -> TransportError? {
            await transportError(work)
        }

        @Test("A CA of SSL_CERT_FILE is trusted", arguments: ["localhost", "127.0.0.1"])
        func trusted(host: String) async throws {
            try await echo(.good, host: host, trusting: TLSProxy.authority)
        }

        @Test("Messages of every size pass", arguments: [0, 16_384, 200_000, 4_194_304])
        func sizes(count: Int) async throws {
            try await echo(.good, trusting: TLSProxy.authority, count: count)
        }

        @Test("Without it the CA is not trusted")
        func untrusted() async {
            let error = await failure { try await echo(.good, trusting: nil) }
            #expect(error?.code == .tls)
            #expect(
                error?.message.contains("unable to get local issuer certificate") == true,
                "\(error?.message ?? "")"
            )
        }

        @Test("A certificate of another host is refused")
        func wrongHost() async {
            let error = await failure { try await echo(.otherHost, trusting: TLSProxy.authority) }
            #expect(error?.code == .tls)
            #expect(error?.message.contains("localhost") == true, "\(error?.message ?? "")")
        }

        @Test("An expired certificate is refused")
        func expired() async {
            let error = await failure { try await echo(.expired, trusting: TLSProxy.authority) }
            #expect(error?.code == .tls)
            #expect(error?.message.contains("expired") == true, "\(error?.message ?? "")")
        }

        @Test("A self-signed certificate is refused")
        func selfSigned() async {
            let error = await failure { try await echo(.selfSigned, trusting: TLSProxy.authority) }
            #expect(error?.code == .tls)
            #expect(error?.message.contains("self") == true, "\(error?.message ?? "")")
        }

        @Test("A file of certificates that is not there is named")
        func missingFile() async {
            let error = await failure { try await echo(.good, trusting: "/nowhere/ca.pem") }
            #expect(error?.code == .tls)
            #expect(error?.message.contains("/nowhere/ca.pem") == true, "\(error?.message ?? "")")
        }

        @Test("TLS to a port without it")
        func plainPort() async {
            let server = TestServer { peer in
                peer.write(HTTPAnswer(status: 400).bytes)
            }
            let error = await failure { _ = try await urlSessionConnect("wss://127.0.0.1:\(server.port)/v1/ws") }
            #expect(error?.code == .tls)
        }

        @Test("The server's end without a goodbye of TLS is noticed at once")
        func abruptEnd() async throws {
            let server = TestServer { $0.open() }
            let proxy = try TLSProxy(.good, to: server.port)
            defer { proxy.stop() }
            let connection = try await SocketConnection.open(
                "wss://localhost:\(proxy.port)/",
                messageLimit: 1000,
                environment: ["SSL_CERT_FILE": TLSProxy.authority]
            )
            #expect(await failure { _ = try await connection.receive() }?.code == .lost)
        }

        @Test("Cancelling during a handshake of TLS that hangs is reported at once")
        func cancelled() async throws {
            let gate = DispatchSemaphore(value: 0)
            let reached = Seen()
            let server = TestServer { peer in
                reached.finish()
                gate.wait()
            }
            let task = Task { _ = try await urlSessionConnect("wss://127.0.0.1:\(server.port)/") }
            _ = await reached.all()
            let start = ContinuousClock.now
            task.cancel()
            let result = await task.result
            #expect(throws: CancellationError.self) { try result.get() }
            #expect(ContinuousClock.now - start < .seconds(4))
            gate.signal()
        }
    }
#endif
