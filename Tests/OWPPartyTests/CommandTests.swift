// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPParty
import OWPSync
import OWPWire
import Testing

@Suite("Local commands and the offset (sections 12 and 13)")
struct CommandTests {
    /// A playing room whose position is local time, with the party as host.
    private let playing = Room.sample(phase: .playing, positionMs: 0, atMs: 1_000_000)

    private func inStep() -> StagePlayer {
        var player = StagePlayer()
        player.reading.paused = false
        return player
    }

    private static let all: [PartyInput] = [
        .play, .pause, .seek(1), .setRate(1), .setMedia(.sample(), 1, 1, positionMs: 0), .clearMedia,
        .setControl(.everyone), .transferHost("b1"), .kick("b1"), .lock(true), .end,
    ]

    @Test("outside a room, and while reconnecting, every command is not_in_room", arguments: all)
    func notInRoom(_ command: PartyInput) throws {
        var idle = try Stage()
        #expect(refusal(idle.take(command)) == .notInRoom)
        var dropped = try Stage.inRoom(.sample(), .sample())
        dropped.take(.ended(1, closeCode: 1001, nil))
        #expect(refusal(dropped.take(command)) == .notInRoom)
    }

    @Test("a guest without control: media is checked before control, and control before values (section 12)")
    func order() throws {
        var noMedia = try Stage.inRoom(.sample(epoch: 0, phase: .idle, guestAndHost))
        #expect(refusal(noMedia.take(.play)) == .invalidMessage)
        var guest = try Stage.inRoom(.sample(guestAndHost), .sample())
        #expect(refusal(guest.take(.seek(-1))) == .forbidden)
        #expect(refusal(guest.take(.setRate(9))) == .forbidden)
        #expect(refusal(guest.take(.setMedia(.sample(""), 1, 1, positionMs: -1))) == .forbidden)
        #expect(refusal(guest.take(.kick("nobody"))) == .forbidden)
    }

    @Test("host commands send one message each, with no local effect and no hold")
    func hostCommands() throws {
        var stage = try Stage.inRoom(.sample(), .sample())
        #expect(stage.take(.clearMedia) == [.send(1, .clearMedia)])
        #expect(stage.take(.setControl(.everyone)) == [.send(1, .setControl(.everyone))])
        #expect(stage.take(.transferHost("b1")) == [.send(1, .transferHost(peerId: "b1"))])
        #expect(stage.take(.kick("a1")) == [.send(1, .kick(peerId: "a1"))], "the party itself is not refused")
        #expect(stage.take(.lock(true)) == [.send(1, .lock(true))])
        #expect(stage.take(.end) == [.send(1, .end)])
        #expect(refusal(stage.take(.kick("c1"))) == .invalidMessage)
    }

    @Test("values out of bounds are invalid_message, before any effect (sections 2 and 12)")
    func values() throws {
        var stage = try Stage.following(playing, inStep())
        let largest: Int64 = 9_007_199_254_740_991
        let bad: [PartyInput] = [
            .seek(-1), .seek(largest + 1), .seek(.max), .setRate(0.49), .setRate(2.01), .setRate(.nan),
            .setMedia(.sample(""), 1, 1, positionMs: 0), .setMedia(.sample(), 1, 1, positionMs: -1),
            .setMedia(.sample(), 1, 1, positionMs: largest + 1), .setOffset(604_800_001), .setOffset(-604_800_001),
            .setOffset(.min),
        ]
        for command in bad { #expect(refusal(stage.take(command)) == .invalidMessage) }
        stage.take(.setOffset(-604_800_000))
        #expect(refusal(stage.take(.seek(largest))) == .invalidMessage, "ms − offset is checked")
        stage.take(.setOffset(604_800_000))
        stage.take(.seek(largest))
        #expect(stage.sent().last == .seek(positionMs: largest - 604_800_000))
        stage.take(.seek(0))
        #expect(stage.sent().last == .seek(positionMs: 0))
        stage.take(.setOffset(-604_800_000))
        stage.players[1]?.reading.positionMs = largest
        #expect(refusal(stage.take(.pause)) == .invalidMessage)
    }

    @Test("pause, seek and setRate act on a bound player at once, and hold the steps (section 12)")
    func localEffects() throws {
        var stage = try Stage.following(playing, inStep())
        stage.take(.setOffset(100))
        stage.advance(by: 5000)
        stage.players[1]?.reading.positionMs = 6100
        #expect(
            stage.take(.pause) == [
                .command(1, .pause), .send(1, .pause(positionMs: 6000)), .startTimer(.hold, afterMs: 2000),
            ]
        )
        let seek = stage.take(.seek(50_000))
        #expect(seek.prefix(2) == [.command(1, .seek(50_000)), .send(1, .seek(positionMs: 49_900))])
        #expect(seek.contains(.startTimer(.hold, afterMs: 2000)))
        #expect(stage.take(.setRate(1.5)).prefix(2) == [.command(1, .setRate(1.5)), .send(1, .rate(1.5))])
        #expect(!stage.take(.play).contains { if case .command = $0 { true } else { false } })
        let mark = stage.commands().count
        stage.advance(by: 1999)
        #expect(stage.commands().count == mark, "no step during the hold")
        stage.advance(by: 1)
        #expect(stage.commands().count > mark, "the hold's end steps")
    }

