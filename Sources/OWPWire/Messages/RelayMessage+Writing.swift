// OpenWatchParty for Swift. See LICENSE.

extension RelayMessage {
    /// The message as compact JSON, to send.
    public var text: String {
        JSONWriter.object { writer in
            switch self {
            case .joined(let joined):
                writer.string("type", "joined")
                writer.string("code", joined.code)
                writer.name("you")
                writer.object { writer in
                    writer.string("peerId", joined.peerId)
                    writer.string("token", joined.token)
                }
                writer.int("serverTime", joined.serverTimeMs)
                writer.name("room")
                writer.object { $0.snapshot(joined.room) }
                writer.name("media")
                writer.mediaOrNull(joined.media)
            case .room(let message):
                writer.string("type", "room")
                writer.snapshot(message.room)
                if let action = message.action {
                    writer.name("action")
                    writer.object { writer in
                        writer.string("kind", action.kind)
                        writer.name("by")
                        writer.stringOrNull(action.by)
                    }
                }
                switch message.media {
                case .absent, .malformed: break
                case .none:
                    writer.name("media")
                    writer.null()
                case .valid(let media):
                    writer.name("media")
                    writer.media(media)
                }
            case .pong(let id, let serverTimeMs):
                writer.string("type", "pong")
                writer.int("id", id)
                writer.int("serverTime", serverTimeMs)
            case .error(let error):
                writer.string("type", "error")
                writer.string("code", error.code)
                writer.string("message", error.message)
                writer.name("re")
                writer.stringOrNull(error.re)
            case .closed(let reason):
                writer.string("type", "closed")
                writer.string("reason", reason)
            }
        }
    }
}

extension JSONWriter {
    /// Writes a match, or null.
    mutating func match(_ match: Match?) {
        guard let match else { return null() }
        object { writer in
            writer.string("state", match.state.rawValue)
            writer.int("deltaMs", match.deltaMs)
        }
    }

    /// Writes a member that is a boolean.
    package mutating func bool(_ name: StaticString, _ value: Bool) {
        self.name(name)
        bool(value)
    }

    fileprivate mutating func mediaOrNull(_ media: Media?) {
        if let media { self.media(media) } else { null() }
    }

    fileprivate mutating func stringOrNull(_ text: String?) {
        if let text { string(text) } else { null() }
    }

    /// Writes a snapshot's members.
    fileprivate mutating func snapshot(_ room: Room) {
        int("rev", room.rev)
        string("code", room.code)
        int("epoch", room.epoch)
        string("phase", room.phase.rawValue)
        int("positionMs", room.positionMs)
        int("atMs", room.atMs)
        name("rate")
        number(room.rate)
        string("control", room.control.rawValue)
        bool("locked", room.locked)
        name("waitingOn")
        array { writer in
            for peerId in room.waitingOn { writer.string(peerId) }
        }
        name("participants")
        array { writer in
            for participant in room.participants { writer.participant(participant) }
        }
    }

    private mutating func participant(_ participant: Participant) {
        object { writer in
            writer.string("peerId", participant.peerId)
            writer.string("name", participant.name)
            writer.string("client", participant.client)
            writer.bool("host", participant.host)
            writer.bool("connected", participant.connected)
            writer.string("player", participant.player.rawValue)
            writer.name("match")
            writer.match(participant.match)
            writer.int("offsetMs", participant.offsetMs)
        }
    }
}
