// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPParty
import OWPWire
import Testing

@Suite("Routing a code (section 4.2)")
struct RoutingTests {
    private func join(_ code: String, _ relays: [Relay]) throws -> Stage {
        var stage = try Stage()
        stage.take(.join(1, code: code, create: false, .list(relays)))
        return stage
    }

    private func opened(_ stage: Stage) -> [String] {
        stage.log.compactMap { if case .open(_, let url) = $0.effect { url } else { nil } }
    }

    private func code(_ stage: Stage) -> PartyError.Code? {
        guard case .failed(let failure)? = stage.ends().last else { return nil }
        return failure.code
    }

    @Test("a code routes by its first symbol")
    func routes() throws {
        #expect(opened(try join("B23456", [relayA, relayB])) == [relayB.url])
    }

    @Test("a symbol that nobody holds forces one refresh and routes again, on the old list when it failed")
    func unknownSymbol() throws {
        var stage = try join("J23456", [relayA])
        #expect(stage.log.contains { $0.effect == .refreshRelays(1) })
        #expect(opened(stage).isEmpty)
        var failed = stage
        stage.take(.relaysRefreshed(1, .list([relayA, relayC])))
        #expect(opened(stage) == [relayC.url])
        failed.take(.relaysRefreshed(1, .list([relayA])))
        #expect(code(failed) == .roomNotFound)
        #expect(failed.machine.state == PublicState())
    }

    @Test("after that refresh, a relay's room_not_found is final: a join forces at most one")
    func oneRefresh() throws {
        var stage = try join("J23456", [relayA])
        stage.take(.relaysRefreshed(1, .list([relayA, relayC])))
        stage.take(.opened(1))
        stage.receive(.error("room_not_found", re: "join"))
        #expect(code(stage) == .roomNotFound)
        #expect(stage.log.filter { $0.effect == .refreshRelays(1) }.count == 1)
    }

    @Test(
        "room_not_found forces a refresh; a symbol that moved is joined there once, and that answer is final",
        arguments: [false, true]
    )
    func moved(create: Bool) throws {
        var stage = try Stage()
        stage.take(.join(1, code: "223456", create: create, .list([relayA])))
        stage.take(.opened(1))
        stage.receive(.error("room_not_found", re: "join"))
        #expect(stage.log.contains { $0.effect == .close(1) })
        #expect(stage.machine.state.connection == .connecting)
        stage.take(.relaysRefreshed(1, .list([Relay(id: "z", name: "Z", url: relayB.url, prefixes: "2")])))
        #expect(opened(stage) == [relayA.url, relayB.url])
        stage.take(.opened(2))
        let join = ClientMessage.join(code: "223456", name: "Anna", client: "Test/1", create: create)
        #expect(stage.sent() == [join, join])
        stage.receive(.error("room_not_found", re: "join"), on: 2)
        #expect(code(stage) == .roomNotFound)
    }

    @Test("relays are compared by URL: the same one under another id ends with the first room_not_found")
    func sameURL() throws {
        var stage = try join("223456", [relayA])
        stage.take(.opened(1))
        stage.receive(.error("room_not_found", re: "join"))
        stage.take(.relaysRefreshed(1, .list([Relay(id: "z", name: "Z", url: relayA.url, prefixes: "2")])))
        #expect(stage.ends() == [.failed(PartyFailure(.roomNotFound, "no", re: "join"))])
        #expect(opened(stage) == [relayA.url])
    }

    @Test("FR-17: one relay's room_not_found is final, and nothing refreshes")
    func onlyOne() throws {
        var stage = try Stage()
        stage.take(.join(1, code: "K7MQ2X", create: false, onlyRelay))
        stage.take(.opened(1))
        stage.receive(.error("room_not_found", re: "join"))
        #expect(code(stage) == .roomNotFound)
        #expect(!stage.log.contains { $0.effect == .refreshRelays(1) })
        #expect(stage.machine.state.peerId == nil)
    }

