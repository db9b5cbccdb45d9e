// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OWPCore
import OWPTestSupport
import OWPWire
import Testing

@testable import OpenWatchParty

@Suite("The relay list (sections 3, 4 and 6)", .serialized)
@MainActor
struct RelayListTests {
    let clock = VirtualClock()
    let http: FakeHTTP
    let relays: Relays

    init() {
        http = FakeHTTP(clock: clock)
        relays = .public(httpGet: http.get, clock: clock)
    }

    /// A list whose relays are named `a`, `b`, …, each with its own prefixes.
    static func list(_ prefixes: String...) -> [Relay] {
        zip("abcdefgh", prefixes).map { name, prefixes in
            Relay(id: "\(name)", name: "\(name)", url: "wss://\(name).test/v1/ws", prefixes: prefixes)
        }
    }

    static func json(_ list: [Relay]) -> String {
        let entries = list.map { relay in
            JSONValue.object([
                "id": .string(relay.id), "name": .string(relay.name), "url": .string(relay.url),
                "prefixes": .string(relay.prefixes),
            ])
        }
        return (try? JSONValue.object(["relays": .array(entries)]).text) ?? ""
    }

    @Test("The compiled copy equals conformance/relays.json")
    func compiledCopy() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../conformance/relays.json")
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(readRelayList(text) == publicRelays)
        #expect(relays.list == publicRelays)
    }

    @Test("A valid answer replaces the list, an invalid or failed one does not, and refresh says which")
    func refresh() async {
        let valid = relays.startRefresh()
        await clock.settle()
        #expect(http.gets.calls.map(\.request) == ["https://openwatch.party/relays.json"])
        http.gets.calls[0].answer(Self.json(Self.list("K", "7")))
        await clock.settle()
        #expect((try? valid.result?.get()) == true)
        #expect(relays.list.map(\.id) == ["a", "b"])
        #expect(relays.relayFor("k7m-q2x")?.id == "a")
        #expect(relays.relayFor("ABCDEF") == nil)
        #expect(relays.relayFor("K7M") == nil)

        let invalid = relays.startRefresh()
        await clock.settle()
        http.gets.calls[1].answer(#"{"relays":[]}"#)
        await clock.settle()
        #expect((try? invalid.result?.get()) == false)

        let failed = relays.startRefresh()
        await clock.settle()
        http.gets.calls[2].fail(FakeRelay.Refused())
        await clock.settle()
        #expect((try? failed.result?.get()) == false)
        #expect(relays.list.map(\.id) == ["a", "b"])
        #expect(clock.timerCount == 0)
    }

    @Test("A GET is given up after 5000 ms even when the fetcher ignores its cancellation, and its answer is dropped")
    func timeout() async {
        http.gets.heedsCancellation = false
        let call = relays.startRefresh()
        await clock.advance(by: 4999)
        #expect(call.result == nil)
        await clock.advance(by: 1)
        #expect((try? call.result?.get()) == false)
        #expect(http.gets.calls[0].isCancelled)
        http.gets.calls[0].answer(Self.json(Self.list("K")))
        await clock.settle()
        #expect(relays.list == publicRelays)
    }

    @Test("A body of 65536 bytes of UTF-8 is taken, one of 65537 fails", arguments: [65_536, 65_537])
    func bodyLimit(bytes: Int) async {
        let text = Self.json(Self.list("K"))
        let body = #"{"é":""# + String(repeating: "x", count: bytes - text.utf8.count - 8) + #"","# + text.dropFirst()
        #expect(body.utf8.count == bytes)
        http.gets.automatic = { _ in .success(body) }
        let call = relays.startRefresh()
        await clock.settle()
        #expect((try? call.result?.get()) == (bytes == 65_536))
    }

    @Test("Two forced refreshes at once share one GET")
    func shared() async {
        let calls = [relays.startRefresh(), relays.startRefresh()]
        await clock.settle()
        #expect(http.gets.calls.count == 1)
        http.gets.calls[0].answer(Self.json(Self.list("K")))
        await clock.settle()
        #expect(calls.allSatisfy { (try? $0.result?.get()) == true })
    }

    @Test("A self-hosted relay is its own list, owns every code and fetches nothing (section 3.1)")
    func selfHosted() async throws {
        let own = try Relays.at("http://192.168.1.5:8080/owp//")
        let entry = Relay(
            id: "custom",
            name: "http://192.168.1.5:8080/owp",
            url: "ws://192.168.1.5:8080/owp/v1/ws",
            prefixes: "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
        )
        #expect(own.list == [entry])
        #expect(own.relayFor("k7m-q2x") == entry)
        #expect(own.relayFor("k7m-q2o") == nil)
        #expect(await own.refresh())
        for base in ["relay.test", "ftp://relay.test", "HTTPS://relay.test", "https://", "https:///x", "https://a b"] {
            let error = #expect(throws: PartyError.self) { try Relays.at(base) }
            #expect(error?.code == .invalidMessage)
        }
    }

    // MARK: With parties

    func party(_ relay: FakeRelay, _ relays: Relays) throws -> WatchParty<String> {
        try WatchParty(
            relays: relays,
            client: "Test/1",
            name: "Anna",
            connect: relay.connect,
            clock: clock,
            random: SeededRandom(seed: 1)
        )
    }

    @Test("A joined refreshes in the background: once, while none runs, not within 24 h of a success (section 3.3)")
    func background() async throws {
        let room = FakeRoom(clock: clock)
        let party = try party(room.relay, relays)
        func joinAndLeave() async {
            let call = party.startJoin("K7MQ2X")
            await clock.settle()
            #expect(call.failure == nil && call.result != nil)
            party.leave()
            await clock.settle()
        }
        await joinAndLeave()
        await joinAndLeave()
        #expect(http.gets.calls.count == 1)
        http.gets.calls[0].fail(FakeRelay.Refused())
        await clock.settle()
        await joinAndLeave()
        #expect(http.gets.calls.count == 2)
        http.gets.calls[1].answer(Self.json(publicRelays))
        await clock.settle()
        await clock.advance(by: 86_399_999)
        await joinAndLeave()
        #expect(http.gets.calls.count == 2)
        await clock.advance(by: 1)
        await joinAndLeave()
        #expect(http.gets.calls.count == 3)
    }

    @Test("One list serves all parties, with one schedule of refreshes, and lives in memory alone (section 3.1)")
    func serves() async throws {
        let room = FakeRoom(clock: clock)
        let parties = [try party(room.relay, relays), try party(room.relay, relays)]
        for party in parties {
            let call = party.startJoin("K7MQ2X")
            await clock.settle()
            #expect(call.failure == nil && call.result != nil)
        }
        #expect(http.gets.calls.count == 1)
        http.gets.calls[0].answer(Self.json(Self.list("K", "7")))
        await clock.settle()
        #expect(relays.list.map(\.id) == ["a", "b"])
        #expect(Relays.public(httpGet: http.get, clock: clock).list == publicRelays)
    }

    @Test("A room stays on its relay: a resume goes to the URL that was joined (sections 3.3 and 14)")
    func staysOnItsRelay() async throws {
        let room = FakeRoom(clock: clock)
        let relays = Relays.fetched(Self.list("K7"), httpGet: http.get, clock: clock)
        let party = try party(room.relay, relays)
        _ = party.startJoin("K7MQ2X")
        await clock.settle()
        http.gets.calls[0].answer(Self.json(Self.list("7", "K")))
        await clock.settle()
        #expect(relays.relayFor("K7MQ2X")?.id == "b")
        room.connection?.drop(code: 1001)
        await clock.advance(by: 1000)
        #expect(party.state.connection == .connected)
        #expect(room.relay.connections.map(\.url) == ["wss://a.test/v1/ws", "wss://a.test/v1/ws"])
        party.leave()
        _ = party.startJoin("K7MQ2X")
        await clock.settle()
        #expect(room.relay.connections.last?.url == "wss://b.test/v1/ws", "a later join takes the new list")
    }

    @Test("A code that no relay holds forces a refresh, and routes on the new list, or the old one (section 4.2)")
    func unknownSymbol() async throws {
        let room = FakeRoom(clock: clock)
        let relays = Relays.fetched(Self.list("7"), httpGet: http.get, clock: clock)
        let party = try party(room.relay, relays)
        let missing = party.startJoin("K7MQ2X")
        await clock.settle()
        #expect(room.relay.attempts.isEmpty)
        http.gets.calls[0].fail(FakeRelay.Refused())
        await clock.settle()
        #expect(missing.failure == .roomNotFound)

        let found = party.startJoin("K7MQ2X")
        await clock.settle()
        http.gets.calls[1].answer(Self.json(Self.list("7", "K")))
        await clock.settle()
        #expect(found.failure == nil && found.result != nil)
        #expect(room.relay.attempts.map(\.url) == ["wss://b.test/v1/ws"])
    }

    @Test("A room_not_found forces one refresh, and the join moves to the symbol's new URL once (section 4.2)")
    func movedSymbol() async throws {
        let room = FakeRoom(clock: clock)
        room.letsIn = false
        room.relay.opened = { connection in
            room.letsIn = connection.url.contains("b.test")
            if !room.letsIn {
                connection.push(.error(ErrorMessage(code: "room_not_found", message: "first", re: "join")))
            }
        }
        let relays = Relays.fetched(Self.list("K7"), httpGet: http.get, clock: clock)
        let party = try party(room.relay, relays)
        let call = party.startJoin("K7MQ2X")
        await clock.settle()
        #expect(call.result == nil)
        http.gets.calls[0].answer(Self.json(Self.list("7", "K")))
        await clock.settle()
        #expect(call.failure == nil && call.result != nil)
        #expect(room.relay.connections.map(\.url) == ["wss://a.test/v1/ws", "wss://b.test/v1/ws"])
        #expect(room.relay.connections[0].closedWith == 1000)
    }

    @Test("A create races the relays: the first accepted pong wins, and the others are closed (section 6)")
    func race() async throws {
        let room = FakeRoom(clock: clock)
        room.answersPings = false
        let relays = Relays.fetched(Self.list("7", "K", "M"), httpGet: http.get, clock: clock)
        let party = try party(room.relay, relays)
        let call = party.startCreate()
        await clock.advance(by: 30)
        #expect(room.relay.attempts.map(\.url) == relays.list.map(\.url))
        #expect(room.sent.isEmpty)
        room.relay.connections[1].push(.pong(id: 1, serverTimeMs: 5))
        await clock.settle()
        #expect(room.relay.connections.map(\.closedWith) == [1000, nil, 1000])
        #expect(room.relay.connections[1].messages.first == .create(name: "Anna", client: "Test/1"))
        #expect((try? call.result?.get()) == "K7MQ2X")
    }

    @Test(
        "A full relay is followed by the first untried one, and when all are full by the last one's error (section 6)"
    )
    func full() async throws {
        let room = FakeRoom(clock: clock)
        room.letsIn = false
        let relays = Relays.fetched(Self.list("7", "K", "M"), httpGet: http.get, clock: clock)
        let party = try party(room.relay, relays)
        room.relay.received = { connection, text in
            guard case .create? = try? ClientMessage(parsing: text) else { return }
            connection.push(.error(ErrorMessage(code: "relay_full", message: connection.url, re: "create")))
        }
        let call = party.startCreate()
        await clock.advance(by: 1)
        room.relay.connections[1].push(.pong(id: 1, serverTimeMs: 5))
        await clock.settle()
        let tried = room.relay.connections.filter { !$0.messages.isEmpty }.map(\.url)
        #expect(tried == ["wss://b.test/v1/ws", "wss://a.test/v1/ws", "wss://c.test/v1/ws"])
        let error = #expect(throws: PartyError.self) { try call.result?.get() }
        #expect(error?.code == .relayFull)
        #expect(error?.message == "wss://c.test/v1/ws")
        #expect(error?.re == "create")
        #expect(room.relay.connections.allSatisfy { $0.closedWith == 1000 })
    }
}
