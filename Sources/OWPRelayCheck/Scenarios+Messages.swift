// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPWebSocket
import OWPWire

extension CheckScenario {
    /// Texts that no relay takes, each answered with `invalid_message` and its type.
    private static let malformed: [(what: String, text: String, re: String?)] = [
        ("text that is no JSON", "hello", nil), ("an array", "[]", nil), ("a number", "5", nil),
        ("an object without type", "{}", nil), ("a type that is a number", #"{"type":5}"#, nil),
        ("a repeated member", #"{"type":"ping","id":1,"id":1}"#, nil),
        ("a ping without id", #"{"type":"ping"}"#, "ping"), ("a ping of id 0", #"{"type":"ping","id":0}"#, "ping"),
        ("a ping of id 1.5", #"{"type":"ping","id":1.5}"#, "ping"),
        ("a ping of a text", #"{"type":"ping","id":"1"}"#, "ping"),
        ("a create without name", #"{"type":"create","client":"a/1"}"#, "create"),
        ("an empty name", #"{"type":"create","name":"","client":"a/1"}"#, "create"),
        (
            "a name of 33",
            #"{"type":"create","name":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx","client":"a/1"}"#, "create"
        ),
        ("a name with U+202E", #"{"type":"create","name":"a\u202eb","client":"a/1"}"#, "create"),
        ("a name with half a pair", #"{"type":"create","name":"\ud800","client":"a/1"}"#, "create"),
        ("a client without slash", #"{"type":"create","name":"A","client":"a"}"#, "create"),
        ("a client with nothing before its slash", #"{"type":"create","name":"A","client":"/1"}"#, "create"),
        ("a join of five symbols", #"{"type":"join","code":"22222","name":"A","client":"a/1"}"#, "join"),
        ("a join with a symbol that codes lack", #"{"type":"join","code":"22222O","name":"A","client":"a/1"}"#, "join"),
        ("a resume with a short token", #"{"type":"resume","code":"222222","peerId":"p1","token":"x"}"#, "resume"),
        ("a seek without position", #"{"type":"seek"}"#, "seek"),
        ("a seek to a fraction", #"{"type":"seek","positionMs":0.5}"#, "seek"),
        ("a rate of 0.49", #"{"type":"rate","rate":0.49}"#, "rate"),
        ("a rate of 2.01", #"{"type":"rate","rate":2.01}"#, "rate"),
        ("a pause at a text", #"{"type":"pause","positionMs":"0"}"#, "pause"),
        ("control of nobody", #"{"type":"setControl","control":"nobody"}"#, "setControl"),
        ("a lock of 1", #"{"type":"lock","locked":1}"#, "lock"),
        (
            "a status with an unknown player", #"{"type":"status","epoch":0,"player":"x","match":null,"offsetMs":0}"#,
            "status"
        ),
        ("a status without match", #"{"type":"status","epoch":0,"player":"idle","offsetMs":0}"#, "status"),
        (
            "a status with a negative round trip",
            #"{"type":"status","epoch":0,"player":"idle","match":null,"offsetMs":0,"rttMs":-1}"#, "status"
        ),
        (
            "media without title", #"{"type":"setMedia","media":{"kind":"movie","durationMs":1},"positionMs":0}"#,
            "setMedia"
        ),
        (
            "media of no length",
            #"{"type":"setMedia","media":{"kind":"movie","title":"T","durationMs":0},"positionMs":0}"#, "setMedia"
        ),
        (
            "an episode without series",
            #"{"type":"setMedia","media":{"kind":"episode","title":"T","durationMs":1},"positionMs":0}"#, "setMedia"
        ),
        (
            "a file name with a slash",
            ##"{"type":"setMedia","media":{"kind":"movie","title":"T","durationMs":1,"file":{"name":"a/b"}},"positionMs":0}"##,
            "setMedia"
        ),
    ]

    static let messages: [CheckScenario] =
        malformed.map { entry in
            CheckScenario("3", "\(entry.what) is invalid_message, and changes nothing") { relay in
                let client = try relay.open()
                try client.send(text: entry.text)
                let error = try client.nextError()
                try expect(error.code == "invalid_message", "it was \(error.code)")
                try expect(error.re == entry.re, "re was \(error.re ?? "null")")
                try client.send(.ping(id: 1))
                _ = try client.nextPong()
            }
        } + [
            CheckScenario("3", "an unknown type is unsupported") { relay in
                let client = try relay.open()
                try client.send(text: #"{"type":"dance"}"#)
                let error = try client.nextError()
                try expect((error.code, error.re) == ("unsupported", "dance"), "it was \(error)")
            },
            CheckScenario("3", "media over 4096 bytes is invalid_message") { relay in
                let party = try CheckParty(relay, 1)
                let title = String(repeating: "t", count: 4100)
                try party.host.send(.setMedia(media: Media(kind: .movie, title: title, durationMs: 1), positionMs: 0))
                try expect(try party.host.nextError().code == "invalid_message", "it was taken")
            },
            CheckScenario("3", "an ext over 1024 bytes is invalid_message") { relay in
                let party = try CheckParty(relay, 1)
                let ext: [String: JSONValue] = ["a.b": .string(String(repeating: "x", count: 1020))]
                let media = Media(kind: .movie, title: "T", durationMs: 1, ext: ext)
                try party.host.send(.setMedia(media: media, positionMs: 0))
                try expect(try party.host.nextError().code == "invalid_message", "it was taken")
            },
            CheckScenario("3", "unknown members of media reach nobody") { relay in
                let party = try CheckParty(relay, 2)
                try party.host.send(
                    text: """
                        {"type":"setMedia","positionMs":0,"media":{"kind":"movie","title":"T","durationMs":9,"spy":"spy"}}
                        """
                )
                while case .text(let text)? = try party.clients[1].nextEvent() {
                    try expect(!text.contains("spy"), "it was passed on")
                    if text.contains("\"media\"") { return }
                }
                throw CheckFailure("no media came")
            },
            CheckScenario("4", "joined comes first, with a token, the time and the snapshot") { relay in
                let client = try relay.open()
                try client.send(.create(name: "A", client: "check/1"))
                guard case .text(let text)? = try client.nextEvent(),
                    case .message(.joined(let joined)) = RelayMessage.read(text)
                else { throw CheckFailure("something else came first") }
                try expect(joined.token.utf8.count == 43, "the token is none")
                try expect(joined.room.participants.map(\.peerId) == [joined.peerId], "it is not listed")
                try expect(joined.serverTimeMs > 0, "there is no time")
            },
            CheckScenario("4", "the room of an arrival goes to the others only") { relay in
                let party = try CheckParty(relay, 2)
                try expect(try party.clients[1].event(withinMs: 300) == nil, "the joiner got it too")
            },
            CheckScenario("4", "media is present in a room when the epoch is new, and only then") { relay in
                let party = try CheckParty(relay, 1)
                try party.host.send(.setMedia(media: CheckParty.media, positionMs: 0))
                try expect(try party.action("media").media == .valid(CheckParty.media), "it was not")
                try party.host.send(.lock(true))
                try expect(try party.host.nextRoom().media == .absent, "it came again")
                try party.host.send(.clearMedia)
                try expect(try party.action("media").media == ReceivedMedia.none, "no null came")
            },
            CheckScenario("4", "relay time never steps back") { relay in
                let client = try relay.open()
                var last: Int64 = 0
                for id in 1...20 {
                    try client.send(.ping(id: Int64(id)))
                    let pong = try client.nextPong()
                    try expect(pong.id == Int64(id), "another id came back")
                    try expect(pong.serverTimeMs >= last, "it did")
                    last = pong.serverTimeMs
                }
            },
        ]

    /// Every message that only a member may send.
    private static let membersOnly: [ClientMessage] = [
        .leave, .status(StatusMessage(epoch: 0, player: .idle, match: nil, offsetMs: 0)), .play,
        .pause(positionMs: nil), .seek(positionMs: 0), .rate(1), .setMedia(media: CheckParty.media, positionMs: 0),
        .clearMedia, .setControl(.host), .transferHost(peerId: "p1"), .kick(peerId: "p1"), .lock(true), .end,
    ]

    private static func isRefused(_ client: BlockingClient, _ message: ClientMessage, _ code: String) throws {
        try client.send(message)
        let error = try client.nextError()
        try expect(error.code == code, "it was \(error.code)")
        try expect(error.re == message.type, "re was \(error.re ?? "null")")
    }

    static let refusals: [CheckScenario] =
        membersOnly.map { message in
            CheckScenario("3", "\(message.type) outside of a room is not_in_room") { relay in
                try isRefused(try relay.open(), message, "not_in_room")
            }
        }
        + [
            ClientMessage.create(name: "A", client: "a/1"),
            .join(code: "222222", name: "A", client: "a/1", create: true),
            .resume(code: "222222", peerId: "p1", token: String(repeating: "x", count: 43)),
        ].map { message in
            CheckScenario("3", "\(message.type) in a room is already_in_room") { relay in
                try isRefused(try CheckParty(relay, 1).host, message, "already_in_room")
            }
        }
        + [ClientMessage.play, .pause(positionMs: nil), .seek(positionMs: 0), .rate(1)].flatMap { message in
            [
                CheckScenario("3", "\(message.type) without media is invalid_message") { relay in
                    try isRefused(try CheckParty(relay, 1).host, message, "invalid_message")
                },
                CheckScenario("3", "\(message.type) of a guest is forbidden while control is the host's") { relay in
                    try isRefused(try CheckParty.waiting(relay, 2).clients[1], message, "forbidden")
                },
            ]
        }
        + membersOnly.dropFirst(6).map { message in
            CheckScenario("3", "\(message.type) of a guest is forbidden, whatever control is") { relay in
                let party = try CheckParty(relay, 2)
                try party.host.send(.setControl(.everyone))
                try isRefused(party.clients[1], message, "forbidden")
            }
        } + [
            CheckScenario("3", "the host cannot kick itself, nor anybody who is not there") { relay in
                let party = try CheckParty(relay, 1)
                try isRefused(party.host, .kick(peerId: "p1"), "invalid_message")
                try isRefused(party.host, .kick(peerId: "p9"), "invalid_message")
                try isRefused(party.host, .transferHost(peerId: "p9"), "invalid_message")
            }
        ]
}
