// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPWire

/// Entering a room, and the party's end (section 7).
extension PartyMachine {
    /// The session status.
    var connection: Connection {
        if attempt != nil { return .connecting }
        if member != nil { return resume == nil ? .connected : .reconnecting }
        return endReason == nil ? .idle : .ended
    }

    mutating func takeSession(_ input: PartyInput) {
        switch input {
        case .create(let call, let source):
            begin(call) { machine in
                CreateRace(
                    call: call,
                    request: .create(name: machine.name, client: machine.client),
                    relays: source.relays
                )
            }
        case .join(let call, let typed, let create, let source):
            if isClosed { return turn.announce(.finish(call, .partyClosed)) }
            guard let code = normalizeCode(typed) else {
                return turn.announce(.finish(call, .failed(PartyFailure(.invalidCode, "not a room code"))))
            }
            begin(call) { machine in
                let request = ClientMessage.join(
                    code: code,
                    name: machine.name,
                    client: machine.client,
                    create: create
                )
                return JoinAttempt(call: call, code: code, request: request, source: source)
            }
        case .relaysRefreshed(let call, let source):
            if attempt?.call == call { advance { $0.relaysRefreshed(source, &$1) } }
        case .cancelCall(let call):
            if attempt?.call == call { cancelAttempt() } else { search.cancelChoosing(call, &turn) }
        case .leave:
            leave()
        case .close(let call):
            close(call)
        default:
            break
        }
    }

    // MARK: Attempts

    private mutating func begin(_ call: CallKey, _ make: (PartyMachine) -> any EntryAttempt) {
        if isClosed { return turn.announce(.finish(call, .partyClosed)) }
        guard attempt == nil, member == nil else {
            let failure = PartyFailure(.alreadyInRoom, "the party is in a room, or on its way into one")
            return turn.announce(.finish(call, .failed(failure)))
        }
        endReason = nil
        isAway = false
        attempt = make(self)
        advance { $0.start(&$1) }
    }

    /// Lets the attempt take something, and does what comes of it.
    mutating func advance(_ take: (inout any EntryAttempt, inout Turn) -> EntryOutcome) {
        guard var current = attempt else { return }
        let outcome = take(&current, &turn)
        attempt = current
        switch outcome {
        case .underWay:
            break
        case .failed(let failure):
            attempt = nil
            turn.announce(.finish(current.call, .failed(failure)))
        case .entered(let connection, let joined):
            let isCreate = current is CreateRace
            attempt = nil
            turn.announce(.finish(current.call, isCreate ? .created(code: joined.code) : .joined))
            enter(joined, on: connection)
        }
    }

    private mutating func cancelAttempt() {
        guard let call = attempt?.call else { return }
        let waiting = attempt?.cancel(&turn)
        attempt = nil
        farewells.add(waiting, &turn)
        turn.announce(.finish(call, .failed(PartyFailure(.cancelled, "the attempt was cancelled"))))
    }

    /// Takes the `joined` that answers `create` or `join` (section 7.3).
    private mutating func enter(_ joined: JoinedMessage, on connection: RelayConnection) {
        member = Membership(joined, on: connection)
        room.replace(with: joined.room)
        startEpoch(joined.media)
        status.connected()
        report()
        nextTickAtMs = turn.nowMs.saturatingAdd(Constants.tickMs)
        turn.add(.startTimer(.tick, afterMs: Constants.tickMs))
        turn.add(.startTimer(.silence, afterMs: Constants.silenceTimeoutMs))
        turn.add(.relaysJoined)
        turn.wantsStep = true
    }

    // MARK: The end

    private mutating func leave() {
        if attempt != nil {
            cancelAttempt()
        } else {
            end(.left, resume == nil ? .leaving : .gone)
        }
    }

    private mutating func close(_ call: CallKey) {
        if !isClosed {
            leave()
            follower.release(roomRate: nil, &turn)
            isClosed = true
            turn.announce(.finishStreams)
        }
        completions.append(call)
    }

    /// What becomes of the member connection when the party ends.
    enum Parting {
        /// It gets a `leave`, and is closed.
        case leaving
        /// It is closed.
        case closing
        /// It has ended before.
        case gone
    }

    /// Ends the party, which may start over (section 7.4).
    mutating func end(_ reason: EndReason, _ parting: Parting, _ failure: PartyFailure? = nil) {
        guard let member else { return }
        follower.release(roomRate: room.room?.rate, &turn)
        if parting == .leaving { turn.send(.leave, on: member.connection.key) }
        if parting != .gone { member.connection.close(&turn) }
        if let resume {
            farewells.add(resume.cancel(&turn), &turn)
            turn.add(.cancelTimer(.resumeWindow))
        } else {
            turn.add(.cancelTimer(.silence))
        }
        turn.add(.cancelTimer(.tick))
        status.disconnected(&turn)
        endHold()
        search.end(&turn)
        self.member = nil
        resume = nil
        room = RoomState()
        shared = nil
        pendingMedia = nil
        offsetMs = 0
        isAway = false
        endReason = reason
        turn.announce(.emit(.ended(reason, failure)))
    }
}
