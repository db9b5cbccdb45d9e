// OpenWatchParty for Swift. See LICENSE.

import OWPPlayerMPV
import OWPWire
import OpenWatchParty

/// What the person does, in mpv's window and at the terminal: each of it goes through the party.
extension WatchSession {
    /// Takes what was done in mpv's own window.
    func take(_ act: PersonAct) {
        ask {
            switch act {
            case .play: try party.play()
            case .pause: try party.pause()
            case .seek(let position): try party.seek(to: position)
            case .rate(let factor): try party.setRate(rate(by: factor))
            }
        }
    }

    /// Takes a key pressed at the terminal.
    func take(_ key: WatchKey) {
        ask {
            switch key {
            case .playOrPause:
                switch party.state.room?.phase {
                case .playing, .waiting: try party.pause()
                default: try party.play()
                }
            case .seek(let step): try seek(by: step)
            case .offset(let step): try setOffset(party.state.offsetMs + step)
            case .resetOffset: try setOffset(0)
            case .toggleControl:
                try party.setControl(party.state.room?.control == .everyone ? .host : .everyone)
            case .acceptMismatch: takeDeclined()
            case .help: output.tell("help", [:], WatchKey.list)
            case .quit: finish(0)
            }
        }
    }

    /// The line that shows how things stand.
    var statusLine: String {
        guard let room = party.state.room, party.state.media != nil, let position = party.roomPositionMs() else {
            return ""
        }
        let mark =
            switch room.phase {
            case .playing: "▶"
            case .waiting: "…"
            case .paused, .idle: "‖"
            }
        let (own, overflow) = position.addingReportingOverflow(party.state.offsetMs)
        let names = room.participants.map { participant in
            let state =
                switch (participant.connected, participant.player) {
                case (false, _): " (away)"
                case (true, .ready): ""
                case (true, .idle): " (not watching)"
                case (true, .loading): " (loading)"
                case (true, .buffering): " (buffering)"
                }
            return plainText(participant.name) + state
        }
        let rate = room.rate == 1 ? "" : " \(WatchTexts.rateText(room.rate))"
        let offset = party.state.offsetMs == 0 ? "" : " offset \(party.state.offsetMs) ms"
        let people = party.state.connection == .reconnecting ? ["no connection, trying again"] : names
        return
            "\(mark) \(clockText(overflow ? position : max(0, own)))\(rate)\(offset)  \(people.joined(separator: ", "))"
    }

    /// Answers, for the person, whether a copy of another length is played.
    func answer(_ mismatch: Mismatch<LocalFile>, _ media: Media) {
        let accepts = settings.acceptsMismatch || settings.offsetMs != nil
        var text = WatchTexts.mismatch(mismatch.candidate.ref.name, deltaMs: mismatch.deltaMs, media: media)
        if accepts {
            text += "\nIt is played all the same."
        } else {
            text += "\nSo it was declined. To watch it anyway, press a here, or join with --accept-mismatch; "
            text += "with --offset \(mismatch.deltaMs) when all the difference is at its beginning."
        }
        output.tell(
            "mismatch",
            [
                "file": .string(plainText(mismatch.candidate.ref.name)), "deltaMs": .ms(mismatch.deltaMs),
                "ownMs": .ms(media.durationMs.addingReportingOverflow(mismatch.deltaMs).partialValue),
                "roomMs": .ms(media.durationMs), "accepted": .bool(accepts),
            ],
            text
        )
        if accepts {
            party.acceptMismatch()
        } else {
            declined = mismatch.candidate
            party.declineMismatch()
        }
    }

    private func ask(_ command: () throws -> Void) {
        do {
            try command()
        } catch let error as PartyError {
            refused(error)
            // What was done to the player alone is put right at once.
            party.playerChanged()
        } catch {}
    }

    private func seek(by step: Int64) throws {
        let shown = player.flatMap { $0.firstFrameShown ? $0.positionMs : nil }
        guard let from = shown ?? party.roomPositionMs() else { return }
        let end = player?.durationMs ?? .max
        try party.seek(to: min(max(0, from + step), end))
    }

    private func setOffset(_ offsetMs: Int64) throws {
        try party.setOffset(offsetMs)
        output.tell("offset", ["offsetMs": .ms(offsetMs)], "Your offset is \(offsetMs) ms.")
    }

    private func takeDeclined() {
        guard let candidate = declined else { return }
        declined = nil
        let party = party
        Task { await party.choose(candidate) }
    }

    /// The room's rate changed by a factor, to the hundredth, within what a room can have.
    private func rate(by factor: Double) -> Double {
        let rate = (party.state.room?.rate ?? 1) * factor
        return (min(max(rate, 0.5), 2) * 100).rounded() / 100
    }
}
