// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OWPTransportFoundation
import OpenWatchParty

/// The sentences of `owp watch`: one for each error code, end reason and action, and a general one for the others.
enum WatchTexts {
    /// How the others come into a new room, and how it starts.
    static func invitation(_ code: String, _ media: Media, _ relays: [String], _ settings: WatchSettings) -> String {
        func command(_ relay: String) -> String { "owp watch \(code) FILE_OR_FOLDER --relay \(plainText(relay))" }
        var lines = ["Room \(code): '\(plainText(media.title))' (\(clockText(media.durationMs)))."]
        if settings.hostsRelay, settings.invitingRelays.isEmpty {
            lines.append("This machine is in no network, so others can join from here only:")
            lines.append("  " + relays.map(command).joined(separator: "\n  "))
        } else if settings.hostsRelay {
            lines.append("The others in this network join with:")
            lines.append("  " + relays.map(command).joined(separator: "\nor "))
            lines.append("The relay runs here, so the room ends for everyone when you leave it.")
        } else {
            let isLocal = relays.allSatisfy { isLoopback(baseURL: $0) }
            let who = isLocal ? "Others on this machine, which alone reaches this relay," : "The others"
            lines.append("\(who) join with: " + relays.map(command).joined(separator: " or "))
        }
        lines.append(
            settings.startWith.map { "It plays by itself once \($0) are ready." }
                ?? "It plays when you press play in mpv, or space here."
        )
        return lines.joined(separator: "\n")
    }

    /// Whether a relay's address means the machine itself.
    private static func isLoopback(baseURL: String) -> Bool {
        guard let host = URLComponents(string: baseURL)?.host else { return false }
        return host == "localhost" || host.hasPrefix("127.") || host == "[::1]" || host == "::1"
    }

    /// Why a room could not be entered.
    static func entering(_ error: PartyError, code: String?, relay: String) -> String {
        let room = code.map { "the room \(plainText($0))" } ?? "the room"
        switch error.code {
        case .invalidCode: return "\(room) cannot be found: a code has six letters and digits, such as K7M-Q2X"
        case .unreachable:
            return unreachable(error.underlying as? TransportError, plainText(relay))
        case .cancelled: return "given up before the room was entered"
        case .roomNotFound:
            return "\(room) does not exist at \(plainText(relay)); check the code with who gave it to you"
        case .roomFull: return "\(room) is full"
        case .roomLocked: return "\(room) is locked; ask its host to unlock it"
        case .rateLimited:
            return "the relay takes no more from here for now, after too many attempts or rooms of this address; "
                + "leave a room that you made, or try again in a few minutes"
        case .relayFull: return "the relay takes no more rooms now; try again later, or another --relay"
        case .clientBlocked: return "the relay does not admit this version of owp; update it"
        case .invalidMessage: return "the relay at \(plainText(relay)) answered something that cannot be understood"
        case .alreadyInRoom, .notInRoom, .forbidden, .resumeFailed: return "\(room) could not be entered"
        default: return "\(room) could not be entered\(known(error.code))"
        }
    }

    /// Why a relay could not be reached, and what to do about it.
    private static func unreachable(_ cause: TransportError?, _ relay: String) -> String {
        switch cause?.code {
        case .nameNotFound?:
            return "the host of \(relay) has no address; is its name spelled right, and is there a network?"
        case .notConnected?:
            return
                "no relay answers at \(relay); start one with 'owp relay', be one with --host-here, or name another with --relay"
        case .refused? where cause?.httpStatus == 429:
            return "the relay at \(relay) takes no more connections from here; close some, or wait a minute"
        case .refused? where cause?.httpStatus == 503:
            return "the relay at \(relay) takes no more connections now; try again later"
        case .refused?, .protocolBroken?: return "what answers at \(relay) is no relay; is --relay its address?"
        case .tls?: return "there is no safe connection to \(relay): \(plainText(cause?.message ?? ""))"
        case .noLibrary?: return plainText(cause?.message ?? "")
        case .timedOut?, nil: return "the relay at \(relay) does not answer; is it running, and is --relay its address?"
        default: return "the relay at \(relay) cannot be reached; is it running, and is --relay its address?"
        }
    }

