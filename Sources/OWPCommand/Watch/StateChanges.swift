// OpenWatchParty for Swift. See LICENSE.

import OWPWire
import OpenWatchParty

/// What is new in a party's state, for the output.
struct StateChanges: Sendable {
    /// Something to tell.
    struct Change: Sendable {
        let event: String
        var members: [String: JSONValue] = [:]
        var text: String?
        var isWarning = false

        /// Tells it.
        @MainActor func tell(_ output: WatchOutput) {
            if isWarning, let text { output.warn(event, members, text) } else { output.tell(event, members, text) }
        }
    }

    /// Whether the room has been entered, so that what happens in it is told.
    var isInside = false
    /// Whether the offset that was asked for has been set.
    var hasOffset = false

    private var connection = Connection.idle
    private var epoch: Int64?
    private var phase: Phase?
    private var control: Control?
    private var match: Match?
    private var choice: String?
    private var waits = WaitLines()

    /// When to look again, though the state stays the same, in ms of monotonic time.
    var lookAgainAtMs: Int64? { waits.lookAgainAtMs }

    /// Takes a state and its time, in ms of monotonic time; answers with what is new in it.
    mutating func take(_ state: PartyState<LocalFile>, atMs: Int64) -> [Change] {
        var changes: [Change] = []
        if state.connection != connection {
            if state.connection == .reconnecting {
                changes.append(
                    Change(event: "reconnecting", text: "The connection was lost; trying again.", isWarning: true)
                )
            } else if connection == .reconnecting, state.connection == .connected {
                changes.append(Change(event: "reconnected", text: "The connection is back."))
            }
            connection = state.connection
        }
        guard isInside, let room = state.room else { return changes }
        takeMedia(state, room, &changes)
        takeMatch(state, &changes)
        takeRoom(state, room, atMs, &changes)
        return changes
    }

    private mutating func takeMedia(_ state: PartyState<LocalFile>, _ room: Room, _ changes: inout [Change]) {
        guard room.epoch != epoch else { return }
        epoch = room.epoch
        match = nil
        choice = nil
        guard let media = state.media else { return }
        changes.append(
            Change(event: "media", members: ["title": .plain(media.title), "durationMs": .ms(media.durationMs)])
        )
    }

    private mutating func takeMatch(_ state: PartyState<LocalFile>, _ changes: inout [Change]) {
        if let found = state.choice, found.id != choice, let media = state.media {
            choice = found.id
            // The host's own file needs no finding.
            if !found.id.isEmpty {
                changes.append(
                    Change(
                        event: "found",
                        members: ["file": .plain(found.ref.name), "deltaMs": .ms(state.match?.deltaMs)],
                        text: "Your copy of '\(plainText(media.title))' is '\(plainText(found.ref.name))'."
                    )
                )
            }
        }
        guard state.match != match else { return }
        let before = match
        match = state.match
        guard let media = state.media, let now = state.match else { return }
        let title = "'\(plainText(media.title))' (\(clockText(media.durationMs)))"
        switch now.state {
        case .searching where before?.state != .searching && state.mismatch == nil:
            changes.append(Change(event: "searching", text: "Looking for your copy of \(title)."))
        case .unavailable:
            let text = "You have no copy of \(title) here, so the others watch without you."
            changes.append(Change(event: "unavailable", text: now.deltaMs == nil ? text : nil))
        default: break
        }
    }

    private mutating func takeRoom(
        _ state: PartyState<LocalFile>,
        _ room: Room,
        _ atMs: Int64,
        _ changes: inout [Change]
    ) {
        if room.phase != phase {
            phase = room.phase
            changes.append(
                Change(
                    event: "room",
                    members: [
                        "phase": .string(room.phase.rawValue), "positionMs": .ms(room.positionMs),
                        "rate": .number(room.rate),
                    ]
                )
            )
        }
        if let line = waits.take(room, me: state.peerId, atMs: atMs) {
            changes.append(Change(event: "waiting", members: ["text": .string(line)], text: line))
        }
        if room.control != control {
            let text =
                room.control == .everyone
                ? "Everyone may play, pause and seek." : "Only the host may play, pause and seek."
            // What the room starts with is no news.
            changes.append(
                Change(
                    event: "control",
                    members: ["who": .string(room.control.rawValue)],
                    text: control == nil ? nil : text
                )
            )
            control = room.control
        }
    }
}