    @Test("unbound, a pause has no position, no effect, but the hold (section 12)")
    func unbound() throws {
        var stage = try Stage.inRoom(playing, .sample())
        #expect(stage.take(.pause) == [.send(1, .pause(positionMs: nil)), .startTimer(.hold, afterMs: 2000)])
        stage.players[1] = inStep()
        stage.take(.attachPlayer(1, 7))
        #expect(stage.take(.pause).contains(.send(1, .pause(positionMs: nil))), "a player of another file")
        stage.take(.seek(5000))
        stage.take(.setRate(1.5))
        #expect(stage.commands() == [])
    }

    @Test("the hold ends with a room that carries an action, or an error of its command; a new one replaces it")
    func holdEnds() throws {
        var stage = try Stage.following(playing, inStep())
        stage.take(.setRate(1.5))
        stage.receive(.room(.sample(rev: 2, phase: .playing, atMs: 1_000_000)))
        #expect(stage.runningTimers.contains(.hold))
        stage.receive(.error("forbidden", re: "seek"))
        #expect(stage.runningTimers.contains(.hold))
        #expect(stage.commands().last == .setRate(1.5))
        stage.receive(.error("forbidden", re: "rate"))
        #expect(!stage.runningTimers.contains(.hold))
        #expect(stage.commands().last == .setRate(1), "its end steps")
        stage.take(.setRate(1.5))
        stage.take(.seek(0))
        stage.receive(.error("forbidden", re: "rate"))
        #expect(stage.runningTimers.contains(.hold))
        stage.receive(
            .room(.sample(rev: 3, phase: .playing, atMs: 1_000_000), action: RoomAction(kind: "x", by: nil))
        )
        #expect(!stage.runningTimers.contains(.hold))
    }

    @Test("FR-13: a refused seek is an event, and the first step after the cooldown undoes it (sections 11.2 and 12)")
    func refusedSeek() throws {
        let room = Room.sample(phase: .playing, atMs: 1_000_000, control: .everyone, guestAndHost)
        var stage = try Stage.following(room, inStep())
        stage.advance(to: 100_000)
        stage.take(.seek(500_000))
        stage.advance(to: 100_080)
        stage.receive(.error("forbidden", re: "seek"))
        #expect(stage.events() == [.error(PartyFailure(.forbidden, "no", re: "seek"))])
        stage.advance(to: 101_999)
        #expect(stage.commands(since: 100_001).isEmpty)
        stage.advance(to: 102_000)
        #expect(stage.commands(since: 100_001) == [.seek(102_250)])
        #expect(stage.machine.state.connection == .connected)
    }

    @Test("FR-25: play is always sent, also 300 ms after a pause (section 12)")
    func playAfterPause() throws {
        let room = Room.sample(phase: .playing, positionMs: 600_000, atMs: 1_000_000)
        var player = inStep()
        player.reading.positionMs = 600_000
        var stage = try Stage.following(room, player)
        let pausedAt = stage.nowMs
        stage.take(.pause)
        stage.advance(by: 300)
        stage.take(.play)
        let commands: [ClientMessage] = stage.sent(since: pausedAt).filter {
            if case .status = $0 { false } else { true }
        }
        #expect(commands == [.pause(positionMs: 601_000), .play])
        #expect(stage.players[1]?.reading.paused == true)
        stage.receive(
            .room(.sample(rev: 2, phase: .paused, positionMs: 601_000), action: RoomAction(kind: "pause", by: "a1"))
        )
        stage.advance(by: 100)
        let atMs = stage.nowMs + 800
        stage.receive(
            .room(
                .sample(rev: 3, phase: .playing, positionMs: 601_000, atMs: atMs + 1_000_000),
                action: RoomAction(kind: "play", by: "a1")
            )
        )
        stage.advance(to: atMs - 1)
        #expect(stage.players[1]?.reading.paused == true)
        stage.advance(to: atMs)
        #expect(stage.players[1]?.reading.paused == false)
    }

