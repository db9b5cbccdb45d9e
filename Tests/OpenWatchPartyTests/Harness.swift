// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPTestSupport
import OWPWire
import Testing

@testable import OpenWatchParty

/// A party on a fake relay in virtual time, with a record of what it published and emitted.
@MainActor
final class Harness {
    let clock = VirtualClock()
    let room: FakeRoom
    let resolver: FakeResolver<String>
    let random = ConstantRandom(0.5)
    let party: WatchParty<String>
    private(set) var states: [PartyState<String>] = []
    private(set) var events: [any PartyEvent] = []
    /// What was published and emitted, in words, in order.
    private(set) var log: [String] = []
    private var awaited: CheckedContinuation<Void, Never>?

    init(
        host: Bool = true,
        others: [String] = ["b1"],
        searches: Bool = true,
        relays: Relays? = nil
    ) throws {
        room = FakeRoom(clock: clock, isHost: host, others: others)
        resolver = FakeResolver(clock: clock)
        party = try WatchParty(
            relays: relays ?? notFoundRelays(clock),
            client: "Test/1.0",
            name: "Anna",
            resolver: searches ? resolver.resolver : nil,
            connect: room.relay.connect,
            clock: clock,
            random: random
        )
        party.observer = { [unowned self] in record($0) }
    }

    private func record(_ output: PartyOutput<String>) {
        switch output {
        case .state(let state):
            states.append(state)
            log.append("\(state.connection)")
        case .event(let event):
            events.append(event)
            log.append("\(type(of: event))")
        }
        awaited?.resume()
        awaited = nil
    }

    /// Waits until the party publishes or emits something, for a test whose own task calls the party.
    func output() async {
        await withCheckedContinuation { awaited = $0 }
    }

    /// The events of one type, in order.
    func events<Event: PartyEvent>(_ type: Event.Type) -> [Event] { events.compactMap { $0 as? Event } }

    /// The party's newest connection; a test that asks before there is one fails.
    var connection: FakeConnection {
        get throws { try #require(room.relay.connections.last) }
    }

    /// Forgets what was recorded so far.
    func forget() {
        states = []
        events = []
        log = []
    }

    /// Joins the room, which lets the party in at once, and has the first clock sample.
    func join() async throws {
        let call = party.startJoin(room.room.code)
        await clock.settle()
        _ = try #require(call.result).get()
        #expect(party.state.connection == .connected)
    }

    /// A film of two hours, or of another length in ms.
    static func film(_ title: String = "Heat", durationMs: Int64 = 7_200_000) -> Media {
        Media(kind: .movie, title: title, durationMs: durationMs)
    }

    /// A candidate with a duration in ms, whose ID is also its ref.
    static func file(_ id: String, durationMs: Int64? = 7_200_000) -> Candidate<String> {
        Candidate(id: id, ref: id, durationMs: durationMs)
    }

    /// Joins a room with a film that the resolver finds at once as `file`, and attaches a player of it.
    func watch(
        phase: Phase = .paused,
        positionMs: Int64 = 0,
        player edit: (FakePlayer) -> Void = { _ in }
    ) async throws -> FakePlayer {
        resolver.searches.automatic = { _ in .success([Self.file("file")]) }
        room.media = Self.film()
        room.room.epoch = 1
        room.room.phase = phase
        room.room.positionMs = positionMs
        room.room.atMs = room.relayNowMs
        try await join()
        let player = FakePlayer(clock: clock, positionMs: positionMs)
        player.paused = phase != .playing
        edit(player)
        party.attachPlayer(player, ref: "file")
        await clock.settle()
        return player
    }
}

/// The public relays, whose list nobody serves.
@MainActor
func notFoundRelays(_ clock: VirtualClock) -> Relays {
    .public(httpGet: { _ in throw FakeRelay.Refused() }, clock: clock)
}

/// The party error that a call or command throws; nil when it throws none or another.
@MainActor
func partyError(_ body: () throws -> Void) -> PartyError.Code? {
    do {
        try body()
        return nil
    } catch {
        return (error as? PartyError)?.code
    }
}

extension Call {
    /// The code of the party error the call failed with; nil when it has not, or not with one.
    var failure: PartyError.Code? {
        guard case .failure(let error)? = result else { return nil }
        return (error as? PartyError)?.code
    }
}
