// OpenWatchParty for Swift. See LICENSE.

extension ClientMessage {
    /// Reads a client's text as a relay does, with every check that needs no room.
    ///
    /// A join's code is normalized (section 4.1). Positions may be any integer of the wire, since the relay clamps them.
    /// The sizes of a `setMedia` are those of the text as received, not of what `text` would write.
    ///
    /// - Parameter text: A text message; its size is bounded by the WebSocket that brought it.
    /// - Throws: ``MessageRefusal``, which the relay answers as an `error`.
    public init(parsing text: String) throws(MessageRefusal) {
        let result: Result<ClientMessage, MessageRefusal>
        do throws(ReadFailure) {
            result = try JSONReader.reading(text) { reader throws(ReadFailure) in try reader.clientMessage() }
        } catch {
            result = .failure(MessageRefusal(code: "invalid_message", message: error.words, re: nil))
        }
        self = try result.get()
    }
}

extension JSONReader {
    /// Takes a whole message; throws for a text that is no JSON object with a string `type`.
    fileprivate mutating func clientMessage() throws(ReadFailure) -> Result<ClientMessage, MessageRefusal> {
        let start = mark
        let head = try message()
        do throws(ReadFailure) {
            if let message = try clientMessage(head) {
                try end()
                return .success(message)
            }
            guard isWellFormed(from: start) else { throw failure(.unexpectedByte) }
            return .failure(MessageRefusal(code: "unsupported", message: "an unknown type", re: head.type.string))
        } catch {
            guard case .rule(let rule) = error, isWellFormed(from: start) else { throw error }
            return .failure(MessageRefusal(code: "invalid_message", message: "\(rule)", re: head.type.string))
        }
    }

    /// Takes a message's members by its type; nil for an unknown type, whose members are not taken.
    private mutating func clientMessage(_ head: MessageHead) throws(ReadFailure) -> ClientMessage? {
        var members = head.members
        switch head.type {
        case "status": return .status(try status(&members))
        case "ping":
            return .ping(
                id: try only("id", in: &members) { reader throws(ReadFailure) in
                    try reader.int(in: 1...largestWireInt, "id: an int of at least 1")
                }
            )
        case "create", "join", "resume": return try entry(head.type, &members)
        case "setMedia": return try setMedia(&members)
        case "seek":
            return .seek(
                positionMs: try only("positionMs", in: &members) { reader throws(ReadFailure) in
                    try reader.position()
                }
            )
        case "pause":
            return .pause(
                positionMs: try optional("positionMs", in: &members) { reader throws(ReadFailure) in
                    try reader.position()
                }
            )
        case "rate":
            return .rate(try only("rate", in: &members) { reader throws(ReadFailure) in try reader.rate() })
        case "setControl":
            return .setControl(
                try only("control", in: &members) { reader throws(ReadFailure) in
                    try reader.control()
                }
            )
        case "transferHost":
            return .transferHost(
                peerId: try only("peerId", in: &members) { reader throws(ReadFailure) in
                    try reader.peerId()
                }
            )
        case "kick":
            return .kick(
                peerId: try only("peerId", in: &members) { reader throws(ReadFailure) in
                    try reader.peerId()
                }
            )
        case "lock":
            return .lock(
                try only("locked", in: &members) { reader throws(ReadFailure) in
                    try reader.bool("locked: a boolean")
                }
            )
        case "leave": return try bare(.leave, &members)
        case "play": return try bare(.play, &members)
        case "clearMedia": return try bare(.clearMedia, &members)
        case "end": return try bare(.end, &members)
        default: return nil
        }
    }

    private mutating func position() throws(ReadFailure) -> Int64 {
        try int(in: anyWireInt, "positionMs: an int")
    }

    /// Takes the members of a message that has none of its own.
    private mutating func bare(
        _ message: ClientMessage,
        _ members: inout JSONMembers
    ) throws(ReadFailure) -> ClientMessage {
        while try name(of: &members) != nil { try skip() }
        return message
    }

