// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPTestSupport
import OWPWire
import OpenWatchParty

/// Runs the party of a trace as an app does: through `WatchParty`, on a virtual clock and a fake relay.
@MainActor
final class FacadeStage: TraceStage {
    /// One connection, from the attempt to open it on.
    struct Socket {
        let name: String
        let opening: Gate<Void>
        var connection: FakeConnection?
        var isSeenClosed = false
    }

    /// One call of the resolver, of a probe or of the GET.
    struct Search<Answer> {
        let name: String
        let gate: Gate<Answer>
        var isSeenCancelled = false
    }

    let world: TraceWorld
    let app = TraceApp()
    let relay: FakeRelay
    let relays: Relays
    let party: WatchParty<String>
    var sockets: [Socket] = []
    /// The connection that the trace has just let open.
    var openingNow = ""
    var searches: [Search<[Candidate<String>]>] = []
    var probes: [Search<Int64?>] = []
    var fetches: [Search<String>] = []
    /// Asks each call that has not ended whether it has.
    var calls: [@MainActor () -> Bool] = []

    init(_ given: TraceGiven) throws {
        let world = try TraceWorld(given, startMs: 3_000_000)
        let relay = FakeRelay(clock: world.clock)
        let app = self.app
        self.world = world
        self.relay = relay
        relays =
            if let list = given.list {
                .fetched(list, httpGet: { try await app.get($0) }, clock: world.clock)
            } else {
                try .at("http://relay.test")
            }
        party = try WatchParty(
            relays: relays,
            client: "Test/1.0",
            name: "Anna",
            resolver: given.hasResolver ? Resolver { try await app.resolve($0) } : nil,
            connect: relay.connect,
            clock: world.clock,
            random: TraceRandom(world: world)
        )
        app.stage = self
        party.observer = { [unowned self] output in
            switch output {
            case .state(let state): self.world.note(.state(state.traceJSON))
            case .event(let event):
                if let event = event as? any EventJSON { self.world.note(event: event) }
            }
        }
        relay.opening = { [unowned self] in .waits(for: open($0)) }
        relay.opened = { [unowned self] in opened($0) }
        relay.received = { [unowned self] in received($1, on: $0) }
    }

    func advance(by ms: Int64) async {
        let end = world.clock.nowMs() + ms
        while let due = world.clock.timersDueMs.first, due <= end {
            await world.clock.advance(by: due - world.clock.nowMs())
            look()
        }
        await world.clock.advance(by: end - world.clock.nowMs())
        look()
    }

    func finish() async {
        _ = party.startClose()
        await world.clock.run()
        for search in searches { search.gate.fail(CancellationError()) }
        for probe in probes { probe.gate.fail(CancellationError()) }
        for fetch in fetches { fetch.gate.fail(CancellationError()) }
        for player in world.players.values { while player.endCommand(nil) { await world.clock.run() } }
        for socket in sockets {
            socket.opening.fail(CancellationError())
            socket.connection?.drop()
        }
        await world.clock.run()
    }

    func take(_ action: TraceAction) async throws {
        try perform(action)
        await world.clock.run()
        look()
    }

    func perform(_ action: TraceAction) throws {
        switch action {
        case .call(let call, let name): try take(call, as: name)
        case .opens(let name):
            try opening(name).open()
            openingNow = name
        case .refuses(let name): try opening(name).fail(TraceFailure(name: "refused"))
        case .drops(let name, let code): try connection(name).drop(code: code)
        case .says(let text, let name): try connection(name).push(text)
        case .search(let number, let outcome):
            guard searches.indices.contains(number - 1) else { throw impossible("search \(number) answers") }
            switch outcome {
            case .success(let found): searches[number - 1].gate.open(found.map(candidate))
            case .failure(let error): searches[number - 1].gate.fail(error)
            }
        case .fetch(let number, let outcome):
            guard fetches.indices.contains(number - 1) else { throw impossible("fetch \(number) ends") }
            switch outcome {
            case .success(let text): fetches[number - 1].gate.open(text)
            case .failure(let error): fetches[number - 1].gate.fail(error)
            }
        case .probe(let id, let outcome):
            guard let probe = probes.last(where: { $0.name == id }) else { throw impossible("the probe \(id) answers") }
            switch outcome {
            case .success(let durationMs): probe.gate.open(durationMs)
            case .failure(let error): probe.gate.fail(error)
            }
        case .command(let name, let error):
            guard try world.player(name).endCommand(error) else { throw impossible("a command of \(name) ends") }
        }
    }

