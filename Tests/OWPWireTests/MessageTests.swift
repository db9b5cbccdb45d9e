// OpenWatchParty for Swift. See LICENSE.

import OWPWire
import Testing

/// A room of two, the first its host.
let sampleRoom = Room(
    rev: 3,
    code: "K7MQ2X",
    epoch: 1,
    phase: .waiting,
    positionMs: 61_000,
    atMs: 1_700_000_000_000,
    rate: 1.25,
    control: .everyone,
    locked: true,
    waitingOn: ["p2"],
    participants: [
        Participant(
            peerId: "p1",
            name: "Anna",
            client: "Example/1.0",
            host: true,
            connected: true,
            player: .ready,
            match: Match(state: .matched, deltaMs: -12)
        ),
        Participant(
            peerId: "p2",
            name: "Bjørn \u{1F3AC}",
            client: "a/b/c",
            host: false,
            connected: false,
            player: .loading,
            match: nil,
            offsetMs: -604_800_000
        ),
    ]
)

let sampleMedia = Media(
    kind: .episode,
    title: "Pilot",
    durationMs: 3_600_000,
    year: 2008,
    ids: ["tvdb": "349232", "imdb": "tt0959621"],
    series: Series(title: "Breaking Bad", year: 2008, ids: ["imdb": "tt0903747"]),
    season: 1,
    episode: 1,
    file: MediaFile(name: "pilot.mkv", sizeBytes: 1_234_567_890_123, oshash: "8e245d9679d31e12"),
    ext: ["com.example": ["b": 0.5, "a": [1, nil]]]
)

let sampleToken = String(repeating: "aZ09_-x", count: 6) + "A"

@Suite("Messages of the relay (section 8)")
struct RelayMessageTests {
    static let messages: [RelayMessage] = [
        .joined(
            JoinedMessage(
                code: "K7MQ2X",
                peerId: "p2",
                token: sampleToken,
                serverTimeMs: 0,
                room: sampleRoom,
                media: sampleMedia
            )
        ),
        .joined(
            JoinedMessage(
                code: "222222",
                peerId: "-",
                token: sampleToken,
                serverTimeMs: 5,
                room: sampleRoom,
                media: nil
            )
        ),
        .room(RoomMessage(room: sampleRoom)),
        .room(RoomMessage(room: sampleRoom, action: RoomAction(kind: "play", by: "p1"), media: .none)),
        .room(RoomMessage(room: sampleRoom, action: RoomAction(kind: "ended", by: nil), media: .valid(sampleMedia))),
        .pong(id: 1, serverTimeMs: 1_700_000_000_123), .pong(id: 9_007_199_254_740_991, serverTimeMs: 0),
        .error(ErrorMessage(code: "room_full", message: "", re: "join")),
        .error(ErrorMessage(code: "invalid_message", message: "no \"object\"", re: nil)), .closed(reason: "kicked"),
    ]

    @Test("What is written is read back", arguments: messages)
    func roundTrip(_ message: RelayMessage) {
        #expect(RelayMessage.read(message.text) == .message(message))
    }

    @Test("The type may stand anywhere", arguments: messages)
    func typeLast(_ message: RelayMessage) throws {
        let text = message.text
        let comma = try #require(text.firstIndex(of: ","))
        let type = text[text.index(after: text.startIndex)..<comma]
        let moved = "{" + text[text.index(after: comma)...].dropLast() + "," + type + "}"
        #expect(RelayMessage.read(moved) == .message(message))
        #expect(RelayMessage.read(String(moved.dropLast())) == .ignored)
    }

    @Test("Unknown members are ignored at every depth, names in escapes are known")
    func unknownMembers() {
        #expect(
            RelayMessage.read(#"{"new":{"a":[1e400,"\ud800"]},"\u0074ype":"pong","\u0069d":1.0,"serverTime":2e0}"#)
                == .message(.pong(id: 1, serverTimeMs: 2))
        )
    }