    /// Takes the members of a message that has one of its own, which may be absent.
    private mutating func optional<Value>(
        _ wanted: StaticString,
        in members: inout JSONMembers,
        _ take: (inout JSONReader) throws(ReadFailure) -> Value
    ) throws(ReadFailure) -> Value? {
        var value: Value?
        while let name = try name(of: &members) {
            if wanted ~= name { value = try take(&self) } else { try skip() }
        }
        return value
    }

    /// Takes the members of a message that has one of its own.
    private mutating func only<Value>(
        _ wanted: StaticString,
        in members: inout JSONMembers,
        _ take: (inout JSONReader) throws(ReadFailure) -> Value
    ) throws(ReadFailure) -> Value {
        guard let value = try optional(wanted, in: &members, take) else { throw .rule("its member is absent") }
        return value
    }

    /// Takes the members of the three messages that enter a room.
    private mutating func entry(
        _ type: JSONString,
        _ members: inout JSONMembers
    ) throws(ReadFailure) -> ClientMessage {
        let isResume = "resume" ~= type
        var code: String?
        var label: String?
        var client: String?
        var create = false
        var id: String?
        var token: String?
        while let name = try name(of: &members) {
            switch name {
            case "code" where !("create" ~= type):
                let typed = try string("code: a string")
                code = typed.hasUnpaired ? nil : normalizeCode(typed.string)
                guard code != nil else { throw .rule("code: a room code") }
            case "name" where !isResume: label = try text("name: 1 to 32 code points, none forbidden", isValidName)
            case "client" where !isResume:
                client = try text("client: <app>/<version>, at most 64 code points", isValidClient)
            case "create" where "join" ~= type: create = try bool("create: a boolean")
            case "peerId" where isResume: id = try peerId()
            case "token" where isResume: token = try text("token: 43 of base64url", isValidToken)
            default: try skip()
            }
        }
        if isResume {
            guard let code, let id, let token else { throw .rule("resume: code, peerId and token") }
            return .resume(code: code, peerId: id, token: token)
        }
        guard let label, let client else { throw .rule("name and client are required") }
        if "create" ~= type { return .create(name: label, client: client) }
        guard let code else { throw .rule("join: code") }
        return .join(code: code, name: label, client: client, create: create)
    }

    private mutating func setMedia(_ members: inout JSONMembers) throws(ReadFailure) -> ClientMessage {
        var media: ReadMedia?
        var positionMs: Int64?
        while let name = try name(of: &members) {
            switch name {
            case "media": media = try self.media()
            case "positionMs": positionMs = try position()
            default: try skip()
            }
        }
        guard let media, let positionMs else { throw .rule("setMedia: media and positionMs") }
        guard media.bytes <= largestMediaBytes else { throw .rule("media: at most 4096 bytes") }
        guard media.extBytes <= largestExtBytes else { throw .rule("ext: at most 1024 bytes") }
        return .setMedia(media: media.media, positionMs: positionMs)
    }

    private mutating func status(_ members: inout JSONMembers) throws(ReadFailure) -> StatusMessage {
        var epoch: Int64?
        var player: PlayerState?
        var match: Match??
        var offsetMs: Int64?
        var rttMs: Int64?
        while let name = try name(of: &members) {
            switch name {
            case "epoch": epoch = try int(in: naturalWireInt, "epoch: an int of at least 0")
            case "player": player = try playerState()
            case "match": match = .some(try self.match())
            case "offsetMs": offsetMs = try int(in: anyOffset, "offsetMs: an int within 604800000")
            case "rttMs": rttMs = try int(in: naturalWireInt, "rttMs: an int of at least 0")
            default: try skip()
            }
        }
        guard let epoch, let player, let match, let offsetMs else { throw .rule("status: a member is absent") }
        return StatusMessage(epoch: epoch, player: player, match: match, offsetMs: offsetMs, rttMs: rttMs)
    }
}
