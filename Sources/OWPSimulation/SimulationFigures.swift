// OpenWatchParty for Swift. See LICENSE.

/// What a start answers.
package enum StartCause: Int, Hashable, Sendable, CaseIterable {
    /// The host shared a title.
    case title
    /// Somebody pressed play.
    case play
    /// Somebody sought.
    case seek
    /// The room stopped for a player whose input ran dry.
    case stall
}

/// Something that the rules do not allow.
package struct SimulationFault: Hashable, Sendable {
    /// What it is.
    package enum Kind: String, Hashable, Sendable {
        /// Nobody's picture moved for longer than a room may wait.
        case roomStoodStill
        /// A healthy player stood still in a running room.
        case playerLeftStanding
        /// One side sent what the other may not take.
        case malformedMessage
    }

    /// What it is.
    package var kind: Kind
    /// The party's number, from 0.
    package var party: Int
    /// The person's number in it, from 0; nil for the whole room.
    package var person: Int?
    /// When it was found, in ms from the party's beginning.
    package var atMs: Int64
    /// How long it had lasted then, in ms.
    package var lastedMs: Int64
}

/// What one party, or many, came to.
package struct SimulationFigures: Hashable, Sendable {
    /// The distances between the two players furthest apart, of all that take part, every 100 ms while the room runs.
    package var playing = Histogram()
    /// The same of those that are settled.
    package var settled = Histogram()
    /// How long starts took, by their causes.
    package var starts = [Histogram](repeating: Histogram(), count: StartCause.allCases.count)
    /// How long players took part in a running room, in ms.
    package var playerMs: Int64 = 0
    /// How long rooms ran, in ms.
    package var roomMs: Int64 = 0
    /// The seeks that the SDK asked of players in a running room.
    package var seeks = 0
    /// The speed changes by which it brought players back.
    package var nudges = 0
    /// The most such seeks of one player.
    package var mostSeeks = 0
    /// How often a room stopped for a player.
    package var stalls = 0
    /// How often somebody's network went away.
    package var outages = 0
    /// How often a session was taken up after its connection had gone.
    package var resumes = 0
    /// What people pressed and the party did not refuse.
    package var acts = 0
    /// How many inputs the machines took.
    package var inputs = 0
    /// How many messages the relay and the people took.
    package var messages = 0
    /// What the rules do not allow.
    package var faults: [SimulationFault] = []

    /// No figures.
    package init() {}

    /// Counts a party that follows those counted so far.
    mutating func add(_ party: SimulationFigures) {
        playing.add(party.playing)
        settled.add(party.settled)
        for place in starts.indices { starts[place].add(party.starts[place]) }
        playerMs += party.playerMs
        roomMs += party.roomMs
        seeks += party.seeks
        nudges += party.nudges
        mostSeeks = max(mostSeeks, party.mostSeeks)
        stalls += party.stalls
        outages += party.outages
        resumes += party.resumes
        acts += party.acts
        inputs += party.inputs
        messages += party.messages
        faults += party.faults
    }
}