    @Test("leave while the list refreshes cancels the call; the list's answer comes too late")
    func cancelled() throws {
        var stage = try join("J23456", [relayA])
        stage.take(.leave)
        #expect(code(stage) == .cancelled)
        #expect(stage.take(.relaysRefreshed(1, .list([relayC]))) == [])
    }
}

@Suite("Choosing a relay for create (section 6)")
struct CreateRaceTests {
    private let create = ClientMessage.create(name: "Anna", client: "Test/1")

    private func race(_ relays: [Relay] = [relayA, relayB, relayC]) throws -> Stage {
        var stage = try Stage()
        stage.relayOffsetMs = nil
        stage.take(.create(1, .list(relays)))
        return stage
    }

    private func pong(_ id: Int64 = 1) -> RelayMessage { .pong(id: id, serverTimeMs: 5) }

    @Test("all connect at once; the first with an accepted sample is asked, and all others are closed")
    func wins() throws {
        var stage = try race()
        #expect(stage.openTimes == [0, 0, 0])
        stage.take(.opened(1))
        stage.take(.opened(2))
        #expect(stage.sent() == [], "nobody is asked before a pong")
        stage.advance(to: 40)
        #expect(
            stage.receive(pong(), on: 2) == [
                .cancelTimer(.race),
                .send(2, create),
                .startTimer(.deadline(2), afterMs: 10_000),
                .cancelTimer(.ping(1)), .close(1),
                .close(3),
            ]
        )
        stage.receive(.joined(.sample(phase: .playing, positionMs: 500), .sample()), on: 2)
        #expect(stage.ends() == [.created(code: "K7MQ2X")])
        // The pong said 5 halfway through a round trip of 40.
        #expect(stage.machine.roomPositionMs(atLocalMs: 40) == 525, "the winner's clock goes on")
    }

    @Test("each connection pings from its own open (sections 5 and 6)")
    func bursts() throws {
        var stage = try race([relayA, relayB])
        stage.take(.opened(1))
        stage.advance(to: 300)
        stage.take(.opened(2))
        stage.advance(to: 2000)
        stage.receive(pong(3), on: 2)
        stage.advance(to: 10_500)
        func pings(_ key: ConnectionKey) -> [Int64] {
            stage.log.compactMap { if case .send(key, .ping) = $0.effect { $0.atMs } else { nil } }
        }
        #expect(pings(1) == [0, 500, 1000])
        #expect(pings(2) == [300, 800, 1300, 5300, 10_300], "the winner's go on while it is asked")
    }

    @Test("a pong with too long a round trip wins nothing; no winner within 10 s of the start is unreachable")
    func slow() throws {
        var stage = try race([relayA, relayB])
        stage.advance(to: 5000)
        stage.take(.opened(1))
        stage.advance(to: 6001)
        stage.receive(pong(), on: 1)
        #expect(stage.sent() == [])
        stage.advance(to: 10_000)
        #expect(stage.ends().count == 1)
        #expect(stage.machine.state.connection == .idle)
        #expect(stage.runningTimers.isEmpty)
        #expect(stage.log.filter { $0.effect == .close(1) || $0.effect == .close(2) }.count == 2)
    }

    @Test("when every connection failed first, create fails at once")
    func allFailed() throws {
        var stage = try race([relayA, relayB])
        stage.take(.openFailed(1, 8))
        #expect(stage.ends().isEmpty)
        #expect(stage.machine.failuresInUse == [8])
        stage.take(.opened(2))
        stage.take(.ended(2, closeCode: 1001, nil))
        #expect(stage.ends() == [.failed(PartyFailure(.unreachable, "the relay cannot be reached", underlying: 8))])
        #expect(stage.runningTimers.isEmpty)
    }

    @Test(
        "relay_full goes on to the first untried relay in list order, asked without a pong; the last one's error stays"
    )
    func full() throws {
        var stage = try race()
        stage.take(.opened(3))
        stage.receive(pong(), on: 3)
        #expect(
            stage.receive(.error("relay_full", re: "create"), on: 3) == [
                .cancelTimer(.deadline(3)), .cancelTimer(.ping(3)), .close(3),
                .open(4, url: relayA.url), .startTimer(.deadline(4), afterMs: 10_000),
            ]
        )
        stage.take(.opened(4))
        #expect(stage.sent() == [create, create])
        stage.receive(.error("relay_full", re: "create"), on: 4)
        stage.take(.opened(5))
        stage.receive(.error(ErrorMessage(code: "relay_full", message: "last", re: "create")), on: 5)
        #expect(stage.ends() == [.failed(PartyFailure(.relayFull, "last", re: "create"))])
        #expect(stage.openTimes.count == 5)
    }

    @Test("any other refusal, a lost connection, no answer or a malformed one ends create without another relay")
    func noFallback() throws {
        for (index, code) in [PartyError.Code.rateLimited, .unreachable, .unreachable, .invalidMessage].enumerated() {
            var stage = try race()
            stage.take(.opened(1))
            stage.receive(pong())
            if index == 0 { stage.receive(.error("rate_limited", re: "create")) }
            if index == 1 { stage.take(.ended(1, closeCode: nil, nil)) }
            if index == 2 { stage.advance(by: 10_000) }
            if index == 3 { stage.take(.received(1, #"{"type":"joined"}"#)) }
            guard case .failed(let failure)? = stage.ends().last else { return #expect(Bool(false)) }
            #expect(failure.code == code)
            #expect(stage.openTimes.count == 3)
            #expect(stage.runningTimers.isEmpty)
        }
    }

    @Test("cancelling a race closes all; the winner's request is waited for (section 7.2)")
    func cancelled() throws {
        var stage = try race()
        stage.take(.opened(1))
        stage.take(.leave)
        #expect(stage.log.filter { [.close(1), .close(2), .close(3)].contains($0.effect) }.count == 3)
        #expect(stage.runningTimers.isEmpty)

        var asked = try race()
        asked.take(.opened(1))
        asked.receive(pong())
        let effects = asked.take(.leave)
        #expect(!effects.contains { if case .close = $0 { true } else { false } }, "the others were closed before")
        #expect(asked.runningTimers == [.deadline(1)])
        asked.receive(.joined(.sample()))
        #expect(asked.sent().last == .leave)
        #expect(asked.log.last?.effect == .close(1))
    }

    @Test("an answer on a connection that was given up is not the next attempt's (section 7.2)")
    func oldAnswers() throws {
        var stage = try Stage()
        stage.take(.create(1, onlyRelay))
        stage.take(.opened(1))
        stage.take(.leave)
        stage.take(.create(2, onlyRelay))
        stage.take(.opened(2))
        stage.receive(.joined(.sample()), on: 1)
        #expect(stage.machine.state.connection == .connecting)
        #expect(stage.log.last?.effect == .close(1))
        stage.take(.leave)
        stage.take(.join(3, code: "K7MQ2X", create: false, onlyRelay))
        stage.take(.opened(3))
        stage.receive(.error("rate_limited", re: "create"), on: 2)
        #expect(stage.machine.state.connection == .connecting)
        stage.take(.leave)
        stage.take(.join(4, code: "K7MQ2X", create: false, onlyRelay))
        stage.take(.opened(4))
        stage.receive(.error("room_full", re: "join"), on: 3)
        stage.take(.leave)
        stage.take(.join(5, code: "K7MQ2X", create: false, onlyRelay))
        stage.take(.opened(5))
        stage.take(.ended(4, closeCode: nil, nil))
        #expect(stage.machine.state.connection == .connecting)
        #expect(!stage.runningTimers.contains(.deadline(4)))
        stage.receive(.joined(.sample()), on: 5)
        #expect(stage.ends().last == .joined)
    }
}
