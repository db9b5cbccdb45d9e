// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OWPPlayerMPV
import OWPWire
import OpenWatchParty

/// One `owp watch` from entering a room to having left it: a party, its mpv, and a person.
@MainActor
package final class WatchSession {
    let settings: WatchSettings
    let output: WatchOutput
    let party: WatchParty<LocalFile>
    /// The player, once there was something to open.
    private(set) var player: MPVPlayer?
    /// Called before the process is ended at once, for what must not stay as it is.
    var beforeExit: (@MainActor () -> Void)?
    /// The copy of another length that was declined last.
    var declined: Candidate<LocalFile>?

    private let probe: PlayerProbe
    private var opened: LocalFile?
    private var opening: Task<Void, Never>?
    private var entering: Task<Void, any Error>?
    private var followers: [Task<Void, Never>] = []
    private var changes = StateChanges()
    /// Whether a choice may be opened: the host's own only once the room stands still.
    private var mayOpen: Bool
    private var hasStarted = false
    /// Whether the pause with which a new room begins is still to be told; it is no news.
    private var awaitsFirstPause: Bool
    /// Whether the room was asked to play because enough were ready, and has not answered yet.
    private var startsByItself = false
    private var interruptions = Interruptions()
    private let clock = SystemClock()
    private var cancelLook: (@MainActor () -> Void)?
    private var status: Int32?
    private var ending: CheckedContinuation<Int32, Never>?

    /// Makes a session that has not begun.
    ///
    /// - Throws: `UsageError` for a relay or name that cannot be used.
    package init(_ settings: WatchSettings, output: WatchOutput) throws {
        self.settings = settings
        self.output = output
        let probe = PlayerProbe(program: settings.player.program)
        self.probe = probe
        let joins = if case .join = settings.entry { true } else { false }
        mayOpen = joins
        awaitsFirstPause = !joins
        let library = settings.library
        do {
            party = try WatchParty(
                relays: Relays.at(settings.relay),
                client: "owp/\(owpVersion)",
                name: settings.name,
                resolver: Resolver { media in
                    await library.candidates(for: media) { file in
                        do {
                            return try await probe.durationMs(of: file)
                        } catch let error as MPVError {
                            // Who named the file wants to know why it is not taken.
                            if library.named.contains(file) {
                                let failure = CommandFailure(error, program: settings.player.program, file: file)
                                output.warn("unplayable", ["file": .plain(file.name)], "owp watch: \(failure.message)")
                            }
                            throw error
                        }
                    }
                }
            )
        } catch {
            let form = "http://HOST:PORT or https://HOST"
            throw UsageError("'\(plainText(settings.relay))' is no address of a relay, such as \(form)")
        }
    }

    /// Enters the room and stays until it has ended or was left; the player has ended then.
    ///
    /// - Parameter signals: Each asks to leave; a second one, half a second later or more, ends the process at once.
    /// - Returns: The exit status.
    /// - Throws: `CommandFailure` when the room could not be entered.
    package func run(signals: AsyncStream<Int32>? = nil) async throws -> Int32 {
        if let signals {
            followers.append(Task { [weak self] in for await _ in signals { self?.interrupted() } })
        }
        follow()
        let entering = Task { try await self.enter() }
        self.entering = entering
        do {
            try await entering.value
        } catch {
            await endAll()
            if error is CancellationError, let status {
                guard status == 0 else { return status }
                throw failure(PartyError(.cancelled, "interrupted"))
            }
            throw failure(error)
        }
        self.entering = nil
        let status = await withCheckedContinuation { continuation in
            if let status = self.status { continuation.resume(returning: status) } else { ending = continuation }
        }
        await endAll()
        return status
    }

    /// Ends the session with an exit status; only the first call counts.
    func finish(_ status: Int32) {
        guard self.status == nil else { return }
        self.status = status
        entering?.cancel()
        ending?.resume(returning: status)
        ending = nil
    }

    // MARK: Entering

    private func enter() async throws {
        switch settings.entry {
        case .join(let code):
            try await connecting { try await party.join(code) }
            output.tell(
                "joined",
                ["code": .string(code)],
                "You are in room \(display(code)) as \(plainText(settings.name))."
            )
            if party.state.media == nil {
                output.tell("idle", [:], "Nothing is being watched yet; the host decides what.")
            }
        case .create(let file):
            let name = plainText(file.name)
            let length = try await noting("opening", "mpv is opening '\(name)' to learn its length.") {
                try await probe.durationMs(of: file)
            }
            guard let durationMs = length else {
                throw CommandFailure("mpv does not know how long '\(name)' is; is it a video?")
            }
            let media = Media.sharing(file, durationMs: durationMs, oshash: oshash(ofFile: file.path))
            let code = try await connecting { try await party.create() }
            try await share(media, file)
            let relays = settings.invitingRelays.isEmpty ? [settings.relay] : settings.invitingRelays
            output.tell(
                "created",
                ["code": .string(code), "relays": .array(relays.map { .string(plainText($0)) })],
                WatchTexts.invitation(display(code), media, relays, settings)
            )
        }
        changes.isInside = true
        take(party.state)
    }

    /// Shares the file and has the room stand still at 0, before there is a player that could let it start.
    private func share(_ media: Media, _ file: LocalFile) async throws {
        if settings.everyoneControls { try party.setControl(.everyone) }
        try party.setMedia(media, ref: file)
        try await until { $0.media != nil && $0.room?.phase != .idle }
        try party.pause()
        try await until { $0.room?.phase == .paused }
        mayOpen = true
    }

    private func until(_ isSo: (PartyState<LocalFile>) -> Bool) async throws {
        let states = party.states()
        if isSo(party.state) { return }
        for await state in states where isSo(state) { return }
        try Task.checkCancellation()
    }

    private func display(_ code: String) -> String { (try? formatCode(code)) ?? plainText(code) }

    private func failure(_ error: any Error) -> CommandFailure {
        switch error {
        case let error as CommandFailure: return error
        case let error as MPVError:
            if case .create(let file) = settings.entry {
                return CommandFailure(error, program: settings.player.program, file: file)
            }
            return CommandFailure(error, program: settings.player.program)
        case let error as PartyError:
            var typed: String?
            if case .join(let code) = settings.entry { typed = display(code) }
            let text = WatchTexts.entering(error, code: typed, relay: settings.relay)
            return CommandFailure(text, code: error.code.rawValue)
        default: return CommandFailure("the room could not be entered")
        }
    }

    // MARK: Following

    private func follow() {
        let states = party.states()
        let events = party.events()
        followers.append(Task { [weak self] in for await state in states { self?.take(state) } })
        followers.append(Task { [weak self] in for await event in events { self?.take(event) } })
    }

    private func take(_ state: PartyState<LocalFile>) {
        guard status == nil else { return }
        for change in changes.take(state, atMs: clock.nowMs()) { change.tell(output) }
        lookAgain()
        guard changes.isInside else { return }
        // As things are now: what was published before may have been answered already.
        if let mismatch = party.state.mismatch, let media = party.state.media { answer(mismatch, media) }
        openChoice()
        startWhenReady(party.state)
    }

    /// Takes the state again when that is due, though it stays the same.
    private func lookAgain() {
        cancelLook?()
        cancelLook = changes.lookAgainAtMs.map { dueMs in
            clock.schedule(afterMs: dueMs - clock.nowMs()) { [weak self] in
                guard let self else { return }
                take(party.state)
            }
        }
    }

    private func take(_ event: any PartyEvent) {
        switch event {
        case let event as ActionEvent: take(event)
        case let event as ParticipantJoinedEvent:
            let name = plainText(event.participant.name)
            output.tell("participantJoined", ["name": .string(name)], "\(name) joined.")
        case let event as ParticipantLeftEvent:
            let name = plainText(event.participant.name)
            output.tell("participantLeft", ["name": .string(name)], "\(name) left.")
        case let event as ErrorEvent: refused(event.error)
        case is ResolveFailedEvent:
            output.warn("searchFailed", [:], "The search for your copy took too long.")
        case is PlayBlockedEvent:
            output.warn("playBlocked", [:], "mpv does not start; press play in its window.")
        case let event as EndedEvent:
            output.tell(
                "ended",
                ["reason": .string(event.reason.rawValue), "code": .plain(event.error?.code.rawValue)],
                WatchTexts.ended(event.reason, event.error)
            )
            let isOrderly = [EndReason.left, .ended, .expired].contains(event.reason)
            finish(isOrderly ? 0 : 1)
        default: break
        }
    }

    private func take(_ event: ActionEvent) {
        let isNews = !(awaitsFirstPause && event.byMe)
        if event.byMe, event.kind == "pause" { awaitsFirstPause = false }
        var text = isNews ? WatchTexts.action(event, media: party.state.media, offsetMs: party.state.offsetMs) : nil
        if startsByItself, event.byMe, event.kind == "play" {
            startsByItself = false
            text = WatchTexts.startedByItself(settings.startWith ?? 1)
        }
        output.tell(
            "action",
            [
                "kind": .plain(event.kind), "by": .plain(event.by?.name), "byMe": .bool(event.byMe),
                "positionMs": .ms(event.room.positionMs), "rate": .number(event.room.rate),
            ],
            text
        )
    }

    /// Tells that the room refused something.
    func refused(_ error: PartyError) {
        output.warn(
            "refused",
            ["code": .plain(error.code.rawValue), "re": .plain(error.re)],
            WatchTexts.refused(error)
        )
        // Without its media a new room is of no use.
        if entering != nil { finish(1) }
    }

    private func startWhenReady(_ state: PartyState<LocalFile>) {
        guard let wanted = settings.startWith, !hasStarted, let room = state.room, room.phase == .paused,
            state.player == .ready
        else { return }
        let ready = room.participants.count { $0.connected && $0.player == .ready }
        guard ready >= wanted else { return }
        hasStarted = true
        startsByItself = (try? party.play()) != nil
    }

    // MARK: The player

    private func openChoice() {
        guard mayOpen, status == nil, opening == nil else { return }
        let file = party.state.choice?.ref
        guard file != opened, file != nil || player != nil else { return }
        opening = Task { [weak self] in
            if let file { await self?.open(file) } else { await self?.rest() }
            self?.opening = nil
            self?.openChoice()
        }
    }

    /// Keeps the player still, since the room is done with what it has open.
    private func rest() async {
        opened = nil
        try? await player?.pause()
    }

    private func open(_ file: LocalFile) async {
        do {
            let player = try await currentPlayer()
            try await player.open(file.path)
            opened = file
            guard status == nil, party.state.choice?.ref == file else { return }
            if let offsetMs = settings.offsetMs, !changes.hasOffset {
                changes.hasOffset = true
                try? party.setOffset(offsetMs)
            }
            party.attachPlayer(player, ref: file)
            output.tell("opened", ["file": .string(plainText(file.name)), "durationMs": .ms(player.durationMs)])
        } catch {
            guard status == nil else { return }
            let failed = (error as? MPVError) ?? .ended
            output.warn(
                "playerFailed",
                [:],
                "owp watch: " + CommandFailure(failed, program: settings.player.program, file: file).message
            )
            opened = file
            // Who cannot open it does not keep the others waiting.
            if player?.hasEnded ?? true { finish(1) } else { party.detachPlayer() }
        }
    }

    private func currentPlayer() async throws -> MPVPlayer {
        if let player { return player }
        let player = try await MPVPlayer.start(settings.player)
        self.player = player
        player.onChange = { [weak self] in self?.party.playerChanged() }
        player.onAct = { [weak self] in self?.take($0) }
        player.onEnd = { [weak self] in self?.playerEnded($0) }
        output.tell("player", ["ipcSocket": .string(player.socketPath)])
        return player
    }

    private func playerEnded(_ code: Int32?) {
        guard status == nil else { return }
        if code == 0 {
            output.tell("playerClosed", [:], "mpv was closed, so you leave the room.")
            finish(0)
        } else {
            let how = code.map { $0 < 0 ? "by signal \(-$0)" : "with status \($0)" } ?? "unexpectedly"
            output.warn("playerFailed", [:], "owp watch: mpv ended \(how)")
            finish(1)
        }
    }

    // MARK: Leaving

    private func interrupted() {
        switch interruptions.take(atMs: clock.nowMs()) {
        case .end: finish(0)
        case .echo: break
        case .endAtOnce:
            player?.kill()
            beforeExit?()
            exit(130)
        }
    }

    private func endAll() async {
        status = status ?? 1
        output.show(status: "")
        opening?.cancel()
        await opening?.value
        player?.onAct = nil
        if settings.hostsRelay { await endRoom() }
        // The player goes last: what the party still does to it must have ended.
        await party.close().value
        await player?.close()
        await untilParted()
        for follower in followers { follower.cancel() }
    }
}
