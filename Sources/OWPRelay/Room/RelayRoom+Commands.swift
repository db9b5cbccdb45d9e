// OpenWatchParty for Swift. See LICENSE.

import OWPCore
package import OWPWire

// What a participant asks of the room.

extension RelayRoom {
    /// A participant sent a message other than `create`, `join`, `resume` and `ping`, which are the server's to answer.
    package mutating func received(
        _ message: ClientMessage,
        from connection: ConnectionID,
        at nowMs: Int64
    ) -> [RoomEffect] {
        let effects = timersDue(at: nowMs)
        guard let sender = members.firstIndex(where: { $0.connection == connection }) else {
            return effects + [refusal("not_in_room", "not in a room", re: message.type, to: connection)]
        }
        if let refused = refusalCode(of: message, from: members[sender]) {
            return effects + [refusal(refused.code, refused.message, re: message.type, to: connection)]
        }
        return effects + perform(message, from: sender, at: nowMs) + timersDue(at: nowMs)
    }

    /// Why a message may not be performed: without media first, then without the right to (section 12).
    private func refusalCode(of message: ClientMessage, from sender: RelayMember) -> (code: String, message: String)? {
        let isHost = sender.number == hostNumber
        let mayControl = isHost || control == .everyone
        switch message {
        case .play, .pause, .seek, .rate:
            if media == nil { return ("invalid_message", "the room has no media") }
            return mayControl ? nil : ("forbidden", "only the host controls playback")
        case .setMedia, .clearMedia, .setControl, .lock, .end:
            return isHost ? nil : ("forbidden", "only the host may do this")
        case .transferHost(let peerId):
            guard isHost else { return ("forbidden", "only the host may do this") }
            return place(of: peerId) == nil ? ("invalid_message", "no such participant") : nil
        case .kick(let peerId):
            guard isHost else { return ("forbidden", "only the host may do this") }
            guard place(of: peerId) != nil else { return ("invalid_message", "no such participant") }
            return sameScalars(peerId, sender.peerId) ? ("invalid_message", "the host cannot remove itself") : nil
        case .create, .join, .resume:
            return ("already_in_room", "already in a room")
        case .leave, .ping, .status:
            return nil
        }
    }

    private mutating func perform(_ message: ClientMessage, from sender: Int, at nowMs: Int64) -> [RoomEffect] {
        let peerId = members[sender].peerId
        switch message {
        case .status(let status):
            take(status, from: sender, at: nowMs)
        case .play:
            play(by: sender, at: nowMs)
            announce("play", by: peerId)
        case .pause(let positionMs):
            pause(at: positionMs, by: sender, at: nowMs)
            announce("pause", by: peerId)
        case .seek(let positionMs):
            seek(to: clamped(positionMs), by: sender, at: nowMs)
            announce("seek", by: peerId)
        case .rate(let rate):
            positionMs = position(at: nowMs)
            atMs = max(atMs, nowMs)
            self.rate = rate
            announce("rate", by: peerId)
        case .setMedia(let media, let positionMs):
            beginEpoch(media, positionMs: positionMs, at: nowMs)
            announce("media", by: peerId)
        case .clearMedia:
            beginEpoch(nil, positionMs: 0, at: nowMs)
            announce("media", by: peerId)
        case .transferHost(let other):
            if let place = place(of: other) { makeHost(members[place], by: peerId, at: nowMs) }
        case .setControl(let control):
            self.control = control
            change.isUrgent = true
        case .lock(let isLocked):
            self.isLocked = isLocked
            change.isUrgent = true
        case .kick(let other):
            return kick(other, at: nowMs)
        case .leave:
            return leave(sender, at: nowMs)
        case .end:
            return close(reason: "ended")
        case .create, .join, .resume, .ping:
            return []
        }
        settle(at: nowMs)
        return finish(at: nowMs)
    }

    /// The action goes along also where nothing else changed: the sender's command hold waits for it.
    private mutating func announce(_ kind: String, by peerId: String) {
        change.isUrgent = true
        change.action = RoomAction(kind: kind, by: peerId)
    }

    private func clamped(_ positionMs: Int64) -> Int64 {
        max(0, min(positionMs, media?.durationMs ?? 0))
    }

    private mutating func play(by sender: Int, at nowMs: Int64) {
        guard phase == .paused else { return }
        for place in members.indices {
            members[place].isExcused = false
            members[place].endLateness()
        }
        let isAtEnd = positionMs >= media?.durationMs ?? 0
        if isAtEnd { unsettle(by: sender, at: nowMs) }
        wait(positionMs: isAtEnd ? 0 : positionMs, at: nowMs)
    }

    private mutating func pause(at given: Int64?, by sender: Int, at nowMs: Int64) {
        let hereMs = position(at: nowMs)
        var targetMs = hereMs
        if let given, (clamped(given) - hereMs).magnitude <= 2000 { targetMs = clamped(given) }
        if (targetMs - hereMs).magnitude > 500 { unsettle(by: sender, at: nowMs) }
        move(to: .paused, positionMs: targetMs, at: nowMs)
    }

    private mutating func seek(to targetMs: Int64, by sender: Int, at nowMs: Int64) {
        for place in members.indices where members[place].wasReady { members[place].endLateness() }
        unsettle(by: sender, at: nowMs)
        if phase == .paused {
            move(to: .paused, positionMs: targetMs, at: nowMs)
        } else {
            wait(positionMs: targetMs, at: nowMs)
        }
    }

    private mutating func beginEpoch(_ media: Media?, positionMs: Int64, at nowMs: Int64) {
        epoch += 1
        self.media = media
        hasStarted = false
        for place in members.indices { members[place].beginEpoch(hasMedia: media != nil) }
        change.hasNewEpoch = true
        if media == nil {
            move(to: .idle, positionMs: 0, at: nowMs)
        } else {
            wait(positionMs: clamped(positionMs), at: nowMs)
        }
        atMs = nowMs
    }

    private mutating func kick(_ peerId: String, at nowMs: Int64) -> [RoomEffect] {
        guard let place = place(of: peerId) else { return [] }
        var effects: [RoomEffect] = []
        if let connection = members[place].connection {
            effects = [.send(.closed(reason: "kicked"), to: [connection]), .dismiss(connection)]
        }
        effects += remove(place, at: nowMs)
        return effects + finish(at: nowMs)
    }

    private mutating func leave(_ place: Int, at nowMs: Int64) -> [RoomEffect] {
        var effects: [RoomEffect] = members[place].connection.map { [.release($0)] } ?? []
        effects += remove(place, at: nowMs)
        return effects + finish(at: nowMs)
    }
}
