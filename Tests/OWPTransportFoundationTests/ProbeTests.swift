// OpenWatchParty for Swift. See LICENSE.

#if canImport(Glibc)
    import Foundation
    import OWPTestSupport
    import OWPWebSocket
    import Testing

    /// What stands in the environment, and what is left in a process, is tested in a process of its own.
    @Suite("The default WebSocket in a fresh process", .timeLimit(.minutes(2)))
    struct ProbeTests {
        struct Answer {
            var status: Int32
            var output: String
            var errors: String
        }

        /// Runs `owp-ws-testee probe`, which stands beside the tests.
        private func probe(_ url: String, count: Int = 1, _ environment: [String: String] = [:]) async throws -> Answer
        {
            let tests = try URL(
                fileURLWithPath: FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
            )
            let process = Process()
            process.executableURL = tests.deletingLastPathComponent().appendingPathComponent("owp-ws-testee")
            process.arguments = ["probe", url, "\(count)"]
            process.environment = ["PATH": "/usr/bin:/bin"].merging(environment) { $1 }
            let (output, errors) = (Pipe(), Pipe())
            (process.standardOutput, process.standardError) = (output, errors)
            return try await withCheckedThrowingContinuation { continuation in
                process.terminationHandler = { process in
                    let texts = [output, errors].map {
                        String(decoding: $0.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
                    }
                    let answer = Answer(status: process.terminationStatus, output: texts[0], errors: texts[1])
                    continuation.resume(returning: answer)
                }
                do { try process.run() } catch { continuation.resume(throwing: error) }
            }
        }

        @Test("FR-37: a hundred connections leave no descriptor and no thread behind")
        func nothingLeft() async throws {
            let server = TestServer { if $0.open() { $0.echo() } }
            let answer = try await probe(server.url, count: 100)
            #expect(answer.status == 0, "\(answer.output)\(answer.errors)")
        }

        @Test("FR-37: a server that answers 200 is refused, and the process lives on")
        func plainServer() async throws {
            let server = TestServer { peer in
                _ = peer.request()
                peer.write(HTTPAnswer(status: 200).bytes)
            }
            let answer = try await probe(server.url)
            #expect(answer.status == 1)
            #expect(answer.errors.contains("HTTP status 200"))
        }

        @Test("SSL_CERT_FILE of the environment is trusted", .enabled(if: TLSProxy.canRun))
        func certificates() async throws {
            let server = TestServer { if $0.open() { $0.echo() } }
            let proxy = try TLSProxy(.good, to: server.port)
            defer { proxy.stop() }
            let url = "wss://localhost:\(proxy.port)/v1/ws"
            let trusted = try await probe(url, ["SSL_CERT_FILE": TLSProxy.authority])
            #expect(trusted.status == 0, "\(trusted.errors)")
            let untrusted = try await probe(url)
            #expect(untrusted.status == 1)
            #expect(untrusted.errors.contains("unable to get local issuer certificate"))
        }

        @Test("https_proxy tunnels wss, and TLS is with the relay itself", .enabled(if: TLSProxy.canRun))
        func secureThroughProxy() async throws {
            let server = TestServer { if $0.open() { $0.echo() } }
            let tls = try TLSProxy(.good, to: server.port)
            defer { tls.stop() }
            let asked = Seen()
            let proxy = TestServer { peer in
                guard let head = peer.request() else { return }
                asked.append(.text(head.firstLine))
                peer.write(Array("HTTP/1.1 200 OK\r\n\r\n".utf8))
                peer.tunnel(to: tls.port)
            }
            var environment = ["SSL_CERT_FILE": TLSProxy.authority]
            environment["https_proxy"] = "http://127.0.0.1:\(proxy.port)"
            // It would serve ws only.
            environment["http_proxy"] = "http://127.0.0.1:1"
            let answer = try await probe("wss://localhost:\(tls.port)/v1/ws", environment)
            #expect(answer.status == 0, "\(answer.errors)")
            asked.finish()
            #expect(await asked.all() == [.text("CONNECT localhost:\(tls.port) HTTP/1.1")])
        }

        @Test("A proxy that refuses, and one that is not there, are named as what is wrong")
        func proxyFaults() async throws {
            let proxy = TestServer { peer in
                _ = peer.request()
                peer.write(HTTPAnswer(status: 403).bytes)
            }
            let refused = try await probe("ws://127.0.0.1:9/", ["http_proxy": "http://127.0.0.1:\(proxy.port)"])
            #expect(refused.status == 1)
            #expect(refused.errors.contains("403"), "\(refused.errors)")
            let missing = try await probe("ws://127.0.0.1:9/", ["http_proxy": "http://nowhere.invalid:3128"])
            #expect(missing.status == 1)
            #expect(missing.errors.contains("nowhere.invalid"), "\(missing.errors)")
        }

        @Test(
            "A proxy of the environment tunnels; NO_PROXY goes by it",
            arguments: ["http_proxy", "all_proxy", "no_proxy"]
        )
        func proxies(name: String) async throws {
            let server = TestServer { if $0.open() { $0.echo() } }
            let asked = Seen()
            let proxy = TestServer { peer in
                guard let head = peer.request() else { return }
                asked.append(.text(head.firstLine))
                peer.write(Array("HTTP/1.1 200 OK\r\n\r\n".utf8))
                peer.tunnel(to: server.port)
            }
            var environment = [name == "no_proxy" ? "http_proxy" : name: "http://127.0.0.1:\(proxy.port)"]
            if name == "no_proxy" { environment["no_proxy"] = "127.0.0.1" }
            let answer = try await probe(server.url, environment)
            #expect(answer.status == 0, "\(answer.errors)")
            #expect(asked.count == (name == "no_proxy" ? 0 : 1))
        }
    }
#endif