    @Test("the offset needs no room; a new epoch sets it to 0, a joined too (section 13)")
    func offset() throws {
        var stage = try Stage()
        stage.take(.setOffset(500))
        #expect(stage.machine.state.offsetMs == 500)
        stage.take(.create(1, onlyRelay))
        stage.take(.opened(1))
        stage.receive(.joined(.sample(epoch: 0, phase: .idle)))
        #expect(stage.machine.state.offsetMs == 0)
    }
}

@Suite("Who may command what, and what it does not do (section 12)")
struct CommandRightTests {
    private static let playbackCommands: [PartyInput] = [.play, .pause, .seek(1), .setRate(1)]
    private static let hostCommands: [PartyInput] = [
        .setMedia(.sample(), 1, 1, positionMs: 0), .clearMedia, .setControl(.everyone), .transferHost("b1"),
        .kick("b1"), .lock(true), .end,
    ]

    @Test("playback needs media, then control", arguments: playbackCommands)
    func playback(_ command: PartyInput) throws {
        var noMedia = try Stage.inRoom(.sample(epoch: 0, phase: .idle))
        #expect(refusal(noMedia.take(command)) == .invalidMessage)
        var guest = try Stage.inRoom(.sample(guestAndHost), .sample())
        #expect(refusal(guest.take(command)) == .forbidden)
        var everyone = try Stage.inRoom(.sample(control: .everyone, guestAndHost), .sample())
        #expect(refusal(everyone.take(command)) == nil)
    }

    @Test("host commands are the host's alone, also while everyone controls", arguments: hostCommands)
    func host(_ command: PartyInput) throws {
        var guest = try Stage.inRoom(.sample(control: .everyone, guestAndHost), .sample())
        #expect(refusal(guest.take(command)) == .forbidden)
        var idle = try Stage.inRoom(.sample(epoch: 0, phase: .idle))
        #expect(refusal(idle.take(command)) == nil, "media is not asked for")
    }

    @Test("a participant who is not connected can be named, and the party itself")
    func disconnected() throws {
        let away = [Participant.peer("a1", host: true), .peer("b1", connected: false)]
        var stage = try Stage.inRoom(.sample(away))
        #expect(stage.take(.kick("b1")) == [.send(1, .kick(peerId: "b1"))])
        #expect(stage.take(.transferHost("b1")) == [.send(1, .transferHost(peerId: "b1"))])
        #expect(stage.take(.transferHost("a1")) == [.send(1, .transferHost(peerId: "a1"))])
        #expect(refusal(stage.take(.transferHost("c1"))) == .invalidMessage)
    }

    @Test("a local seek is not clamped to the file, and is loading until it has landed")
    func unclamped() throws {
        var stage = try Stage.following(.sample(phase: .paused))
        stage.endsCommands = false
        #expect(stage.take(.seek(9_000_000)).first == .command(1, .seek(9_000_000)))
        #expect(stage.machine.state.player == .loading)
    }

    @Test("a player without rate control takes no rate, and setMedia's position is not shifted by the offset")
    func passedOn() throws {
        var player = StagePlayer()
        player.reading.canSetRate = false
        var stage = try Stage.following(.sample(phase: .paused), player)
        #expect(!stage.take(.setRate(1.5)).contains { if case .command = $0 { true } else { false } })
        stage.take(.setOffset(500))
        #expect(
            stage.take(.setMedia(.sample("Y"), 9, 9, positionMs: 7)).contains { effect in
                effect == .send(1, .setMedia(media: .sample("Y"), positionMs: 7))
            }
        )
    }

    @Test("an error of the party's own has text, and no refused message (section 15)")
    func ownErrors() throws {
        var stage = try Stage()
        guard case .refuse(let failure)? = stage.take(.play).first else { return #expect(Bool(false)) }
        #expect(failure.re == nil)
        #expect(!failure.message.isEmpty)
    }

    @Test("play and setMedia start no hold")
    func noHold() throws {
        var stage = try Stage.following(.sample(phase: .paused))
        stage.take(.play)
        stage.take(.setMedia(.sample("Y"), 9, 9, positionMs: 0))
        #expect(!stage.runningTimers.contains(.hold))
    }
}
