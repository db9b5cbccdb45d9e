// OpenWatchParty for Swift. See LICENSE.

/// What has been read of a snapshot, whose members stand beside others in a `room` message (section 8).
struct SnapshotReader {
    private var rev: Int64?
    private var code: String?
    private var epoch: Int64?
    private var phase: Phase?
    private var positionMs: Int64?
    private var atMs: Int64?
    private var rate: Double?
    private var control: Control?
    private var locked: Bool?
    private var waitingOn: [String]?
    private var participants: [Participant]?

    /// Takes a member's value, when the member is a snapshot's.
    mutating func take(_ name: JSONString, from reader: inout JSONReader) throws(ReadFailure) -> Bool {
        switch name {
        case "rev": rev = try reader.int(in: 1...largestWireInt, "rev: an int of at least 1")
        case "code": code = try reader.text("code: 6 symbols", isRoomCode)
        case "epoch": epoch = try reader.int(in: naturalWireInt, "epoch: an int of at least 0")
        case "phase": phase = try reader.phase()
        case "positionMs": positionMs = try reader.int(in: anyPosition, "positionMs: an int from 0 to 604800000")
        case "atMs": atMs = try reader.int(in: naturalWireInt, "atMs: an int of at least 0")
        case "rate": rate = try reader.rate()
        case "control": control = try reader.control()
        case "locked": locked = try reader.bool("locked: a boolean")
        case "waitingOn": waitingOn = try reader.waitingOn()
        case "participants": participants = try reader.participants()
        default: return false
        }
        return true
    }

    /// The snapshot, when its members agree with each other.
    func room() throws(ReadFailure) -> Room {
        guard let rev, let code, let epoch, let phase, let positionMs, let atMs, let rate, let control, let locked,
            let waitingOn, let participants
        else { throw .rule("a snapshot's member is absent") }
        guard phase != .idle || positionMs == 0 else { throw .rule("positionMs: 0 while idle") }
        guard phase == .waiting || waitingOn.isEmpty else { throw .rule("waitingOn: empty unless waiting") }
        return Room(
            rev: rev,
            code: code,
            epoch: epoch,
            phase: phase,
            positionMs: positionMs,
            atMs: atMs,
            rate: rate,
            control: control,
            locked: locked,
            waitingOn: waitingOn,
            participants: participants
        )
    }
}

/// Every position of a room (section 8).
private let anyPosition = 0...Constants.largestDurationMs

extension JSONReader {
    /// Takes a snapshot that is an object of its own, as `joined` has it.
    mutating func snapshot() throws(ReadFailure) -> Room {
        var members = try object("room: an object")
        var snapshot = SnapshotReader()
        while let name = try name(of: &members) {
            if try !snapshot.take(name, from: &self) { try skip() }
        }
        return try snapshot.room()
    }

    /// Takes a playback rate (section 8).
    mutating func rate() throws(ReadFailure) -> Double {
        let rate = try number("rate: a number from 0.5 to 2.0")
        guard rate >= 0.5, rate <= 2.0 else { throw .rule("rate: a number from 0.5 to 2.0") }
        return rate
    }

    fileprivate mutating func waitingOn() throws(ReadFailure) -> [String] {
        var elements = try array("waitingOn: an array")
        var peerIds: [String] = []
        var distinct: Set<String> = []
        while try element(of: &elements) {
            let peerId = try peerId()
            guard distinct.insert(peerId).inserted else { throw .rule("waitingOn: distinct peer IDs") }
            peerIds.append(peerId)
        }
        return peerIds
    }

    fileprivate mutating func participants() throws(ReadFailure) -> [Participant] {
        var elements = try array("participants: an array")
        var participants: [Participant] = []
        participants.reserveCapacity(16)
        var hosts = 0
        while try element(of: &elements) {
            let participant = try participant()
            if participant.host { hosts += 1 }
            participants.append(participant)
        }
        guard hosts == 1 else { throw .rule("participants: exactly one host") }
        return participants
    }

    private mutating func participant() throws(ReadFailure) -> Participant {
        var members = try object("participants: objects")
        var id: String?
        var label: String?
        var client: String?
        var host: Bool?
        var connected: Bool?
        var player: PlayerState?
        var match: Match??
        var offsetMs: Int64?
        while let name = try name(of: &members) {
            switch name {
            case "peerId": id = try peerId()
            case "name": label = try text("name: 1 to 32 code points, none forbidden", isValidName)
            case "client": client = try text("client: <app>/<version>, at most 64 code points", isValidClient)
            case "host": host = try bool("host: a boolean")
            case "connected": connected = try bool("connected: a boolean")
            case "player": player = try playerState()
            case "match": match = .some(try self.match())
            case "offsetMs": offsetMs = try int(in: anyOffset, "offsetMs: an int within 604800000")
            default: try skip()
            }
        }
        guard let id, let label, let client, let host, let connected, let player, let match, let offsetMs else {
            throw .rule("a participant's member is absent")
        }
        return Participant(
            peerId: id,
            name: label,
            client: client,
            host: host,
            connected: connected,
            player: player,
            match: match,
            offsetMs: offsetMs
        )
    }
}
