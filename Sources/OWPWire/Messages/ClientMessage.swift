// OpenWatchParty for Swift. See LICENSE.

/// A message from a client to its relay.
public enum ClientMessage: Hashable, Sendable {
    /// Makes a room.
    case create(name: String, client: String)
    /// Enters the room of a code, and makes it when `create` is true and no room has it.
    case join(code: String, name: String, client: String, create: Bool)
    /// Takes up a session after a drop.
    case resume(code: String, peerId: String, token: String)
    /// Leaves the room.
    case leave
    /// Asks for the relay's time; `id` is at least 1.
    case ping(id: Int64)
    /// Tells what the own player and search do.
    case status(StatusMessage)
    /// Asks the room to play.
    case play
    /// Pauses the room at a position in ms; nil for the position the room has.
    case pause(positionMs: Int64?)
    /// Moves the room to a position in ms.
    case seek(positionMs: Int64)
    /// Sets the playback rate, from 0.5 to 2.0.
    case rate(Double)
    /// Sets the room's media, beginning at a position in ms.
    indirect case setMedia(media: Media, positionMs: Int64)
    /// Takes the room's media away.
    case clearMedia
    /// Sets who may control playback.
    case setControl(Control)
    /// Makes another participant the host.
    case transferHost(peerId: String)
    /// Removes a participant.
    case kick(peerId: String)
    /// Refuses or allows new joins.
    case lock(Bool)
    /// Ends the room for everyone.
    case end

    /// The `type` on the wire.
    public var type: String {
        switch self {
        case .create: "create"
        case .join: "join"
        case .resume: "resume"
        case .leave: "leave"
        case .ping: "ping"
        case .status: "status"
        case .play: "play"
        case .pause: "pause"
        case .seek: "seek"
        case .rate: "rate"
        case .setMedia: "setMedia"
        case .clearMedia: "clearMedia"
        case .setControl: "setControl"
        case .transferHost: "transferHost"
        case .kick: "kick"
        case .lock: "lock"
        case .end: "end"
        }
    }
}

/// What a participant tells of its player and search (section 10.1).
public struct StatusMessage: Hashable, Sendable {
    /// The epoch it speaks of, at least 0.
    public var epoch: Int64
    /// The player's state.
    public var player: PlayerState
    /// The search's state; nil without media.
    public var match: Match?
    /// The local offset in ms, within ±604800000.
    public var offsetMs: Int64
    /// The best round trip in ms, at least 0; nil before the first clock sample.
    public var rttMs: Int64?

    /// Makes a status without checking it.
    public init(epoch: Int64, player: PlayerState, match: Match?, offsetMs: Int64, rttMs: Int64? = nil) {
        self.epoch = epoch
        self.player = player
        self.match = match
        self.offsetMs = offsetMs
        self.rttMs = rttMs
    }
}

/// Why a relay refuses a client's text, as its `error` answers.
public struct MessageRefusal: Error, Hashable, Sendable {
    /// `invalid_message`, or `unsupported` for an unknown type.
    public var code: String
    /// The broken rule in English, for logs.
    public var message: String
    /// The refused type; nil for a text that is no JSON object with a string `type`.
    public var re: String?

    /// Makes a refusal.
    public init(code: String, message: String, re: String?) {
        self.code = code
        self.message = message
        self.re = re
    }
}
