// OpenWatchParty for Swift. See LICENSE.

#if os(macOS) || os(Linux)
    import OWPTestSupport
    import OpenWatchParty
    import Testing

    /// Field reports that need a real relay and two parties; the scenarios of section 17 are in `IntegrationTests`.
    @Suite("Field reports against a relay", .serialized)
    @MainActor
    struct EndToEndTests {
        @Test("FR-11: reusing a code always yields exactly one host, who may hand the role on")
        func oneHost() async throws {
            let relay = try RelayHarness()
            defer { relay.stop() }
            let first = try relay.party("Anna")
            let second = try relay.party("Ben")
            let code = try await first.create()
            try first.end()
            try await eventually("the room has ended") { first.state.connection == .ended }
            let typed = "\(code.prefix(3).lowercased())-\(code.suffix(3).lowercased()) "
            try await first.join(typed, create: true)
            try await second.join(typed, create: true)
            #expect(first.state.isHost)
            #expect(!second.state.isHost)
            try await eventually("the host sees the other") { first.state.room?.participants.count == 2 }
            let streams = [first.events(), second.events()]
            try first.transferHost(try #require(second.state.peerId))
            try await eventually("the role has moved") { second.state.isHost && !first.state.isHost }
            let firstId = first.state.peerId
            await first.close().value
            await second.close().value
            for stream in streams {
                var by: [String?] = []
                for await event in stream {
                    if let action = event as? ActionEvent, action.kind == "host" { by.append(action.byPeerId) }
                }
                #expect(by.first == firstId)
            }
        }

        @Test("FR-17: two parties that both return from join list each other")
        func bothListed() async throws {
            let relay = try RelayHarness()
            defer { relay.stop() }
            let host = try relay.party("Anna")
            let guests = [try relay.party("Ben"), try relay.party("Cleo")]
            let code = try await host.create()
            for guest in guests { try await guest.join(code) }
            try await eventually("all list all", limitMs: 2000) {
                (guests + [host]).allSatisfy { $0.state.room?.participants.map(\.name) == ["Anna", "Ben", "Cleo"] }
            }
            for party in guests + [host] { await party.close().value }
        }

        @Test("FR-18: a quiet paused room stays connected through a proxy that cuts what is silent for 8 s")
        func quietRoom() async throws {
            let relay = try RelayHarness()
            defer { relay.stop() }
            var faults = TcpProxy.Faults()
            // Less than two pings are apart, and a margin for a machine that is busy.
            faults.idleLimitMs = 8000
            let proxy = TcpProxy(to: relay.port, faults: faults)
            defer { proxy.stop() }
            let parties = try ["Anna", "Ben"].map { try relay.party($0, through: "http://127.0.0.1:\(proxy.port)") }
            let states = parties.map { $0.states() }
            try await parties[1].join(try await parties[0].create())
            try parties[0].setMedia(IntegrationTests.film, ref: "film")
            try await eventually("the room has it") { parties[0].state.media != nil }
            try parties[0].pause()
            try await eventually("the room is paused") { parties.allSatisfy { $0.state.room?.phase == .paused } }
            // Pings leave at 0, 500, 1000, 5000, 10000, 15000 and 20000: none may be missing.
            let clock = SystemClock()
            try await eventually("three times the limit has passed") { clock.nowMs() > 24_500 }
            #expect(proxy.connectionCount == 2)
            for party in parties { await party.close().value }
            for stream in states {
                for await state in stream { #expect(state.connection != .reconnecting) }
            }
        }

        @Test("An unknown code is room_not_found, and a relay that is not there is unreachable")
        func refusals() async throws {
            let relay = try RelayHarness()
            let party = try relay.party("Anna")
            let missing = await #expect(throws: PartyError.self) { try await party.join("222222") }
            #expect(missing?.code == .roomNotFound)
            relay.stop()
            let gone = await #expect(throws: PartyError.self) { _ = try await party.create() }
            #expect(gone?.code == .unreachable)
            #expect(gone?.underlying != nil)
            #expect(party.state.connection == .idle)
            await party.close().value
        }
    }
#endif
