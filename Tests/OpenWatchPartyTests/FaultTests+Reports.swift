// OpenWatchParty for Swift. See LICENSE.

#if canImport(Glibc)
    import Foundation
    import OWPRelay
    import OWPTestSupport
    import OWPWebSocket
    import OWPWire
    import OpenWatchParty
    import Testing

    /// The field reports of the transport, with whole parties.
    extension FaultTests {
        /// What a server does with a party's first connection; it passes the next ones on to the relay.
        enum Unreachable: String, CaseIterable, Sendable {
            case closedPort, silent, unanswered, refused, noName
        }

        @Test(
            "FR-16: an unreachable relay is reported in bounded time, and the next create works",
            arguments: Unreachable.allCases
        )
        func unreachable(kind: Unreachable) async throws {
            let first = Requests()
            let server = TestServer { [port = relay.port] peer in
                guard first.all.isEmpty else { return peer.tunnel(to: port) }
                first.add("")
                switch kind {
                case .unanswered:
                    peer.open()
                    while peer.event() != nil {}
                case .refused:
                    _ = peer.request()
                    peer.write(HTTPAnswer(status: 503).bytes)
                default: peer.drain()
                }
            }
            switch kind {
            case .closedPort:
                let port = relay.port
                relay.stop()
                try await withParty(at: relay.baseURL) { party in
                    await expectUnreachable(party, withinMs: 0...5000)
                    let again = try Self.startRelay(port: port)
                    _ = try await party.create()
                    again.stop()
                }
            case .noName:
                var attempts = 0
                let connect: WebSocketConnect = { [url = "ws://127.0.0.1:\(relay.port)/v1/ws"] given in
                    // The name gets an address before the second attempt.
                    attempts += 1
                    return try await urlSessionConnect(attempts == 1 ? given : url)
                }
                try await withParty(at: "https://nowhere.invalid", connect: connect) {
                    await expectUnreachable($0, withinMs: 0...11_000)
                    _ = try await $0.create()
                }
            case .silent, .unanswered, .refused:
                try await withParty(at: server.baseURL) {
                    await expectUnreachable($0, withinMs: kind == .refused ? 0...5000 : 10_000...11_000)
                    _ = try await $0.create()
                }
            }
            server.stop()
            try await finish()
        }

        /// The `room` with a `rev` as text of some bytes, the last of which are a character of 4 bytes in a string.
        private nonisolated static func room(rev: Int64, count: Int) -> [UInt8] {
            let message = RelayMessage.room(
                RoomMessage(room: ScriptedRelay.room(rev: rev), action: RoomAction(kind: "lock", by: "a1"))
            )
            let start = message.text.dropLast() + ",\"later\":\""
            let padding = String(repeating: "a", count: count - start.utf8.count - 6)
            return Array((start + padding + "\u{1F600}\"}").utf8)
        }

        /// How a server sends one text.
        private enum Cut: CaseIterable {
            case smallWrites, oneWrite, fragments, fragmentsAndPings, splitCharacter

            func send(_ bytes: [UInt8], to peer: TestPeer, pauseMs: UInt32) {
                let quarter = bytes.count / 4
                func fragments(then next: [UInt8] = []) {
                    for index in 0..<4 {
                        let piece = bytes[(index * quarter)..<(index == 3 ? bytes.count : (index + 1) * quarter)]
                        peer.write(frame(index == 0 ? 0x01 : index == 3 ? 0x80 : 0x00, piece) + (index < 3 ? next : []))
                    }
                }
                switch self {
                case .smallWrites: peer.write(frame(0x81, bytes[...]), pieces: 1000, pauseMs: pauseMs)
                case .oneWrite: peer.write(frame(0x81, bytes[...]))
                case .fragments: fragments()
                case .fragmentsAndPings: fragments(then: frame(0x89, [1]))
                case .splitCharacter:
                    // The text's last 6 bytes are a character of 4 bytes, a quotation mark and a brace.
                    let place = bytes.count - 4
                    peer.write(frame(0x01, bytes[..<place]) + frame(0x80, bytes[place...]))
                }
            }
        }

        @Test("FR-35: one room message in, one accepted, however it is cut", arguments: [16_384, 60_000])
        func wholeMessages(count: Int) async throws {
            let repetitions: Int64 = 1000
            let server = ScriptedRelay { peer, _ in
                let cuts = Cut.allCases
                for index in 0..<repetitions {
                    let bytes = Self.room(rev: 2 + index, count: count)
                    // Each cut once at the pace of the report; the many after it as fast as they go.
                    let pauseMs: UInt32 = index < cuts.count ? 5 : 0
                    cuts[Int(index) % cuts.count].send(bytes, to: peer, pauseMs: pauseMs)
                }
                ScriptedRelay.serve(peer)
            }
            try await withParty(at: server.baseURL) { party in
                var revs: [Int64] = []
                var actions = 0
                party.observer = {
                    switch $0 {
                    case .state(let state): revs.append(state.room?.rev ?? 0)
                    case .event(let event): actions += event is ActionEvent ? 1 : 0
                    }
                }
                _ = try await party.create()
                try await eventually("all have come", limitMs: 120_000) { party.state.room?.rev == 1 + repetitions }
                #expect(revs.filter { $0 > 1 } == Array(2...(1 + repetitions)))
                #expect(actions == Int(repetitions))
                #expect(party.state.connection == .connected)
                #expect(server.requests.all == ["create"])
            }
            server.stop()
            try await finish()
        }

        @Test("FR-36: status 4000 ends, every other reconnects", arguments: [4000, 1000, 1001, 1007, 1009, 4001, nil])
        func closeStatus(status: Int?) async throws {
            let closes = Requests()
            weak var released: LivePlayer?
            let server = ScriptedRelay { peer, type in
                if type == "create" {
                    guard ScriptedRelay.next(peer) != nil else { return }
                    peer.close(status)
                    while let event = peer.event() { if case .closed = event { return } }
                    return
                }
                while let event = peer.event() {
                    switch event {
                    case .text(let text):
                        guard case .ping(let id) = try? ClientMessage(parsing: text) else { continue }
                        peer.send(RelayMessage.pong(id: id, serverTimeMs: 1000).text)
                    case .closed(let close): return closes.add("\(close.code ?? 0)")
                    default: break
                    }
                }
            }
            try await withParty(at: server.baseURL) { party in
                var connections: [Connection] = []
                var ends: [EndedEvent] = []
                party.observer = {
                    switch $0 {
                    case .state(let state):
                        if connections.last != state.connection { connections.append(state.connection) }
                    case .event(let event): if let event = event as? EndedEvent { ends.append(event) }
                    }
                }
                do {
                    let player = LivePlayer()
                    released = player
                    party.attachPlayer(player, ref: "file")
                }
                _ = try await party.create()
                if status == 4000 {
                    try await eventually("ended") { party.state.connection == .ended }
                    #expect(party.state.endReason == .replaced)
                    try await eventually("the adapter is released") { released == nil }
                    #expect(ends.map(\.reason) == [.replaced])
                    #expect(connections == [.connecting, .connected, .ended])
                    #expect(server.requests.all == ["create"])
                } else {
                    try await eventually("resumed") { connections.count == 4 }
                    #expect(released != nil)
                    #expect(connections == [.connecting, .connected, .reconnecting, .connected])
                    #expect(ends.isEmpty)
                    #expect(server.requests.all == ["create", "resume"])
                }
            }
            try await eventually("the adapter is released") { released == nil }
            if status != 4000 {
                try await eventually("the party's own close has come") { !closes.all.isEmpty }
                #expect(closes.all == ["1000"])
            }
            server.stop()
            try await finish()
        }

        @Test("FR-37: the default transport works, refuses, is cancelled and does so a hundred times, without a trap")
        func neverTraps() async throws {
            let server = TestServer { peer in
                _ = peer.request()
                peer.write(HTTPAnswer(status: 200).bytes)
            }
            try await withParty(at: server.baseURL) { await expectUnreachable($0, withinMs: 0...5000) }
            server.stop()
            let silent = TestServer { $0.drain() }
            try await withParty(at: silent.baseURL) { party in
                for _ in 0..<10 {
                    let entering = Task { _ = try await party.create() }
                    try await eventually("it connects") { party.state.connection == .connecting }
                    entering.cancel()
                    let result = await entering.result
                    #expect(throws: CancellationError.self) { try result.get() }
                    #expect(party.state.connection == .idle)
                }
            }
            silent.stop()
            try await withParty(at: relay.baseURL) { party in
                for _ in 0..<100 {
                    _ = try await party.create()
                    party.leave()
                }
            }
            try await finish()
        }

    }

    /// A frame of a server, of up to 65535 bytes.
    private func frame(_ first: UInt8, _ payload: ArraySlice<UInt8>) -> [UInt8] {
        let count = payload.count
        let length = count <= 125 ? [UInt8(count)] : [126, UInt8(count >> 8), UInt8(truncatingIfNeeded: count)]
        return [first] + length + payload
    }
#endif
