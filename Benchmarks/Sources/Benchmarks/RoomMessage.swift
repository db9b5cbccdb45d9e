// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OWPWire

/// A room of 60, with names and clients as people and apps have them.
private func room() -> Room {
    let names = [
        "Anna", "Ben", "Chloé", "Dmitri the Great", "映画ファン", "eve_92", "Françoise B.", "G 🎬", "Hassan", "Ines",
    ]
    let clients = ["Example/1.0", "Plezy/2.14.3 (tvOS)", "owp/1.1.0", "web-player/2026.11.30"]
    let players: [PlayerState] = [.ready, .ready, .ready, .loading, .buffering, .idle]
    let participants = (0..<60).map { index in
        Participant(
            peerId: "p\(index + 1)",
            name: "\(names[index % names.count]) \(index)",
            client: clients[index % clients.count],
            host: index == 0,
            connected: index % 13 != 5,
            player: players[index % players.count],
            match: index % 7 == 3
                ? Match(state: .searching) : Match(state: .matched, deltaMs: Int64(index * 37 % 1500) - 700),
            offsetMs: index % 9 == 2 ? 95_000 : 0
        )
    }
    return Room(
        rev: 48_211,
        code: "K7MQ2X",
        epoch: 3,
        phase: .playing,
        positionMs: 4_021_377,
        atMs: 1_764_500_123_456,
        rate: 1.25,
        control: .everyone,
        locked: false,
        waitingOn: [],
        participants: participants
    )
}

/// The same message for `JSONDecoder`, which checks nothing but the types.
private struct DecodableRoom: Decodable {
    struct Match: Decodable {
        var state: String
        var deltaMs: Int64?
    }
    struct Participant: Decodable {
        var peerId: String
        var name: String
        var client: String
        var host: Bool
        var connected: Bool
        var player: String
        var match: Match?
        var offsetMs: Int64
    }
    struct Action: Decodable {
        var kind: String
        var by: String?
    }
    var type: String
    var rev: Int64
    var code: String
    var epoch: Int64
    var phase: String
    var positionMs: Int64
    var atMs: Int64
    var rate: Double
    var control: String
    var locked: Bool
    var waitingOn: [String]
    var participants: [Participant]
    var action: Action?
}

/// Reading and checking a `room` message of 60 participants, from the bytes of the WebSocket on.
func readRoomMessage() -> [Row] {
    let message = RelayMessage.room(RoomMessage(room: room(), action: RoomAction(kind: "rate", by: "p1")))
    let text = message.text
    guard RelayMessage.read(text) == .message(message) else { fatalError("the room message is not read back") }
    let bytes = Array(text.utf8)
    let data = Data(bytes)
    let decoder = JSONDecoder()

    let times = nanoseconds(ofEach: [
        { keep(RelayMessage.read(String(decoding: bytes, as: UTF8.self))) },
        { keep(try? decoder.decode(DecodableRoom.self, from: data)) },
        { keep(try? JSONSerialization.jsonObject(with: data)) },
    ])
    let writing = nanoseconds { keep(message.text) }
    return [
        Row(
            name: "read and check a `room` of 60 (\(bytes.count) bytes)",
            nanoseconds: times[0],
            bytes: bytes.count,
            ratios: [("JSONDecoder", times[1] / times[0]), ("JSONSerialization", times[2] / times[0])],
            goal: "≥ 4 × JSONDecoder, wish 8 ×"
        ),
        Row(name: "write that `room`", nanoseconds: writing, bytes: bytes.count),
    ]
}