    /// Records what shows only when one asks: calls that ended, connections closed, work cancelled.
    func look() {
        calls.removeAll { $0() }
        for index in sockets.indices where !sockets[index].isSeenClosed {
            let socket = sockets[index]
            guard socket.connection?.closedWith != nil || socket.opening.isCancelled else { continue }
            if let code = socket.connection?.closedWith, code != 1000 { world.breach("closed with \(code)") }
            sockets[index].isSeenClosed = true
            world.note("closed", .string(socket.name))
        }
        cancellations(&searches, "search ")
        cancellations(&probes, "probe ")
        cancellations(&fetches, "fetch ")
    }

    func cancellations<Answer>(_ searches: inout [Search<Answer>], _ kind: String) {
        for index in searches.indices where searches[index].gate.isCancelled && !searches[index].isSeenCancelled {
            searches[index].isSeenCancelled = true
            world.note("cancelled", .string(kind + searches[index].name))
        }
    }

    // MARK: Connections

    func open(_ url: String) -> Gate<Void> {
        let gate = Gate<Void>(on: world.clock)
        let name = world.newConnection(url)
        sockets.append(Socket(name: name, opening: gate))
        world.note("opened", .string(name))
        return gate
    }

    func opened(_ connection: FakeConnection) {
        guard let index = sockets.firstIndex(where: { $0.name == openingNow }) else { return }
        sockets[index].connection = connection
    }

    func received(_ text: String, on connection: FakeConnection) {
        guard let name = sockets.first(where: { $0.connection === connection })?.name else { return }
        if let pongs = world.given.pongs, case .ping(let id)? = try? ClientMessage(parsing: text) {
            let serverTimeMs = world.nowMs + pongs.aheadMs + pongs.rttMs / 2
            connection.push(RelayMessage.pong(id: id, serverTimeMs: serverTimeMs).text, afterMs: pongs.rttMs)
        } else if let json = try? JSONValue(parsing: text) {
            world.note(.told("sent", to: name, json))
        }
    }

    func opening(_ name: String) throws -> Gate<Void> {
        guard let socket = sockets.first(where: { $0.name == name }), !socket.opening.isOpen else {
            throw impossible("the connection \(name) opens or fails to")
        }
        return socket.opening
    }

    func connection(_ name: String) throws -> FakeConnection {
        guard let connection = sockets.first(where: { $0.name == name })?.connection, connection.isOpen else {
            throw impossible("something happens to the connection \(name)")
        }
        return connection
    }

    // MARK: The app's searches

    func wait(for media: Media) async throws -> [Candidate<String>] {
        let gate = Gate<[Candidate<String>]>(on: world.clock, heedsCancellation: false)
        searches.append(Search(name: "\(searches.count + 1)", gate: gate))
        world.note("searched", media.toJSON())
        return try await gate.wait()
    }

    func wait(forProbe id: String) async throws -> Int64? {
        let gate = Gate<Int64?>(on: world.clock, heedsCancellation: false)
        probes.append(Search(name: id, gate: gate))
        world.note("probed", .string(id))
        return try await gate.wait()
    }

    func wait(forURL url: String) async throws -> String {
        let gate = Gate<String>(on: world.clock, heedsCancellation: false)
        fetches.append(Search(name: "\(fetches.count + 1)", gate: gate))
        world.note("fetched", .string(url))
        return try await gate.wait()
    }
}
