// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPSync
import OWPWire

/// The user's commands: checks in order, a local effect, one message (sections 12 and 13).
extension PartyMachine {
    mutating func takePlayback(_ input: PartyInput) throws(PartyFailure) {
        switch input {
        case .setOffset(let ms): try setOffset(ms)
        case .play: send(.play, on: try controller())
        case .pause: try pause()
        case .seek(let ms): try seek(ms)
        case .setRate(let rate): try setRate(rate)
        default: break
        }
    }

    mutating func takeHost(_ input: PartyInput) throws(PartyFailure) {
        let connection = try host()
        switch input {
        case .setMedia(let media, let candidate, let ref, let positionMs):
            try setMedia(media, MatchSearch.Choice(candidate: candidate, ref: ref), positionMs, on: connection)
        case .clearMedia: send(.clearMedia, on: connection)
        case .setControl(let control): send(.setControl(control), on: connection)
        case .transferHost(let peerId): send(.transferHost(peerId: try present(peerId)), on: connection)
        case .kick(let peerId): send(.kick(peerId: try present(peerId)), on: connection)
        case .lock(let locked): send(.lock(locked), on: connection)
        case .end: send(.end, on: connection)
        default: break
        }
    }

    // MARK: Checks

    /// The member connection, for a party that is connected.
    private func connected() throws(PartyFailure) -> ConnectionKey {
        guard let member, resume == nil else { throw PartyFailure(.notInRoom, "the party is not connected to a room") }
        return member.connection.key
    }

    /// The member connection, for a controller of a room with media.
    private func controller() throws(PartyFailure) -> ConnectionKey {
        let connection = try connected()
        guard room.media != nil else { throw PartyFailure(.invalidMessage, "the room has no media") }
        guard room.isController(member?.peerId) else {
            throw PartyFailure(.forbidden, "only the host may control playback")
        }
        return connection
    }

    /// The member connection, for the host.
    private func host() throws(PartyFailure) -> ConnectionKey {
        let connection = try connected()
        guard room.isHost(member?.peerId) else { throw PartyFailure(.forbidden, "only the host may do this") }
        return connection
    }

    /// A peer ID that the room has.
    private func present(_ peerId: String) throws(PartyFailure) -> String {
        guard room.participant(peerId) != nil else {
            throw PartyFailure(.invalidMessage, "no participant has this peer ID")
        }
        return peerId
    }

    /// An integer that may cross the wire.
    private func sendable(_ value: Int64) throws(PartyFailure) -> Int64 {
        guard isWireInt(value) else { throw PartyFailure(.invalidMessage, "the position is out of bounds") }
        return value
    }

    private mutating func send(_ message: ClientMessage, on connection: ConnectionKey) {
        turn.send(message, on: connection)
    }

    // MARK: Playback

    private mutating func setOffset(_ ms: Int64) throws(PartyFailure) {
        guard ms.magnitude <= UInt64(Constants.largestOffsetMs) else {
            throw PartyFailure(.invalidMessage, "the offset is more than 7 days")
        }
        offsetMs = ms
        turn.wantsStep = true
    }

    private mutating func pause() throws(PartyFailure) {
        let connection = try controller()
        var positionMs: Int64?
        if follower.isBound, let reading = turn.reading {
            positionMs = try sendable(max(0, reading.positionMs.saturatingSubtract(offsetMs)))
            follower.queue(.pause, &turn)
        }
        send(.pause(positionMs: positionMs), on: connection)
        startHold(.pause)
    }

    private mutating func seek(_ ms: Int64) throws(PartyFailure) {
        let connection = try controller()
        guard try sendable(ms) >= 0 else { throw PartyFailure(.invalidMessage, "the position is below 0") }
        let positionMs = max(0, try sendable(ms.saturatingSubtract(offsetMs)))
        if follower.isBound { follower.queue(.seek(ms), &turn) }
        send(.seek(positionMs: positionMs), on: connection)
        startHold(.seek)
    }

    private mutating func setRate(_ rate: Double) throws(PartyFailure) {
        let connection = try controller()
        guard (0.5...2.0).contains(rate) else { throw PartyFailure(.invalidMessage, "the rate is out of bounds") }
        if follower.isBound, turn.reading?.canSetRate ?? false { follower.queue(.setRate(rate), &turn) }
        send(.rate(rate), on: connection)
        startHold(.rate)
    }

    // MARK: Media

    private mutating func setMedia(
        _ media: Media,
        _ choice: MatchSearch.Choice,
        _ positionMs: Int64,
        on connection: ConnectionKey
    ) throws(PartyFailure) {
        if let rule = checkMedia(media) { throw PartyFailure(.invalidMessage, rule) }
        guard try sendable(positionMs) >= 0 else {
            throw PartyFailure(.invalidMessage, "the position is below 0")
        }
        let message = ClientMessage.setMedia(media: media, positionMs: positionMs)
        shared = SharedMedia(json: media.compactJSON, choice: choice)
        pendingMedia = message
        send(message, on: connection)
    }
}
