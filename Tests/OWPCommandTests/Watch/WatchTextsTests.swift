// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPPlayerMPV
import OWPTransportFoundation
import OpenWatchParty
import Testing

@testable import OWPCommand

/// A room of Anna, the host, and others named by their peer IDs.
func testRoom(
    phase: Phase = .playing,
    positionMs: Int64 = 0,
    rate: Double = 1,
    waitingOn: [String] = [],
    control: Control = .host,
    names: [(peerId: String, name: String)] = [("p1", "Anna"), ("p2", "Ben")]
) -> Room {
    let participants = names.enumerated().map { index, entry in
        Participant(
            peerId: entry.peerId,
            name: entry.name,
            client: "t/1",
            host: index == 0,
            connected: true,
            player: .ready
        )
    }
    return Room(
        rev: 1,
        code: "K7MQ2X",
        epoch: 1,
        phase: phase,
        positionMs: positionMs,
        atMs: 0,
        rate: rate,
        control: control,
        locked: false,
        waitingOn: waitingOn,
        participants: participants
    )
}

@Suite("The sentences of owp watch")
struct WatchTextsTests {
    private let codes: [PartyError.Code] = [
        .invalidCode, .unreachable, .cancelled, .notInRoom, .alreadyInRoom, .forbidden, .invalidMessage, .roomNotFound,
        .roomFull, .roomLocked, .rateLimited, .relayFull, .resumeFailed, .clientBlocked,
    ]

    @Test("Every known code has a sentence that does not show the code or the relay's message")
    func known() {
        for code in codes {
            let error = PartyError(code, "SECRET")
            var texts = [WatchTexts.entering(error, code: "K7M-Q2X", relay: "http://r"), WatchTexts.refused(error)]
            if [.unreachable, .resumeFailed, .clientBlocked, .invalidMessage].contains(code) {
                texts.append(WatchTexts.ended(.lost, error))
            }
            for text in texts {
                #expect(!text.contains("SECRET"))
                #expect(!text.contains("_"))
                #expect(!text.contains("\n"))
            }
        }
    }

    @Test("An unknown code gets the general sentence, and is shown only when it looks like one")
    func unknown() {
        let plain = PartyError("too_late", "SECRET")
        let wild = PartyError(PartyError.Code(rawValue: "\u{1B}[2J\u{202E}x"), "SECRET")
        for text in [
            WatchTexts.entering(plain, code: nil, relay: "r"), WatchTexts.refused(plain),
            WatchTexts.ended(.lost, plain),
        ] {
            #expect(text.contains("(too_late)"))
        }
        for text in [
            WatchTexts.entering(wild, code: nil, relay: "r"), WatchTexts.refused(wild), WatchTexts.ended(.lost, wild),
        ] {
            #expect(!text.contains("("))
            #expect(plainText(text) == text)
        }
    }

    @Test("An unreachable relay is named")
    func unreachable() {
        let text = WatchTexts.entering(PartyError(.unreachable, ""), code: nil, relay: "http://127.0.0.1:9")
        #expect(text.contains("http://127.0.0.1:9"))
    }

    @Test("What stands in the way of a relay is said, and what to do about it")
    func obstacles() {
        let text = { (cause: TransportError?) in
            let error = PartyError(.unreachable, "", underlying: cause)
            return WatchTexts.entering(error, code: nil, relay: "http://h:1")
        }
        #expect(text(TransportError(.notConnected, "x")).contains("owp relay"))
        #expect(text(TransportError(.nameNotFound, "x")).contains("spelled"))
        #expect(text(TransportError(.refused, "x", httpStatus: 404)).contains("is no relay"))
        #expect(text(TransportError(.protocolBroken, "x")).contains("is no relay"))
        #expect(text(TransportError(.refused, "x", httpStatus: 429)).contains("from here"))
        #expect(text(TransportError(.refused, "x", httpStatus: 503)).contains("try again later"))
        #expect(text(TransportError(.tls, "a certificate\u{1B}")).contains(#"a certificate\u{1B}"#))
        #expect(text(TransportError(.noLibrary, "install libcurl")) == "install libcurl")
        #expect(text(nil).contains("does not answer"))
        #expect(text(TransportError(.lost, "x")).contains("cannot be reached"))
    }

