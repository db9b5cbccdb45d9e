// OpenWatchParty for Swift. See LICENSE.

import OWPParty
import OWPRelay

/// One connection between a person and the relay.
struct Wire {
    /// The person's number.
    let person: Int
    /// The person's name for it.
    let key: ConnectionKey
    /// To the relay, and from it.
    var up = TCPLine()
    var down = TCPLine()
    /// Whether it has opened.
    var isOpen = false
    /// Whether the person's side is over: closed, or told of the end.
    var isOverForPerson = false
    /// Whether the relay's side is.
    var isOverForRelay = false
    /// When the relay last heard something on it, in µs.
    var heardUs: Int64 = 0
}
