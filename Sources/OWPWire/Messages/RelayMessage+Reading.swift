// OpenWatchParty for Swift. See LICENSE.

extension RelayMessage {
    /// Reads a text from the relay with all checks of section 8, but those that depend on the party's state.
    ///
    /// Whether `rev` grows, and whether a new epoch has its media, is the party's to judge.
    ///
    /// - Parameter text: A text message; one of more than 1 MiB is ignored.
    /// - Returns: The message, or how to treat a text that is none.
    public static func read(_ text: String) -> ReadMessage {
        do throws(ReadFailure) {
            return try JSONReader.reading(text, limit: JSONLimits.messageBytes) { reader throws(ReadFailure) in
                try reader.relayMessage()
            }
        } catch {
            return .ignored
        }
    }
}

extension JSONReader {
    fileprivate mutating func relayMessage() throws(ReadFailure) -> ReadMessage {
        let start = mark
        var head = try message()
        switch head.type {
        case "room": return .message(.room(try roomMessage(&head.members)))
        case "pong": return .message(try pong(&head.members))
        case "error": return .message(.error(try errorMessage(&head.members)))
        case "closed": return .message(try closed(&head.members))
        case "joined": break
        default: return .ignored
        }
        do throws(ReadFailure) {
            return .message(.joined(try joinedMessage(&head.members)))
        } catch {
            // A text that is no JSON after all is nobody's answer.
            guard case .rule = error, isWellFormed(from: start) else { return .ignored }
            return .malformedJoined
        }
    }

    private mutating func joinedMessage(_ members: inout JSONMembers) throws(ReadFailure) -> JoinedMessage {
        var code: String?
        var you: (peerId: String, token: String)?
        var serverTimeMs: Int64?
        var room: Room?
        var media: Media??
        while let name = try name(of: &members) {
            switch name {
            case "code": code = try text("code: 6 symbols", isRoomCode)
            case "you": you = try self.you()
            case "serverTime": serverTimeMs = try int(in: naturalWireInt, "serverTime: an int of at least 0")
            case "room": room = try snapshot()
            case "media": media = try null() ? .some(nil) : try self.media().media
            default: try skip()
            }
        }
        try end()
        guard let code, let you, let serverTimeMs, let room, let media else {
            throw .rule("joined: a member is absent")
        }
        return JoinedMessage(
            code: code,
            peerId: you.peerId,
            token: you.token,
            serverTimeMs: serverTimeMs,
            room: room,
            media: media
        )
    }

    private mutating func you() throws(ReadFailure) -> (peerId: String, token: String) {
        var members = try object("you: an object")
        var id: String?
        var token: String?
        while let name = try name(of: &members) {
            switch name {
            case "peerId": id = try peerId()
            case "token": token = try text("token: 43 of base64url", isValidToken)
            default: try skip()
            }
        }
        guard let id, let token else { throw .rule("you: peerId and token") }
        return (id, token)
    }

    private mutating func roomMessage(_ members: inout JSONMembers) throws(ReadFailure) -> RoomMessage {
        var snapshot = SnapshotReader()
        var action: RoomAction?
        var media = ReceivedMedia.absent
        while let name = try name(of: &members) {
            if try snapshot.take(name, from: &self) { continue }
            switch name {
            case "action": action = try self.action()
            case "media": media = try receivedMedia()
            default: try skip()
            }
        }
        try end()
        return RoomMessage(room: try snapshot.room(), action: action, media: media)
    }

    private mutating func action() throws(ReadFailure) -> RoomAction {
        var members = try object("action: an object")
        var kind: String?
        var by: String??
        while let name = try name(of: &members) {
            switch name {
            case "kind": kind = try nonEmpty("action.kind: a non-empty string")
            case "by": by = try null() ? .some(nil) : try peerId()
            default: try skip()
            }
        }
        guard let kind, let by else { throw .rule("action: kind and by") }
        return RoomAction(kind: kind, by: by)
    }

    /// Takes a `media` whose rules count only when the epoch turns out to be new.
    private mutating func receivedMedia() throws(ReadFailure) -> ReceivedMedia {
        if try null() { return .none }
        let start = mark
        do throws(ReadFailure) {
            return .valid(try media().media)
        } catch {
            guard case .rule = error else { throw error }
            rewind(to: start)
            try skip()
            return .malformed
        }
    }

    private mutating func pong(_ members: inout JSONMembers) throws(ReadFailure) -> RelayMessage {
        var id: Int64?
        var serverTimeMs: Int64?
        while let name = try name(of: &members) {
            switch name {
            case "id": id = try int(in: anyWireInt, "id: an int")
            case "serverTime": serverTimeMs = try int(in: naturalWireInt, "serverTime: an int of at least 0")
            default: try skip()
            }
        }
        try end()
        guard let id, let serverTimeMs else { throw .rule("pong: id and serverTime") }
        return .pong(id: id, serverTimeMs: serverTimeMs)
    }

    private mutating func errorMessage(_ members: inout JSONMembers) throws(ReadFailure) -> ErrorMessage {
        var code: String?
        var message: String?
        var re: String??
        while let name = try name(of: &members) {
            switch name {
            case "code": code = try nonEmpty("code: a non-empty string")
            case "message": message = try string("message: a string").string
            case "re": re = try null() ? .some(nil) : try string("re: null or a string").string
            default: try skip()
            }
        }
        try end()
        guard let code, let message, let re else { throw .rule("error: code, message and re") }
        return ErrorMessage(code: code, message: message, re: re)
    }

    private mutating func closed(_ members: inout JSONMembers) throws(ReadFailure) -> RelayMessage {
        var reason: String?
        while let name = try name(of: &members) {
            switch name {
            case "reason": reason = try nonEmpty("reason: a non-empty string")
            default: try skip()
            }
        }
        try end()
        guard let reason else { throw .rule("closed: reason") }
        return .closed(reason: reason)
    }

    /// Takes a string that is not empty; an unpaired surrogate in it becomes U+FFFD.
    private mutating func nonEmpty(_ rule: StaticString) throws(ReadFailure) -> String {
        let text = try string(rule)
        guard !text.bytes.isEmpty else { throw .rule(rule) }
        return text.string
    }
}
