// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPSync
import OWPWire

/// The connections: what they bring, drops and resumes (sections 5 and 14).
extension PartyMachine {
    /// Relay time at a local time in ms; nil before the first clock sample.
    func relayMs(atLocalMs localMs: Int64) -> Int64? {
        member?.connection.clock?.relayMs(atLocalMs: localMs)
    }

    mutating func takeConnection(_ input: PartyInput) {
        switch input {
        case .opened(let key):
            advance { $0.opened(key, &$1) }
            resume?.opened(key, &turn)
        case .openFailed(let key, let failure):
            lost(key, closeCode: nil, failure)
        case .ended(let key, let closeCode, let failure):
            lost(key, closeCode: closeCode, failure)
        case .received(let key, let text):
            received(key, RelayMessage.read(text))
        case .random(let u):
            resume?.drawn(u, &turn)
        default:
            break
        }
    }

    // MARK: Messages

    private mutating func received(_ key: ConnectionKey, _ message: ReadMessage) {
        if let live = liveKey, live == key {
            receivedAsMember(message)
        } else if attempt != nil {
            advance { $0.received(key, message, &$1) }
        } else if let outcome = resume?.received(key, message, &turn) {
            take(outcome)
        }
        farewells.received(key, message, &turn)
    }

    /// The member connection's key while it stands.
    private var liveKey: ConnectionKey? { resume == nil ? member?.connection.key : nil }

    private mutating func receivedAsMember(_ message: ReadMessage) {
        member?.connection.heard(turn)
        switch message {
        case .message(.room(let message)):
            receivedRoom(message)
        case .message(.pong(let id, let serverTimeMs)):
            let wasKnown = relayMs(atLocalMs: turn.nowMs) != nil
            _ = member?.connection.pong(id: id, serverTimeMs: serverTimeMs, turn)
            turn.isQuiet = wasKnown
        case .message(.error(let error)):
            receivedError(error)
        case .message(.closed(let reason)):
            // A reason of a later protocol ends the room all the same.
            let reasons: [EndReason] = [.kicked, .expired]
            end(reasons.first { sameScalars($0.rawValue, reason) } ?? .ended, .closing)
        case .message(.joined), .malformedJoined, .ignored:
            turn.isQuiet = true
        }
    }

    private mutating func receivedError(_ error: ErrorMessage) {
        func refuses(_ type: String) -> Bool { error.re.map { sameScalars($0, type) } ?? false }
        // Answers to these end a call or an attempt; one that comes later tells nothing.
        if ["create", "join", "resume"].contains(where: refuses) { return }
        turn.announce(.emit(.error(PartyFailure(error))))
        if refuses("setMedia"), pendingMedia != nil {
            pendingMedia = nil
            turn.wantsStep = true
        }
        if hold.errorReceived(re: error.re) {
            turn.add(.cancelTimer(.hold))
            turn.wantsStep = true
        }
    }

    // MARK: Timers

    mutating func pingTimerFired(_ key: ConnectionKey) {
        turn.isQuiet = true
        if liveKey == key {
            member?.connection.sendPings(&turn)
        } else {
            advance { $0.timerFired(.ping(key), &$1) }
            resume?.sendPings(key, &turn)
        }
    }

    mutating func deadlinePassed(_ key: ConnectionKey) {
        advance { $0.timerFired(.deadline(key), &$1) }
        resume?.deadlinePassed(key, &turn)
        farewells.deadlinePassed(key, &turn)
    }

    mutating func silenceTimerFired() {
        guard resume == nil, let member else { return }
        let leftMs = member.connection.silenceLeftMs(turn)
        if leftMs > 0 {
            turn.isQuiet = true
            turn.add(.startTimer(.silence, afterMs: leftMs))
        } else {
            member.connection.close(&turn)
            drop(member)
        }
    }

    // MARK: Drops and resumes

    private mutating func lost(_ key: ConnectionKey, closeCode: Int?, _ failure: FailureKey?) {
        if liveKey == key, let member {
            member.connection.stopPings(&turn)
            if closeCode == 4000 {
                end(.replaced, .gone)
            } else {
                turn.add(.cancelTimer(.silence))
                drop(member)
            }
            return
        }
        advance { $0.lost(key, failure, &$1) }
        resume?.lost(key, failure, &turn)
        farewells.lost(key, &turn)
    }

    private mutating func drop(_ member: Membership) {
        status.disconnected(&turn)
        turn.add(.startTimer(.resumeWindow, afterMs: Constants.resumeWindowMs))
        resume = ResumeAttempt(url: member.connection.url, request: member.resume, &turn)
    }

    mutating func resumeWindowPassed() {
        guard let resume else { return }
        end(.lost, .gone, .unreachable(resume.failureInUse))
    }

    private mutating func take(_ outcome: ResumeAttempt.Outcome) {
        switch outcome {
        case .underWay: break
        case .refused(let failure): end(.lost, .gone, failure)
        case .resumed(let connection, let joined, let backlog): resumed(joined, on: connection, backlog)
        }
    }

    /// Switches to the new connection's snapshot and clock together (sections 7.3 and 14).
    private mutating func resumed(_ joined: JoinedMessage, on connection: RelayConnection, _ backlog: [ReadMessage]) {
        let earlier = room.room
        resume = nil
        turn.add(.cancelTimer(.resumeWindow))
        member = Membership(joined, on: connection)
        room.replace(with: joined.room)
        let isNewEpoch = joined.room.epoch != earlier?.epoch
        if isNewEpoch { startEpoch(joined.media) }
        status.connected()
        report()
        if let pendingMedia, !isNewEpoch {
            // It never reached the room.
            if room.isHost(joined.peerId) {
                turn.send(pendingMedia, on: connection.key)
            } else {
                self.pendingMedia = nil
            }
        }
        turn.add(.startTimer(.silence, afterMs: max(0, connection.silenceLeftMs(turn))))
        turn.add(.relaysJoined)
        for event in room.comingsAndGoings(since: earlier) { turn.announce(.emit(event)) }
        turn.wantsStep = true
        for message in backlog {
            settle()
            guard liveKey == connection.key else { return }
            turn.isQuiet = false
            receivedAsMember(message)
        }
    }
}
