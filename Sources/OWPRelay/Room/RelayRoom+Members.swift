// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPWire

// Who is in the room, and who is its host.

extension RelayRoom {
    /// Somebody asks to join.
    ///
    /// - Returns: The effects; without a place, the refusal is among them and ``hasMember(on:)`` stays false.
    package mutating func joinAsked(by newcomer: Newcomer, at nowMs: Int64) -> [RoomEffect] {
        var effects = timersDue(at: nowMs)
        guard !members.isEmpty else {
            return effects + [refusal("room_not_found", "no such room", re: "join", to: newcomer.connection)]
        }
        guard !isLocked else {
            return effects + [refusal("room_locked", "the room is locked", re: "join", to: newcomer.connection)]
        }
        guard members.count < largestMembers else {
            return effects + [refusal("room_full", "the room is full", re: "join", to: newcomer.connection)]
        }
        var member = RelayMember(newcomer, number: nextNumber, hasMedia: media != nil)
        member.isLate = phase == .playing || (phase == .waiting && hasStarted)
        nextNumber += 1
        members.append(member)
        desertedSinceMs = nil
        change.isUrgent = true
        settle(at: nowMs)
        let broadcast = finish(at: nowMs, except: newcomer.connection)
        effects.append(joined(member, token: newcomer.token, at: nowMs))
        return effects + broadcast + timersDue(at: nowMs)
    }

    /// A dropped participant, or one that changes its connection, asks for its place.
    ///
    /// - Returns: The effects; without that place, the refusal is among them and ``hasMember(on:)`` stays false.
    package mutating func resumeAsked(
        peerId: String,
        token: ResumeToken,
        on connection: ConnectionID,
        at nowMs: Int64
    ) -> [RoomEffect] {
        var effects = timersDue(at: nowMs)
        let place = members.firstIndex { sameScalars($0.peerId, peerId) }
        guard let place, ResumeToken.matches(members[place].tokenDigest, token.digest) else {
            return effects + [refusal("resume_failed", "no such session", re: "resume", to: connection)]
        }
        if let old = members[place].connection {
            effects += [.replace(old)]
        } else {
            change.isUrgent = true
        }
        members[place].connection = connection
        members[place].droppedAtMs = nil
        members[place].readySinceMs = members[place].player == .ready ? nowMs : nil
        members[place].bufferingSinceMs = members[place].player == .buffering ? nowMs : nil
        if phase == .playing { members[place].isLate = true }
        desertedSinceMs = nil
        settle(at: nowMs)
        let broadcast = finish(at: nowMs, except: connection)
        effects.append(joined(members[place], token: token, at: nowMs))
        return effects + broadcast + timersDue(at: nowMs)
    }

    /// A participant's connection ended without a `leave`.
    package mutating func connectionDropped(_ connection: ConnectionID, at nowMs: Int64) -> [RoomEffect] {
        let effects = timersDue(at: nowMs)
        guard let place = members.firstIndex(where: { $0.connection == connection }) else { return effects }
        drop(place, at: nowMs)
        settle(at: nowMs)
        return effects + finish(at: nowMs) + timersDue(at: nowMs)
    }

    /// Everyone's connection is gone: the relay was restarted.
    mutating func dropEveryone(at nowMs: Int64) {
        for place in members.indices { drop(place, at: nowMs) }
        desertedSinceMs = nowMs
        waitingOn = holdersToShow
        change = Change()
    }

    private mutating func drop(_ place: Int, at nowMs: Int64) {
        members[place].connection = nil
        members[place].droppedAtMs = nowMs
        members[place].readySinceMs = nil
        members[place].bufferingSinceMs = nil
        change.isUrgent = true
        if !members.contains(where: \.isConnected) { desertedSinceMs = nowMs }
    }

    /// Takes a participant out, and the host's role from it.
    ///
    /// - Returns: The end of the room when nobody is left.
    mutating func remove(_ place: Int, at nowMs: Int64) -> [RoomEffect] {
        let number = members.remove(at: place).number
        change.isUrgent = true
        guard let first = members.first else { return [.forget] }
        if !members.contains(where: \.isConnected), desertedSinceMs == nil { desertedSinceMs = nowMs }
        if number == hostNumber {
            // With nobody connected the role waits with the first; whoever then connects may follow in turn.
            makeHost(members.first(where: \.isConnected) ?? first, by: nil, at: nowMs)
        }
        settle(at: nowMs)
        return []
    }

    /// Hands the host's role on.
    mutating func makeHost(_ member: RelayMember, by oldHost: String?, at nowMs: Int64) {
        hostNumber = member.number
        hostSinceMs = nowMs
        change.isUrgent = true
        change.action = RoomAction(kind: "host", by: oldHost)
    }

    /// When a host that is disconnected loses its role to somebody connected; nil while it is connected.
    var hostGraceEndMs: Int64? {
        guard let host = members.firstIndex(where: { $0.number == hostNumber }) else { return nil }
        return members[host].droppedAtMs.map { max($0, hostSinceMs) + times.hostGraceMs }
    }

    /// Replaces a host that was away too long, once somebody is there to follow.
    mutating func replaceAbsentHost(at nowMs: Int64) {
        guard let endMs = hostGraceEndMs, nowMs >= endMs, let next = members.first(where: \.isConnected) else { return }
        makeHost(next, by: nil, at: nowMs)
    }

    /// Ends the room for everyone.
    mutating func close(reason: String?) -> [RoomEffect] {
        let connections = members.compactMap(\.connection)
        members = []
        gatheredUntilMs = nil
        change = Change()
        var effects: [RoomEffect] = []
        if let reason, !connections.isEmpty { effects.append(.send(.closed(reason: reason), to: connections)) }
        return effects + connections.map { .dismiss($0) } + [.forget]
    }
}