    @Test("Every end has a sentence of its own")
    func ends() {
        let texts = EndReason.allCases.map { WatchTexts.ended($0, nil) }
        #expect(Set(texts).count == EndReason.allCases.count)
        #expect(texts.allSatisfy { !$0.isEmpty })
    }

    private func action(_ kind: String, by: String? = "p2", byMe: Bool = false, room: Room = testRoom()) -> ActionEvent
    {
        let entry = room.participants.first { $0.peerId == by }
        return ActionEvent(kind: kind, byPeerId: by, by: entry, byMe: byMe, room: room)
    }

    @Test("Every action has its sentence, and an unknown one none")
    func actions() {
        let media = Media(kind: .video, title: "Heat", durationMs: 95_000)
        let text = { (event: ActionEvent, offsetMs: Int64) in WatchTexts.action(event, media: media, offsetMs: offsetMs)
        }
        #expect(text(action("play"), 0) == "Ben pressed play.")
        #expect(text(action("pause", by: "p1", byMe: true), 0) == "You paused.")
        #expect(text(action("seek", room: testRoom(positionMs: 754_000)), 0) == "Ben jumped to 12:34.")
        #expect(text(action("seek", room: testRoom(positionMs: 754_000)), 5000) == "Ben jumped to 12:39.")
        #expect(text(action("seek", room: testRoom(positionMs: 1000)), -5000) == "Ben jumped to 0:00.")
        #expect(text(action("rate", room: testRoom(rate: 1.25)), 0) == "Ben set the speed to 1.25×.")
        #expect(text(action("media", by: "p1"), 0) == "Anna started 'Heat' (1:35).")
        #expect(text(action("media", by: "p1", room: testRoom(phase: .idle)), 0) == "Anna stopped the video.")
        #expect(text(action("stall"), 0) == "Waiting for Ben.")
        #expect(text(action("stall", room: testRoom(phase: .waiting, waitingOn: ["p2"])), 0) == nil)
        #expect(text(action("ended", by: nil), 0) == "Finished.")
        #expect(text(action("host", by: nil), 0) == "Anna is now the host.")
        #expect(text(action("fireworks"), 0) == nil)
        #expect(text(action("play", by: "gone"), 0) == "Somebody pressed play.")
    }

    @Test(
        "A mismatch names both lengths",
        arguments: [(95_000, "1:35.0 longer", "1:36:35.0"), (-900, "0:00.9 shorter", "1:34:59.1")]
    )
    func mismatch(deltaMs: Int64, difference: String, own: String) {
        let text = WatchTexts.mismatch(
            "x.mkv",
            deltaMs: deltaMs,
            media: Media(kind: .video, title: "t", durationMs: 5_700_000)
        )
        #expect(text.contains(difference))
        #expect(text.contains(own))
        #expect(text.contains("1:35:00.0"))
    }

    @Test("Rates", arguments: [(1.0, "1×"), (1.25, "1.25×"), (0.5, "0.5×"), (1.05, "1.05×"), (2, "2×")])
    func rates(rate: Double, text: String) {
        #expect(WatchTexts.rateText(rate) == text)
    }

    @Test("FR-03: one line names whom the room waits for, and one says that the wait is over")
    func waits() {
        var lines = WaitLines()
        let waiting = testRoom(phase: .waiting, waitingOn: ["p2"])
        #expect(lines.take(testRoom(), me: "p1", atMs: 0) == nil)
        #expect(lines.lookAgainAtMs == nil)
        #expect(lines.take(waiting, me: "p1", atMs: 100) == nil)
        #expect(lines.lookAgainAtMs == 800)
        #expect(lines.take(waiting, me: "p1", atMs: 799) == nil)
        #expect(lines.take(waiting, me: "p1", atMs: 800) == "Waiting for Ben.")
        #expect(lines.take(waiting, me: "p1", atMs: 900) == nil)
        #expect(lines.lookAgainAtMs == nil)
        #expect(
            lines.take(testRoom(phase: .waiting, waitingOn: ["p1", "p2", "p9"]), me: "p1", atMs: 901)
                == "Waiting for your player, Ben and somebody."
        )
        #expect(lines.take(testRoom(), me: "p1", atMs: 1000) == "Everyone is ready: playing.")
        #expect(lines.take(testRoom(), me: "p1", atMs: 1001) == nil)
        #expect(lines.take(waiting, me: "p1", atMs: 2000) == nil)
        #expect(lines.take(waiting, me: "p1", atMs: 2700) != nil)
        #expect(lines.take(testRoom(phase: .paused), me: "p1", atMs: 2800) == nil)
    }

    @Test("A wait that nobody notices is not told of, nor its end")
    func shortWait() {
        var lines = WaitLines()
        for start in [Int64(0), 5000] {
            #expect(lines.take(testRoom(phase: .waiting, waitingOn: ["p2"]), me: "p1", atMs: start) == nil)
            #expect(lines.take(testRoom(), me: "p1", atMs: start + 699) == nil)
            #expect(lines.lookAgainAtMs == nil)
        }
    }
}