    @Test(
        "What is no message is ignored",
        arguments: [
            "", "[]", "1", "null", "\"room\"", "{}", #"{"type":5}"#, #"{"type":null}"#, #"{"type":"hello"}"#,
            #"{"type":"pong","id":1,"serverTime":-1}"#, #"{"type":"pong","id":1,"serverTime":1e400}"#,
            #"{"type":"pong","id":1,"serverTime":0"#, #"{"type":"pong","id":1,"serverTime":0} x"#,
            #"{"type":"pong","id":1,"serverTime":0,"id":1}"#, #"{"type":"closed","reason":""}"#, #"{"type":"closed"}"#,
            #"{"type":"error","code":"","message":"","re":null}"#, #"{"type":"error","code":"x","message":""}"#,
            #"{"type":"error","code":"x","re":null}"#, #"{"type":"error","code":"x","message":"","re":1}"#,
            #"{"type":"room"}"#, #"{"type":"joined""#, #"{"type":"joined","code":"nope"} {}"#,
            #"{"type":"joined","type":"joined"}"#,
        ]
    )
    func ignored(_ text: String) {
        #expect(RelayMessage.read(text) == .ignored)
    }

    @Test(
        "A joined that is JSON and breaks a rule is malformed",
        arguments: [
            #"{"type":"joined"}"#, #"{"code":"nope","type":"joined"}"#, #"{"type":"joined","room":[]}"#,
            #"{"type":"joined","you":{"peerId":"\ud800"}}"#, #"{"type":"joined","media":{"kind":"movie"}}"#,
        ]
    )
    func malformedJoined(_ text: String) {
        #expect(RelayMessage.read(text) == .malformedJoined)
    }

    @Test("A joined needs its media, null or valid")
    func joinedMedia() throws {
        let text = Self.messages[1].text
        #expect(text.hasSuffix(#","media":null}"#))
        #expect(RelayMessage.read(text.replacing(#","media":null}"#, with: "}")) == .malformedJoined)
        #expect(RelayMessage.read(text.replacing(#"null}"#, with: "false}")) == .malformedJoined)
    }