    /// Why something that was asked of the room did not happen.
    static func refused(_ error: PartyError) -> String {
        switch error.code {
        case .forbidden: "Only the host controls this room, so your player goes back to where the others are."
        case .notInRoom: "There is no connection to the room just now, so it was not asked."
        case .invalidMessage: "That is not possible here: nothing is being watched, or the value is out of its bounds."
        case .rateLimited: "That was too much at once; wait a moment."
        case .roomNotFound, .roomFull, .roomLocked, .relayFull, .clientBlocked, .resumeFailed:
            "The room did not take that."
        case .alreadyInRoom: "You are in a room already."
        case .unreachable: "The relay does not answer."
        case .cancelled: "That was given up."
        case .invalidCode: "That is not a room's code."
        default: "The room did not take that\(known(error.code))."
        }
    }

    /// How it ended.
    static func ended(_ reason: EndReason, _ error: PartyError?) -> String {
        switch reason {
        case .left: "You left the room."
        case .ended: "The room was ended for everyone."
        case .kicked: "The host removed you from the room."
        case .expired: "The room has reached its greatest age and is closed."
        case .replaced: "This session goes on elsewhere."
        case .lost:
            switch error?.code {
            case .unreachable?: "The connection was lost and did not come back within five minutes."
            case .resumeFailed?:
                "Your place in the room is gone: it was given up while you were away, or the relay has started anew without "
                    + "its rooms. If the others are still in it, join again with its code; else make a new room."
            case .clientBlocked?: "The relay no longer admits this version of owp; update it."
            case .invalidMessage?: "The relay sent something that cannot be understood."
            default: "The room was lost\(error.map { known($0.code) } ?? "")."
            }
        }
    }

    /// What somebody did; nil for what is not worth a line.
    static func action(_ event: ActionEvent, media: Media?, offsetMs: Int64) -> String? {
        let who = event.byMe ? "You" : event.by.map { plainText($0.name) } ?? "Somebody"
        switch event.kind {
        case "play": return "\(who) pressed play."
        case "pause": return "\(who) paused."
        case "seek":
            let (position, overflow) = event.room.positionMs.addingReportingOverflow(offsetMs)
            return "\(who) jumped to \(clockText(overflow ? event.room.positionMs : max(0, position)))."
        case "rate": return "\(who) set the speed to \(rateText(event.room.rate))."
        case "media":
            guard event.room.phase != .idle, let media else { return "\(who) stopped the video." }
            return "\(who) started '\(plainText(media.title))' (\(clockText(media.durationMs)))."
        // While the room waits, the line that says for whom is enough.
        case "stall": return event.room.waitingOn.isEmpty ? "Waiting for \(who)." : nil
        case "ended": return "Finished."
        case "host":
            let host = event.room.participants.first(where: \.host).map { plainText($0.name) } ?? "Somebody else"
            return "\(host) is now the host."
        default: return nil
        }
    }

    /// What happened when the room was to play once `count` people are ready.
    static func startedByItself(_ count: Int64) -> String {
        count == 1 ? "You are ready, so it plays." : "\(count) are ready, so it plays."
    }

    /// How a copy's length differs from the room's.
    static func mismatch(_ name: String, deltaMs: Int64, media: Media) -> String {
        let own = media.durationMs.addingReportingOverflow(deltaMs).partialValue
        let difference = clockText(Int64(clamping: deltaMs.magnitude), withTenths: true)
        return "Your copy '\(plainText(name))' is \(difference) \(deltaMs < 0 ? "shorter" : "longer") than the room's: "
            + "\(clockText(own, withTenths: true)) against \(clockText(media.durationMs, withTenths: true))."
    }

    /// A rate such as `1.25×`.
    static func rateText(_ rate: Double) -> String {
        let hundredths = Int((min(max(rate, 0), 100) * 100).rounded())
        let (whole, part) = (hundredths / 100, hundredths % 100)
        if part == 0 { return "\(whole)×" }
        return part % 10 == 0 ? "\(whole).\(part / 10)×" : "\(whole).\(part < 10 ? "0" : "")\(part)×"
    }

    /// Several names as a sentence has them.
    static func list(_ names: [String]) -> String {
        guard let last = names.last else { return "nobody" }
        return names.count == 1 ? last : names.dropLast().joined(separator: ", ") + " and " + last
    }

    /// A code that has no sentence of its own, when it looks like one.
    private static func known(_ code: PartyError.Code) -> String {
        let isCode =
            (1...40).contains(code.rawValue.utf8.count)
            && code.rawValue.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 95 }
        return isCode ? " (\(code.rawValue))" : ""
    }
}
