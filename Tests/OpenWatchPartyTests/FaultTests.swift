// OpenWatchParty for Swift. See LICENSE.

#if canImport(Glibc)
    import OWPRelay
    import OWPTestSupport
    import OWPWire
    import Testing

    @testable import OpenWatchParty

    /// Whole parties with the default transport, one test after the other, in the process that `FaultProcessTests` starts.
    @Suite(
        .serialized,
        .enabled(if: FaultProcess.isThis, "they run in a process of their own, which FaultProcessTests starts")
    )
    @MainActor
    struct FaultTests {
        /// What was open before the test.
        private let before: OpenResources
        let relay: EmbeddedRelay

        init() async throws {
            try await FaultProcess.prepare()
            before = OpenResources()
            relay = try Self.startRelay()
        }

        @Test("What a party has open is seen, and gone when it has closed")
        func counting() async throws {
            try await withParty(at: relay.baseURL) { party in
                _ = try await party.create()
                let open = OpenResources().added(since: before)
                for kind in ["OWPWebSocket", "OWPRelay", "socket:"] {
                    #expect(open.contains { $0.contains(kind) }, "\(open)")
                }
            }
            try await finish()
        }

        @Test(
            "Delay and jitter, and one byte at a time: the party enters, commands and stays",
            arguments: [true, false]
        )
        func slow(isBytewise: Bool) async throws {
            var faults = TcpProxy.Faults()
            if isBytewise { faults.isBytewise = true } else { (faults.delayMs, faults.jitterMs) = (40, 60) }
            let proxy = TcpProxy(to: relay.port, faults: faults)
            try await withParty(at: url(proxy)) { party in
                var states: [Connection] = []
                let code = try await party.create()
                party.observer = { if case .state(let state) = $0 { states.append(state.connection) } }
                try await withParty(at: relay.baseURL) { guest in
                    try await guest.join(code)
                    try await eventually("the guest is seen") { party.state.room?.participants.count == 2 }
                    for isLocked in [true, false, true] {
                        try party.lock(isLocked)
                        try await eventually("the guest follows") { guest.state.room?.locked == isLocked }
                    }
                }
                #expect(states.allSatisfy { $0 == .connected })
            }
            proxy.stop()
            try await finish()
        }

        @Test("A cut, in order or with a RST: noticed at once and resumed", arguments: [true, false])
        func cut(isReset: Bool) async throws {
            let proxy = TcpProxy(to: relay.port)
            try await withParty(at: url(proxy)) { party in
                _ = try await party.create()
                let peerId = party.state.peerId
                var drops = 0
                var last = Connection.connected
                party.observer = { output in
                    guard case .state(let state) = output, state.connection != last else { return }
                    last = state.connection
                    if last == .reconnecting { drops += 1 }
                }
                for round in 1...3 {
                    if isReset { proxy.reset() } else { proxy.cut() }
                    try await eventually("noticed", limitMs: 1000) { drops == round }
                    try await eventually("resumed", limitMs: 5000) { party.state.connection == .connected }
                    #expect(party.state.peerId == peerId)
                }
            }
            proxy.stop()
            try await finish()
        }

        @Test("A cut while opening, in order or with a RST, is unreachable at once", arguments: [true, false])
        func cutWhileOpening(isReset: Bool) async throws {
            var faults = TcpProxy.Faults()
            faults.isHalfOpen = true
            let proxy = TcpProxy(to: relay.port, faults: faults)
            try await withParty(at: url(proxy)) { party in
                let cutting = Task {
                    try await eventually("it opens") { proxy.connectionCount > 0 }
                    if isReset { proxy.reset() } else { proxy.cut() }
                }
                await expectUnreachable(party, withinMs: 0...5000)
                try await cutting.value
                proxy.faults = TcpProxy.Faults()
                _ = try await party.create()
            }
            proxy.stop()
            try await finish()
        }

        @Test("A connection half open from the start is unreachable after 10 s")
        func halfOpenFromTheStart() async throws {
            var faults = TcpProxy.Faults()
            faults.isHalfOpen = true
            let proxy = TcpProxy(to: relay.port, faults: faults)
            try await withParty(at: url(proxy)) { party in
                await expectUnreachable(party, withinMs: 10_000...11_000)
                try await eventually("its connection is given up") { proxy.connectionCount == 1 }
                proxy.faults = TcpProxy.Faults()
                _ = try await party.create()
            }
            proxy.stop()
            try await finish()
        }

        @Test("A connection that gets half open is dropped after 15 s of silence, and resumed when it can be")
        func halfOpen() async throws {
            let proxy = TcpProxy(to: relay.port)
            try await withParty(at: url(proxy)) { party in
                _ = try await party.create()
                let peerId = party.state.peerId
                let clock = SystemClock()
                proxy.faults.isHalfOpen = true
                try await eventually("dropped") { party.state.connection == .reconnecting }
                // The silence began with the last pong, up to 5 s earlier.
                #expect((10_000...16_000).contains(clock.nowMs()))
                proxy.faults.isHalfOpen = false
                try await eventually("resumed") { party.state.connection == .connected }
                #expect(party.state.peerId == peerId)
            }
            proxy.stop()
            try await finish()
        }

        @Test("A party that closes while its connection is half open leaves nothing behind")
        func closeHalfOpen() async throws {
            let proxy = TcpProxy(to: relay.port)
            try await withParty(at: url(proxy)) { party in
                _ = try await party.create()
                proxy.faults.isHalfOpen = true
            }
            proxy.stop()
            try await finish()
        }

        /// The length of the relay's answer to the handshake; the head of the first frame follows.
        private nonisolated static let answer = 129

        @Test(
            "A corrupted byte of the handshake's answer or of a frame's head: unreachable at once, and no resume",
            arguments: [9, answer - 6, answer]
        )
        func corrupted(byte: Int) async throws {
            var faults = TcpProxy.Faults()
            faults.corruptedByte = byte
            let proxy = TcpProxy(to: relay.port, faults: faults)
            var attempts = 0
            let connect: WebSocketConnect = { url in
                attempts += 1
                return try await urlSessionConnect(url)
            }
            try await withParty(at: url(proxy), connect: connect) { party in
                await expectUnreachable(party, withinMs: 0...5000)
                proxy.faults = TcpProxy.Faults()
                _ = try await party.create()
                attempts = 0
                proxy.faults = faults
                proxy.cut()
                try await eventually("the second attempt has failed") { attempts == 3 }
                #expect(party.state.connection == .reconnecting)
                proxy.faults = TcpProxy.Faults()
                try await eventually("resumed") { party.state.connection == .connected }
            }
            proxy.stop()
            try await finish()
        }

        @Test("A corrupted byte of a text makes it no message: no answer within 10 s")
        func corruptedText() async throws {
            var faults = TcpProxy.Faults()
            // The first answer is the first ping's; the head of the next frame is 4 bytes, since `joined` is longer than 125.
            let pong = RelayMessage.pong(id: 1, serverTimeMs: 1_800_000_000_000).text
            faults.corruptedByte = Self.answer + 2 + pong.utf8.count + 4
            let proxy = TcpProxy(to: relay.port, faults: faults)
            try await withParty(at: url(proxy)) { await expectUnreachable($0, withinMs: 10_000...11_000) }
            proxy.stop()
            try await finish()
        }
    }

    // MARK: What the tests share

    extension FaultTests {
        /// A relay with its own waiting times, on a free port or a given one.
        static func startRelay(port: Int = 0) throws -> EmbeddedRelay {
            var configuration = RelayConfiguration()
            configuration.port = port
            (configuration.maxConnectionsPerIP, configuration.maxRoomsPerIP) = (1000, 1000)
            configuration.messagesPerSecond = 1000
            return try EmbeddedRelay.start(configuration)
        }

        func url(_ proxy: TcpProxy) -> String { "http://127.0.0.1:\(proxy.port)" }

        /// Ends the relay, and waits until no descriptor or thread is left of the test.
        func finish() async throws {
            relay.stop()
            var left: [String] = []
            do {
                try await eventually("nothing is left", limitMs: 10_000) {
                    left = OpenResources().added(since: before)
                    return left.isEmpty
                }
            } catch {
                Issue.record("left: \(left)")
                throw error
            }
        }

        /// Lets a party do something, closes it, and waits until nothing holds its driver any more: every task and timer
        /// of a party does while it runs.
        func withParty(
            at url: String,
            connect: WebSocketConnect? = nil,
            _ body: (WatchParty<String>) async throws -> Void
        ) async throws {
            weak var driver: PartyDriver<String>?
            do {
                let party = try WatchParty<String>(
                    relays: .at(url),
                    client: "Test/1.0",
                    name: "Anna",
                    connect: connect
                )
                driver = party.driver
                defer { party.close() }
                try await body(party)
                party.observer = nil
                await party.close().value
            }
            try await eventually("no task of the party is left") { driver == nil }
        }

        /// Expects that `create` fails as unreachable within some time, and that the party is as before.
        func expectUnreachable(
            _ party: WatchParty<String>,
            withinMs range: ClosedRange<Int64>,
            at location: SourceLocation = #_sourceLocation
        ) async {
            var states: [Connection] = []
            var events: [any PartyEvent] = []
            party.observer = {
                switch $0 {
                case .state(let state): states.append(state.connection)
                case .event(let event): events.append(event)
                }
            }
            let clock = SystemClock()
            let error = await #expect(throws: PartyError.self, sourceLocation: location) {
                _ = try await party.create()
            }
            let tookMs = clock.nowMs()
            #expect(range.contains(tookMs), sourceLocation: location)
            #expect(error?.code == .unreachable, sourceLocation: location)
            #expect(states == [.connecting, .idle], sourceLocation: location)
            #expect(events.isEmpty, sourceLocation: location)
            party.observer = nil
        }
    }
#endif