    @Test("A room's media is judged, and the room read, whatever it is")
    func roomMedia() {
        let text = RelayMessage.room(RoomMessage(room: sampleRoom, media: .none)).text
        for media in ["1", "[]", "{}", #"{"kind":"movie","title":"\ud800","durationMs":1}"#, #"{"kind":{"a":[]}}"#] {
            let read = RelayMessage.read(text.replacing(#""media":null"#, with: #""media":"# + media))
            #expect(read == .message(.room(RoomMessage(room: sampleRoom, media: .malformed))))
        }
        #expect(RelayMessage.read(text.replacing(#""media":null"#, with: #""media":{]"#)) == .ignored)
    }

    @Test("Open strings keep an unpaired surrogate as one U+FFFD")
    func openStrings() {
        #expect(
            RelayMessage.read(#"{"type":"closed","reason":"a\ud800b\udc00"}"#)
                == .message(.closed(reason: "a\u{FFFD}b\u{FFFD}"))
        )
    }

    @Test("A message may be long: 16384 bytes and more (section 17)")
    func longMessages() {
        let padding = String(repeating: "x", count: 70_000)
        let text = #"{"type":"pong","id":1,"serverTime":2,"padding":"\#(padding)"}"#
        #expect(RelayMessage.read(text) == .message(.pong(id: 1, serverTimeMs: 2)))
        #expect(RelayMessage.read(text + String(repeating: " ", count: 1 << 20)) == .ignored)
    }
}

@Suite("Messages of clients")
struct ClientMessageTests {
    static let messages: [(ClientMessage, String)] = [
        (.create(name: "Anna", client: "Example/1.0"), #"{"type":"create","name":"Anna","client":"Example/1.0"}"#),
        (
            .join(code: "K7MQ2X", name: "B", client: "a/b", create: false),
            #"{"type":"join","code":"K7MQ2X","name":"B","client":"a/b"}"#
        ),
        (
            .join(code: "K7MQ2X", name: "B", client: "a/b", create: true),
            #"{"type":"join","code":"K7MQ2X","name":"B","client":"a/b","create":true}"#
        ),
        (
            .resume(code: "K7MQ2X", peerId: "p1", token: sampleToken),
            #"{"type":"resume","code":"K7MQ2X","peerId":"p1","token":"\#(sampleToken)"}"#
        ), (.leave, #"{"type":"leave"}"#), (.ping(id: 1), #"{"type":"ping","id":1}"#),
        (
            .status(StatusMessage(epoch: 2, player: .ready, match: Match(state: .matched, deltaMs: 0), offsetMs: -5)),
            #"{"type":"status","epoch":2,"player":"ready","match":{"state":"matched","deltaMs":0},"offsetMs":-5}"#
        ),
        (
            .status(StatusMessage(epoch: 0, player: .idle, match: nil, offsetMs: 0, rttMs: 20)),
            #"{"type":"status","epoch":0,"player":"idle","match":null,"offsetMs":0,"rttMs":20}"#
        ), (.play, #"{"type":"play"}"#), (.pause(positionMs: nil), #"{"type":"pause"}"#),
        (.pause(positionMs: 9_007_199_254_740_991), #"{"type":"pause","positionMs":9007199254740991}"#),
        (.seek(positionMs: 0), #"{"type":"seek","positionMs":0}"#), (.rate(1), #"{"type":"rate","rate":1}"#),
        (.rate(1.25), #"{"type":"rate","rate":1.25}"#),
        (
            .setMedia(media: sampleMedia, positionMs: 1000),
            #"{"type":"setMedia","media":\#(sampleMedia.compactJSON),"positionMs":1000}"#
        ), (.clearMedia, #"{"type":"clearMedia"}"#),
        (.setControl(.everyone), #"{"type":"setControl","control":"everyone"}"#),
        (.transferHost(peerId: "p2"), #"{"type":"transferHost","peerId":"p2"}"#),
        (.kick(peerId: "p2"), #"{"type":"kick","peerId":"p2"}"#), (.lock(false), #"{"type":"lock","locked":false}"#),
        (.end, #"{"type":"end"}"#),
    ]

    @Test("Written compactly, and read back", arguments: messages)
    func roundTrip(_ message: ClientMessage, _ text: String) throws {
        #expect(message.text == text)
        #expect(try ClientMessage(parsing: text) == message)
        #expect(try ClientMessage(parsing: #" {"x":[{}],"# + text.dropFirst()) == message)
    }

    @Test("A join's code is normalized (section 4.1)")
    func normalizes() throws {
        let message = try ClientMessage(
            parsing: #"{"type":"join","code":"k7m-q2x","name":"B","client":"a/b","create":false}"#
        )
        #expect(message == .join(code: "K7MQ2X", name: "B", client: "a/b", create: false))
    }

    @Test(
        "A text that is no object with a string type is refused without naming one",
        arguments: [
            "", "x", "[]", "{}", #"{"type":5}"#, #"{"type":"play""#, #"{"type":"play"} 1"#,
            #"{"type":"rate","rate":9,}"#,
            #"{"type":"play","a":1,"a":2}"#, #"{"type":"nope",}"#, String(repeating: "[", count: 100_000),
        ]
    )
    func noMessage(_ text: String) {
        #expect { try ClientMessage(parsing: text) } throws: { error in
            guard let refusal = error as? MessageRefusal else { return false }
            return refusal.code == "invalid_message" && refusal.re == nil && !refusal.message.isEmpty
        }
    }

    @Test("An unknown type is unsupported")
    func unsupported() {
        #expect { try ClientMessage(parsing: #"{"a":1,"type":"dance"}"#) } throws: { error in
            guard let refusal = error as? MessageRefusal else { return false }
            return refusal.code == "unsupported" && refusal.re == "dance"
        }
    }

    @Test(
        "A known type that breaks a rule is refused by its name",
        arguments: [
            ("create", #""name":"A""#), ("create", #""name":"","client":"a/b""#),
            ("create", #""name":"A","client":"ab""#),
            ("create", #""name":"\ud800","client":"a/b""#), ("create", #""name":"\u202e","client":"a/b""#),
            ("join", #""name":"A","client":"a/b""#), ("join", #""code":"K7M","name":"A","client":"a/b""#),
            ("join", #""code":"K7MQ2X","name":"A","client":"a/b","create":1"#),
            ("resume", #""code":"K7MQ2X","peerId":"p1""#),
            ("resume", #""code":"K7MQ2X","peerId":"p1","token":"short""#),
            ("ping", ""), ("ping", #""id":0"#), ("ping", #""id":"1""#), ("ping", #""id":1.5"#), ("seek", ""),
            ("seek", #""positionMs":null"#), ("seek", #""positionMs":9007199254740992"#),
            ("pause", #""positionMs":null"#),
            ("rate", ""), ("rate", #""rate":0.49"#), ("rate", #""rate":2.01"#), ("rate", #""rate":"1""#),
            ("setMedia", #""positionMs":0"#), ("setMedia", #""media":null,"positionMs":0"#),
            ("setMedia", #""media":{"kind":"movie","title":"A","durationMs":1}"#), ("setControl", #""control":"all""#),
            ("transferHost", #""peerId":"a b""#), ("kick", ""), ("lock", #""locked":0"#),
            ("status", #""epoch":0,"player":"ready","offsetMs":0"#),
            ("status", #""epoch":0,"player":"off","match":null,"offsetMs":0"#),
            ("status", #""epoch":0,"player":"idle","match":null,"offsetMs":604800001"#),
            ("status", #""epoch":0,"player":"idle","match":null,"offsetMs":0,"rttMs":-1"#),
            ("status", #""epoch":0,"player":"idle","match":{"state":"matched","deltaMs":null},"offsetMs":0"#),
        ]
    )
    func broken(_ type: String, _ members: String) {
        let text = members.isEmpty ? #"{"type":"\#(type)"}"# : #"{"type":"\#(type)",\#(members)}"#
        #expect { try ClientMessage(parsing: text) } throws: { error in
            guard let refusal = error as? MessageRefusal else { return false }
            return refusal.code == "invalid_message" && refusal.re == type && !refusal.message.isEmpty
        }
    }

    @Test("A descriptor's sizes are those received, whitespace and unknown members included")
    func receivedSizes() throws {
        func text(title: Int, spaces: Int, ext: Int = 0) -> String {
            let head = #"{"kind":"movie","title":""# + String(repeating: "t", count: title) + #"","durationMs":1"#
            let members = ext > 0 ? #","ext":{"a.b":""# + String(repeating: "e", count: ext - 10) + #""}"# : ""
            return #"{"type":"setMedia","media": "# + head + members + String(repeating: " ", count: spaces)
                + #"} ,"positionMs":0}"#
        }
        let base = #"{"kind":"movie","title":"","durationMs":1}"#.utf8.count
        #expect(throws: Never.self) { try ClientMessage(parsing: text(title: 4096 - base, spaces: 0)) }
        #expect(throws: MessageRefusal.self) { try ClientMessage(parsing: text(title: 4097 - base, spaces: 0)) }
        #expect(throws: Never.self) { try ClientMessage(parsing: text(title: 1, spaces: 4095 - base)) }
        #expect(throws: MessageRefusal.self) { try ClientMessage(parsing: text(title: 1, spaces: 4096 - base)) }
        #expect(throws: Never.self) { try ClientMessage(parsing: text(title: 1, spaces: 0, ext: 1024)) }
        #expect(throws: MessageRefusal.self) { try ClientMessage(parsing: text(title: 1, spaces: 0, ext: 1025)) }
    }
}
