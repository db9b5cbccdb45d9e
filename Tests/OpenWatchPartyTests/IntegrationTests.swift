// OpenWatchParty for Swift. See LICENSE.

#if os(macOS) || os(Linux)
    import OWPTestSupport
    import OpenWatchParty
    import Testing

    /// The four scenarios of section 17: whole parties with the default transport, against a real relay.
    @Suite("Scenarios against a relay (section 17)", .serialized)
    @MainActor
    struct IntegrationTests {
        static let film = Media(kind: .movie, title: "Heat", durationMs: 7_200_000, year: 1995)

        @Test("1: create, and join with a typed code; the host ends the room, and its join with create makes it again")
        func enters() async throws {
            let relay = try RelayHarness()
            defer { relay.stop() }
            let host = try relay.party("Anna")
            let guest = try relay.party("Ben")
            let code = try await host.create()
            let typed = " " + code.prefix(3).lowercased() + "-" + code.suffix(3).lowercased()
            try await guest.join(typed)
            #expect(host.state.isHost)
            #expect(!guest.state.isHost)
            try await eventually("both list each other") {
                [host, guest].allSatisfy { $0.state.room?.participants.map(\.name) == ["Anna", "Ben"] }
            }
            try host.end()
            try await eventually("the room has ended for both") {
                [host, guest].allSatisfy { $0.state.endReason == .ended }
            }
            await #expect(throws: PartyError.self) { try await guest.join(typed) }
            try await host.join(typed, create: true)
            #expect(host.state.isHost)
            #expect(host.state.room?.code == code)
            try await guest.join(typed, create: true)
            #expect(!guest.state.isHost)
            await host.close().value
            await guest.close().value
        }

        @Test("2: setMedia: the other's resolver matches, both are ready, the room plays and both players follow")
        func plays() async throws {
            let relay = try RelayHarness()
            defer { relay.stop() }
            let watchers = try await Watchers(relay)
            try await eventually("the room plays at a common position") { watchers.playInStep }
            #expect(watchers.guest.state.match == Match(state: .matched, deltaMs: 900))
            #expect(watchers.host.state.room?.participants.map(\.player) == [.ready, .ready])
            await watchers.close()
        }

        @Test("3: pause, seek and setRate reach the other player")
        func commands() async throws {
            let relay = try RelayHarness()
            defer { relay.stop() }
            let watchers = try await Watchers(relay)
            try await eventually("the room plays") { watchers.playInStep }
            try watchers.host.setControl(.everyone)
            try watchers.host.setRate(1.25)
            try await eventually("both play at 1.25") { watchers.players.allSatisfy { abs($0.rate - 1.25) < 0.1 } }
            try watchers.host.seek(to: 3_600_000)
            try await eventually("both play at the new position") {
                watchers.playInStep && watchers.players.allSatisfy { $0.positionMs >= 3_600_000 }
            }
            try await eventually("the guest may control") { watchers.guest.state.canControl }
            try watchers.guest.pause()
            try await eventually("both stand still at the room's position") {
                watchers.players.allSatisfy { $0.paused } && watchers.host.state.room?.phase == .paused
                    && watchers.players.allSatisfy { abs($0.positionMs - (watchers.host.roomPositionMs() ?? 0)) <= 500 }
            }
            await watchers.close()
        }

        @Test("4: a dropped connection is resumed as the same participant")
        func resumes() async throws {
            let relay = try RelayHarness()
            defer { relay.stop() }
            let proxy = TcpProxy(to: relay.port)
            defer { proxy.stop() }
            let watchers = try await Watchers(relay, guestThrough: "http://127.0.0.1:\(proxy.port)")
            try await eventually("the room plays") { watchers.playInStep }
            let peerId = watchers.guest.state.peerId
            let events = watchers.host.events()
            proxy.cut()
            try await eventually("the drop is noticed") { watchers.guest.state.connection == .reconnecting }
            try await eventually("the session is resumed") { watchers.guest.state.connection == .connected }
            #expect(watchers.guest.state.peerId == peerId)
            try await eventually("the host sees it connected") {
                watchers.host.state.room?.participants.map(\.connected) == [true, true]
            }
            try await eventually("both play in step") { watchers.playInStep }
            await watchers.close()
            for await event in events { #expect(!(event is ParticipantLeftEvent)) }
        }

        @Test("4: both resume into the saved room of a relay that was killed and restarted on its state")
        func resumesAfterRestart() async throws {
            let relay = try RelayHarness(keepsState: true)
            defer { relay.stop() }
            let watchers = try await Watchers(relay)
            try await eventually("the room plays") { watchers.playInStep }
            let peerIds = watchers.parties.map(\.state.peerId)
            let positionMs = watchers.players[0].positionMs
            // A room is saved within 1000 ms of its change.
            try await eventually("the room has played on for 2 s") {
                watchers.players[0].positionMs > positionMs + 2000
            }
            try relay.killAndRestart()
            try await eventually("both notice the drop") {
                watchers.parties.allSatisfy { $0.state.connection == .reconnecting }
            }
            try await eventually("both resume") { watchers.parties.allSatisfy { $0.state.connection == .connected } }
            #expect(watchers.parties.map(\.state.peerId) == peerIds)
            try await eventually("both play in step") { watchers.playInStep }
            #expect(watchers.players.allSatisfy { $0.positionMs > positionMs + 2000 })
            await watchers.close()
        }
    }

    /// A host who shares a film and a guest who has a copy 900 ms longer, each with a player.
    @MainActor
    private final class Watchers {
        let host: WatchParty<String>
        let guest: WatchParty<String>
        let players = [LivePlayer(), LivePlayer()]
        var parties: [WatchParty<String>] { [host, guest] }

        init(_ relay: RelayHarness, guestThrough baseURL: String? = nil) async throws {
            let copy = Candidate(id: "copy", ref: "/guest/heat.mkv", durationMs: 7_200_900)
            host = try relay.party("Anna")
            guest = try relay.party("Ben", through: baseURL, files: [copy])
            let code = try await host.create()
            try await guest.join(code)
            try host.setMedia(IntegrationTests.film, ref: "/host/heat.mkv")
            host.attachPlayer(players[0], ref: "/host/heat.mkv")
            try await eventually("the guest finds its copy") { guest.state.choice?.id == "copy" }
            guest.attachPlayer(players[1], ref: "/guest/heat.mkv")
        }

        /// Whether both players play within 350 ms of the room, as each party knows it.
        var playInStep: Bool {
            zip(parties, players).allSatisfy { party, player in
                guard !player.paused, party.state.room?.phase == .playing, let roomMs = party.roomPositionMs() else {
                    return false
                }
                return abs(player.positionMs - roomMs) <= 350
            }
        }

        func close() async {
            await host.close().value
            await guest.close().value
        }
    }
#endif
