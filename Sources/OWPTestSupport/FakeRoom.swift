// OpenWatchParty for Swift. See LICENSE.

public import OWPCore
public import OWPWire

/// A room on a ``FakeRelay``, as one party sees it.
///
/// It lets the party in, answers its pings, and changes when the test says. It has no rules of its own.
@MainActor
public final class FakeRoom {
    /// The relay it is on.
    public let relay: FakeRelay
    private let clock: VirtualClock

    /// The party's own peer ID.
    public let peerId: String
    /// The token the party resumes with.
    public var token = String(repeating: "t", count: 43)
    /// The snapshot.
    public var room: Room
    /// The room's media.
    public var media: Media?
    /// Relay time minus the clock's time, in ms.
    public var relayAheadMs: Int64 = 1_732_999_000_000
    /// The round trip of a ping, in ms; what the test sends arrives at once.
    public var rttMs: Int64 = 0
    /// Whether pings are answered.
    public var answersPings = true
    /// Whether `create`, `join` and `resume` are answered with `joined`.
    public var letsIn = true

    /// Makes a room, empty but for the party and those given.
    ///
    /// - Parameters:
    ///   - clock: The clock of the party.
    ///   - peerId: The party's own peer ID.
    ///   - isHost: Whether the party is the host; else the first of the others is.
    ///   - others: The other peers' IDs.
    public init(clock: VirtualClock, peerId: String = "a1", isHost: Bool = true, others: [String] = ["b1"]) {
        self.clock = clock
        self.peerId = peerId
        relay = FakeRelay(clock: clock)
        room = Room(
            rev: 1,
            code: "K7MQ2X",
            epoch: 0,
            phase: .idle,
            positionMs: 0,
            atMs: 0,
            rate: 1,
            control: .host,
            locked: false,
            waitingOn: [],
            participants: [Self.participant(peerId, host: isHost)]
                + others.enumerated().map { Self.participant($1, host: !isHost && $0 == 0) }
        )
        relay.received = { [weak self] in self?.answer($1, on: $0) }
    }

    /// A connected participant named as its peer ID, whose player is ready.
    public static func participant(_ peerId: String, host: Bool = false) -> Participant {
        Participant(
            peerId: peerId,
            name: peerId.uppercased(),
            client: "Test/1",
            host: host,
            connected: true,
            player: .ready
        )
    }

    /// Relay time now, in ms.
    public var relayNowMs: Int64 { clock.nowMs() + relayAheadMs }

    /// The newest connection.
    public var connection: FakeConnection? { relay.connections.last }

    /// What the party sent on all connections, pings left out.
    public var sent: [ClientMessage] { relay.connections.flatMap(\.messages) }

    /// The statuses the party sent on all connections.
    public var statuses: [StatusMessage] {
        sent.compactMap { if case .status(let status) = $0 { status } else { nil } }
    }

    /// Changes the snapshot, raises its `rev`, and sends it.
    ///
    /// - Parameters:
    ///   - kind: The action's kind; nil for none.
    ///   - by: The action's peer; nil for the relay.
    ///   - edit: Changes the snapshot.
    public func change(_ kind: String? = nil, by: String? = nil, _ edit: (inout Room) -> Void = { _ in }) {
        room.rev += 1
        edit(&room)
        say(.room(RoomMessage(room: room, action: kind.map { RoomAction(kind: $0, by: by) })))
    }

    /// Begins a new epoch with other media, and sends it with the action `media`.
    ///
    /// - Parameters:
    ///   - media: The descriptor; nil for none.
    ///   - by: The action's peer.
    ///   - edit: Changes the snapshot, which waits at 0, or is idle without media.
    public func begin(_ media: Media?, by: String? = nil, _ edit: (inout Room) -> Void = { _ in }) {
        self.media = media
        room.rev += 1
        room.epoch += 1
        room.phase = media == nil ? .idle : .waiting
        room.positionMs = 0
        edit(&room)
        let received = media.map { ReceivedMedia.valid($0) } ?? ReceivedMedia.none
        say(.room(RoomMessage(room: room, action: RoomAction(kind: "media", by: by), media: received)))
    }

    /// Lets the room play from a position, at once or from a later relay time on.
    public func play(fromMs positionMs: Int64, inMs delayMs: Int64 = 0, _ kind: String? = nil, by: String? = nil) {
        change(kind, by: by) {
            $0.phase = .playing
            $0.positionMs = positionMs
            $0.atMs = relayNowMs + delayMs
            $0.waitingOn = []
        }
    }

    /// Sends a message on the newest connection.
    public func say(_ message: RelayMessage) {
        connection?.push(message)
    }

    /// Refuses with an error on the newest connection.
    public func refuse(_ code: String, re: String?, message: String = "refused") {
        say(.error(ErrorMessage(code: code, message: message, re: re)))
    }

    /// The `joined` that lets the party in now.
    public var joined: RelayMessage {
        .joined(
            JoinedMessage(
                code: room.code,
                peerId: peerId,
                token: token,
                serverTimeMs: relayNowMs,
                room: room,
                media: media
            )
        )
    }

    private func answer(_ text: String, on connection: FakeConnection) {
        switch try? ClientMessage(parsing: text) {
        case .ping(let id) where answersPings:
            let pong = RelayMessage.pong(id: id, serverTimeMs: relayNowMs + rttMs / 2)
            connection.push(pong.text, afterMs: rttMs)
        case .create where letsIn, .join where letsIn, .resume where letsIn:
            connection.push(joined)
        default: break
        }
    }
}

extension FakeConnection {
    /// What the party sent, pings and texts that no relay would read left out.
    public var messages: [ClientMessage] {
        sent.compactMap { text in
            guard let message = try? ClientMessage(parsing: text) else { return nil }
            if case .ping = message { return nil }
            return message
        }
    }

    /// Says something to the party.
    public func push(_ message: RelayMessage) {
        push(message.text)
    }
}
