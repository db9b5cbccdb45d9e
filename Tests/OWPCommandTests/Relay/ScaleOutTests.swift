// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OWPCore
import OWPRelayCheck
import OpenWatchParty
import Testing

/// Section 10 of the protocol with programs: two relays that share nothing but the list.
@Suite("Two relays in one list", .serialized)
@MainActor
struct ScaleOutTests {
    private let halves = [String(codeAlphabet.prefix(16)), String(codeAlphabet.dropFirst(16))]

    private func relays(_ options: [[String]] = [[], []]) async throws -> [RelayProgram] {
        [
            try await RelayProgram(["--prefixes", halves[0]] + options[0]),
            try await RelayProgram(["--prefixes", halves[1]] + options[1]),
        ]
    }

    /// The list of both; it is never fetched.
    private func list(_ programs: [RelayProgram]) -> Relays {
        struct NoList: Error {}
        let entries = zip(["one", "two"], zip(programs, halves)).map { id, entry in
            Relay(id: id, name: id, url: "ws://127.0.0.1:\(entry.0.port)/v1/ws", prefixes: entry.1)
        }
        return Relays.fetched(entries, httpGet: { _ in throw NoList() }, clock: SystemClock())
    }

    private func party(_ relays: Relays, _ name: String = "Anna") throws -> WatchParty<String> {
        try WatchParty(relays: relays, client: "Test/1.0", name: name, resolver: Resolver { _ in [] })
    }

    /// Whether a relay has a room, asked past the list.
    private func has(_ relay: RelayProgram, _ code: String) throws -> Bool {
        let client = try BlockingClient(webSocketAt: relay.port)
        try client.send(.join(code: code, name: "Look", client: "check/1", create: false))
        let isThere = try client.next("an answer") { message -> Bool? in
            switch message {
            case .joined: true
            case .error(let error): error.code == "room_not_found" ? false : nil
            default: nil
            }
        }
        if isThere { try client.send(.leave) }
        try client.send(.ping(id: 1))
        _ = try client.nextPong()
        return isThere
    }

    @Test("A code's first symbol names its relay, whoever makes the room and whoever joins it")
    func routing() async throws {
        let programs = try await relays()
        let list = list(programs)
        for (place, code) in ["\(halves[0].suffix(1))22222", "\(halves[1].prefix(1))22222"].enumerated() {
            let host = try party(list)
            try await host.join(code, create: true)
            #expect(list.relayFor(code)?.id == ["one", "two"][place])
            #expect(try has(programs[place], code))
            #expect(try !has(programs[1 - place], code))
            let guest = try party(list, "Ben")
            try await guest.join(code)
            #expect(guest.state.room?.participants.first?.name == "Anna")
            await guest.close().value
            await host.close().value
        }
    }

    @Test("A create races both: its room stands at the relay of its code, and nothing stays behind at the other")
    func racing() async throws {
        let programs = try await relays()
        let list = list(programs)
        var parties: [WatchParty<String>] = []
        for _ in 0..<10 {
            let party = try party(list)
            let code = try await party.create()
            let owner = try #require(list.relayFor(code)?.id == "one" ? programs.first : programs.last)
            #expect(try has(owner, code))
            parties.append(party)
        }
        for party in parties { await party.close().value }
        // Each room ended with its only participant, so whatever is left now was left behind.
        #expect(await eventually { programs.allSatisfy { (try? $0.metric("rooms")) == 0 } })
        #expect(try programs.reduce(0) { $0 + (try $1.metric("rooms_total") ?? 0) } == 10)
    }

    @Test("While one relay is full, rooms go to the other; when both are, the call says so")
    func full() async throws {
        let programs = try await relays([["--max-rooms", "1"], ["--max-rooms", "3"]])
        let list = list(programs)
        let occupant = try BlockingClient(webSocketAt: programs[0].port)
        #expect(halves[0].contains(try occupant.create().code.prefix(1)))
        var parties: [WatchParty<String>] = []
        for _ in 0..<3 {
            let party = try party(list)
            #expect(halves[1].contains(try await party.create().prefix(1)))
            parties.append(party)
        }
        let late = try party(list)
        let error = await #expect(throws: PartyError.self) { try await late.create() }
        #expect(error?.code == .relayFull)
        for party in parties { await party.close().value }
    }

    @Test("While one relay is down, the other goes on; those of the first resume once it is back")
    func down() async throws {
        let folder = try TestFolder()
        let programs = try await relays([["--state-dir", folder.path + "/state"], []])
        let list = list(programs)
        let codes = ["\(halves[0].prefix(1))33333", "\(halves[1].prefix(1))33333"]
        let parties = [try party(list), try party(list)]
        for (party, code) in zip(parties, codes) { try await party.join(code, create: true) }
        let state = folder.path + "/state/rooms.state"
        #expect(await eventually { (try? String(contentsOfFile: state, encoding: .utf8))?.contains(codes[0]) == true })
        await programs[0].end(SIGKILL)
        #expect(await eventually { parties[0].state.connection == .reconnecting })
        let maker = try party(list)
        #expect(halves[1].contains(try await maker.create().prefix(1)))
        let guest = try party(list)
        let error = await #expect(throws: PartyError.self) { try await guest.join(codes[0]) }
        #expect(error?.code == .unreachable)
        #expect(parties[1].state.connection == .connected)

        let again = try await RelayProgram(
            ["--prefixes", halves[0], "--state-dir", folder.path + "/state"],
            port: programs[0].port
        )
        #expect(await eventually { parties[0].state.connection == .connected })
        #expect(parties[0].state.peerId == "p1")
        for party in parties + [maker] { await party.close().value }
        await again.end()
    }
}
