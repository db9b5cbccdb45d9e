// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPParty
import OWPWire

let relayURL = "ws://127.0.0.1:8080/v1/ws"
let relayA = Relay(id: "a", name: "A", url: "wss://a.example/v1/ws", prefixes: "23456789")
let relayB = Relay(id: "b", name: "B", url: "wss://b.example/v1/ws", prefixes: "ABCDEFGH")
let relayC = Relay(id: "c", name: "C", url: "wss://c.example/v1/ws", prefixes: "JKMN")
let onlyRelay = RelaySource.only(Relay(id: "custom", name: "", url: relayURL, prefixes: codeAlphabet))
let token = String(repeating: "t", count: 43)

extension Participant {
    static func peer(_ id: String, host: Bool = false, connected: Bool = true) -> Participant {
        Participant(
            peerId: id,
            name: id.uppercased(),
            client: "Test/1",
            host: host,
            connected: connected,
            player: .loading
        )
    }
}

/// The party itself as host, and one guest.
let hostAndGuest = [Participant.peer("a1", host: true), .peer("b1")]
/// The party itself as guest.
let guestAndHost = [Participant.peer("b1", host: true), .peer("a1")]

extension Room {
    /// A snapshot with the party as `a1`.
    static func sample(
        rev: Int64 = 1,
        epoch: Int64 = 1,
        phase: Phase = .waiting,
        positionMs: Int64 = 0,
        atMs: Int64 = 0,
        rate: Double = 1,
        control: Control = .host,
        waitingOn: [String] = [],
        _ participants: [Participant] = hostAndGuest
    ) -> Room {
        Room(
            rev: rev,
            code: "K7MQ2X",
            epoch: epoch,
            phase: phase,
            positionMs: positionMs,
            atMs: atMs,
            rate: rate,
            control: control,
            locked: false,
            waitingOn: waitingOn,
            participants: participants
        )
    }
}

extension Media {
    static func sample(_ title: String = "Heat", durationMs: Int64 = 7_200_000) -> Media {
        Media(kind: .movie, title: title, durationMs: durationMs)
    }
}

extension RelayMessage {
    static func joined(_ room: Room, _ media: Media? = nil, peerId: String = "a1") -> RelayMessage {
        .joined(
            JoinedMessage(
                code: room.code,
                peerId: peerId,
                token: token,
                serverTimeMs: 0,
                room: room,
                media: media
            )
        )
    }

    static func room(_ room: Room, action: RoomAction? = nil, media: ReceivedMedia = .absent) -> RelayMessage {
        .room(RoomMessage(room: room, action: action, media: media))
    }

    static func error(_ code: String, re: String?) -> RelayMessage {
        .error(ErrorMessage(code: code, message: "no", re: re))
    }
}

extension Stage {
    /// A party in a room, its own copy (ref 1, candidate 1) matched when `media` is there.
    static func inRoom(
        _ room: Room = .sample(),
        _ media: Media? = nil,
        hasResolver: Bool = true,
        resolves: Bool = true
    ) throws -> Stage {
        var stage = try Stage(hasResolver: hasResolver)
        stage.take(.join(1, code: "k7m-q2x", create: false, onlyRelay))
        stage.take(.opened(1))
        stage.receive(.joined(room, media))
        if let media, hasResolver, resolves {
            stage.take(.resolved(1, [OfferedCandidate(key: 1, ref: 1, durationMs: media.durationMs)]))
        }
        return stage
    }

    /// A party in a room whose player (adapter 1) has the chosen file, a second later.
    static func following(
        _ room: Room,
        _ player: StagePlayer = StagePlayer(),
        media: Media = .sample()
    ) throws -> Stage {
        var stage = try inRoom(room, media)
        stage.players[1] = player
        stage.take(.attachPlayer(1, 1))
        stage.advance(by: 1000)
        return stage
    }
}