@Suite("The keys of owp watch")
struct WatchKeyTests {
    private func keys(_ bytes: [UInt8]) -> [WatchKey] {
        var reader = WatchKeyReader()
        return bytes.compactMap { reader.take($0) }
    }

    @Test("Keys, arrows in both forms, and what is no key")
    func reads() {
        #expect(keys(Array(" q".utf8)) == [.playOrPause, .quit])
        #expect(
            keys(Array("\u{1B}[C\u{1B}[D\u{1B}OA\u{1B}OB".utf8)) == [
                .seek(byMs: 10_000), .seek(byMs: -10_000), .seek(byMs: 60_000), .seek(byMs: -60_000),
            ]
        )
        #expect(
            keys(Array(",.<>0".utf8)) == [
                .offset(byMs: -100), .offset(byMs: 100), .offset(byMs: -1000), .offset(byMs: 1000), .resetOffset,
            ]
        )
        #expect(keys(Array("ach?p".utf8)) == [.acceptMismatch, .toggleControl, .help, .help, .playOrPause])
        #expect(keys(Array("\u{1B}[1;2C\u{1B}[3~ ".utf8)) == [.playOrPause])
        #expect(keys(Array("\u{1B} zé€".utf8)) == [.playOrPause])
    }
}

@Suite("The command line of owp watch")
struct WatchSettingsTests {
    private func settings(_ words: [String], user: String? = "anna") throws -> WatchSettings {
        let environment = user.map { ["USER": $0] } ?? [:]
        return try WatchSettings(Arguments(words, options: WatchCommand.options), environment: environment)
    }

    @Test("Creating and joining")
    func entries() throws {
        let folder = try TestFolder()
        let file = try folder.write("a.mkv")
        let host = try settings(["--create", file, "--start-with", "2", "--name", "Ann", "--headless"])
        #expect(host.entry == .create(try #require(LocalFile(path: file))))
        #expect(host.startWith == 2)
        #expect(host.name == "Ann")
        #expect(host.player.isHeadless)
        let guest = try settings(["k7m-q2x", file, folder.path, "--offset", "-5000", "--relay", "http://h:1"])
        #expect(guest.entry == .join(code: "K7MQ2X"))
        #expect(guest.library.named.count == 1)
        #expect(guest.library.folders == [folder.path])
        #expect(guest.offsetMs == -5000)
        #expect(guest.relay == "http://h:1")
        #expect(guest.name == "anna")
        #expect(try settings(["K7MQ2X", file], user: nil).name == "Guest")
        #expect(try settings(["K7MQ2X", file], user: "\u{1B}\u{202E}").name == "Guest")
        #expect(try settings(["K7MQ2X", file], user: String(repeating: "x", count: 99)).name.count <= 32)
    }

    @Test("What cannot be run is a usage error that says what to do")
    func refused() throws {
        let folder = try TestFolder()
        let file = try folder.write("a.mkv")
        let bad: [[String]] = [
            [], ["--create"], ["K7MQ2X"], ["K7MO2X", file], [file], ["K7MQ2X", folder.path + "/none.mkv"],
            ["--create", folder.path], ["--create", file, "--offset", "5"], ["--create", file, "--accept-mismatch"],
            ["K7MQ2X", file, "--start-with", "2"], ["--create", file, "--start-with", "0"],
            ["K7MQ2X", file, "--offset", "x"],
            ["K7MQ2X", file, "--offset", "604800001"], ["K7MQ2X", file, "--name", ""], ["K7MQ2X", file, "--wat"],
            ["K7MQ2X", file, "--name", String(repeating: "x", count: 33)],
        ]
        for words in bad {
            let error = #expect(throws: UsageError.self) { try settings(words) }
            #expect(error?.message.contains("\n") == false, "\(words)")
        }
    }
}
