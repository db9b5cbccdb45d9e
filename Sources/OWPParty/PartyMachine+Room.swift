// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPSync
import OWPWire

/// Snapshots and epochs (sections 8, 9.1 and 15).
extension PartyMachine {
    /// Takes a well-formed `room`.
    mutating func receivedRoom(_ message: RoomMessage) {
        guard let earlier = room.room, message.room.rev > earlier.rev else {
            turn.isQuiet = true
            return
        }
        if message.room.epoch == earlier.epoch {
            room.replace(with: message.room)
        } else {
            let media: Media?
            switch message.media {
            case .absent, .malformed:
                return end(.lost, .leaving, PartyFailure(.invalidMessage, "a new epoch came without valid media"))
            case .none: media = nil
            case .valid(let valid): media = valid
            }
            room.replace(with: message.room)
            startEpoch(media)
        }
        for event in room.comingsAndGoings(since: earlier) { turn.announce(.emit(event)) }
        if let action = message.action { turn.announce(.emit(event(of: action, in: message.room))) }
        if hold.roomAccepted(hasAction: message.action != nil) { turn.add(.cancelTimer(.hold)) }
        turn.wantsStep = true
    }

    /// Begins the epoch of the snapshot in place (section 9.1).
    mutating func startEpoch(_ media: Media?) {
        room.setMedia(media)
        pendingMedia = nil
        follower.unbind(&turn)
        offsetMs = 0
        let own = media.flatMap { media in shared.flatMap { $0.isSame(as: media) ? $0.choice : nil } }
        if own == nil { follower.queue(.pause, &turn) }
        search.begin(media, own: own, &turn)
        updateBinding()
    }

    private func event(of action: RoomAction, in room: Room) -> PublicEvent {
        .action(
            kind: action.kind,
            byPeerId: action.by,
            by: self.room.participant(action.by),
            byMe: action.by.flatMap { by in member.map { sameScalars($0.peerId, by) } } ?? false,
            room: room
        )
    }
}
