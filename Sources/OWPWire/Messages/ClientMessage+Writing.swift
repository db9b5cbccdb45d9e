// OpenWatchParty for Swift. See LICENSE.

extension ClientMessage {
    /// The message as compact JSON, to send; integers stand there without fraction or exponent (section 2).
    public var text: String {
        JSONWriter.object { writer in
            writer.string("type", type)
            switch self {
            case .create(let name, let client):
                writer.string("name", name)
                writer.string("client", client)
            case .join(let code, let name, let client, let create):
                writer.string("code", code)
                writer.string("name", name)
                writer.string("client", client)
                if create { writer.bool("create", true) }
            case .resume(let code, let peerId, let token):
                writer.string("code", code)
                writer.string("peerId", peerId)
                writer.string("token", token)
            case .ping(let id):
                writer.int("id", id)
            case .status(let status):
                writer.int("epoch", status.epoch)
                writer.string("player", status.player.rawValue)
                writer.name("match")
                writer.match(status.match)
                writer.int("offsetMs", status.offsetMs)
                writer.int("rttMs", status.rttMs)
            case .pause(let positionMs):
                writer.int("positionMs", positionMs)
            case .seek(let positionMs):
                writer.int("positionMs", positionMs)
            case .rate(let rate):
                writer.name("rate")
                writer.number(rate)
            case .setMedia(let media, let positionMs):
                writer.name("media")
                writer.media(media)
                writer.int("positionMs", positionMs)
            case .setControl(let control):
                writer.string("control", control.rawValue)
            case .transferHost(let peerId), .kick(let peerId):
                writer.string("peerId", peerId)
            case .lock(let locked):
                writer.bool("locked", locked)
            case .leave, .play, .clearMedia, .end:
                break
            }
        }
    }
}
