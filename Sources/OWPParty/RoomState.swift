// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPSync

/// The room as its last accepted snapshot shows it, with the media of its epoch (section 8).
struct RoomState: Sendable {
    /// The last accepted snapshot; nil outside a room.
    private(set) var room: Room?
    /// The media of the epoch.
    private(set) var media: Media?

    /// Replaces the snapshot whole.
    mutating func replace(with room: Room) { self.room = room }

    /// Sets the media of a new epoch.
    mutating func setMedia(_ media: Media?) { self.media = media }

    /// The room's timeline with the media's duration.
    var timeline: Timeline? {
        room.map { Timeline(room: $0, durationMs: media?.durationMs) }
    }

    /// The first entry with a peer ID.
    func participant(_ peerId: String?) -> Participant? {
        guard let peerId, let room else { return nil }
        return room.participants.first { sameScalars($0.peerId, peerId) }
    }

    /// Whether a participant is the host.
    func isHost(_ peerId: String?) -> Bool {
        participant(peerId)?.host ?? false
    }

    /// Whether a participant may play, pause, seek and set the rate.
    func isController(_ peerId: String?) -> Bool {
        guard let own = participant(peerId) else { return false }
        return own.host || room?.control == .everyone
    }

    /// Who came and who went since an earlier snapshot: first those who came, then those who went (section 15).
    func comingsAndGoings(since earlier: Room?) -> [PublicEvent] {
        guard let earlier, let room else { return [] }
        let came = Self.missing(from: earlier, of: room).map(PublicEvent.participantJoined)
        let went = Self.missing(from: room, of: earlier).map(PublicEvent.participantLeft)
        return came + went
    }

    /// The participants of one snapshot whose peer IDs another has not, each ID once.
    private static func missing(from other: Room, of room: Room) -> [Participant] {
        var known = Set(other.participants.map(\.peerId))
        return room.participants.filter { known.insert($0.peerId).inserted }
    }
}
