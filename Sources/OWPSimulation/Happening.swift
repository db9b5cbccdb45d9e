// OpenWatchParty for Swift. See LICENSE.

import OWPParty

/// What happens in a simulated party.
enum Happening {
    /// A person opens the app for the first time, or again.
    case comes(person: Int)
    /// Whoever is there presses something, or this person does.
    case somebodyActs, acts(person: Int)
    /// A person's network goes away, or is back.
    case outage(person: Int), outageEnds(person: Int)
    /// A machine's timer, unless it was started again or cancelled since.
    case timer(person: Int, PartyTimer, start: Int)
    /// A player has opened its title.
    case attaches(person: Int, AdapterKey)
    /// A player has done a command, or changes by itself.
    case commandEnds(person: Int, AdapterKey), playerChanges(person: Int, AdapterKey, plan: Int)
    /// The resolver answers.
    case resolved(person: Int, WorkKey)
    /// A connection opens, or fails to.
    case opens(wire: Int), openFails(wire: Int)
    /// A message arrives.
    case toRelay(wire: Int, String), toPerson(wire: Int, String)
    /// One side learns that the other has ended a connection.
    case endsForRelay(wire: Int), endsForPerson(wire: Int, code: Int?)
    /// The relay's room has something due, unless that changed since.
    case roomTimer(plan: Int)
    /// The relay may have heard nothing for too long.
    case relaySilence(wire: Int)
    /// The watch looks.
    case look
}
