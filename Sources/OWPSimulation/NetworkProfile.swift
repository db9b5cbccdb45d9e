// OpenWatchParty for Swift. See LICENSE.

/// What the way between a participant and the relay is like.
package struct NetworkProfile: Hashable, Sendable {
    /// Its name on the command line.
    package var name: String
    /// What it stands for, in a few words.
    package var summary: String
    /// The mean time of one way, in ms; a participant's own is between half and one and a half times that.
    package var latencyMs: Double
    /// How much longer the way up may take than the way down, or the other way round, in ms.
    package var asymmetryMs: Double = 0
    /// The mean of what is added to each message, in ms; long delays become ever rarer (an exponential distribution).
    package var jitterMs: Double = 0
    /// The share of messages that are lost, and come by a retransmission, from 0 to 0.9.
    package var loss: Double = 0
    /// How often the network goes away in an hour; half of the times the connections break with it.
    package var dropsPerHour: Double = 0
    /// How long it stays away, in ms.
    package var outageMs: ClosedRange<Int64> = 1000...8000

    /// The ten profiles that are built in.
    package static let all: [NetworkProfile] = [
        NetworkProfile(name: "lan", summary: "a cable in one house", latencyMs: 0.3, jitterMs: 0.2),
        NetworkProfile(
            name: "fibre",
            summary: "fibre at home",
            latencyMs: 6,
            asymmetryMs: 1,
            jitterMs: 1,
            loss: 0.0005,
            dropsPerHour: 0.05
        ),
        NetworkProfile(
            name: "dsl",
            summary: "DSL at home",
            latencyMs: 20,
            asymmetryMs: 8,
            jitterMs: 4,
            loss: 0.002,
            dropsPerHour: 0.2
        ),
        NetworkProfile(
            name: "wifi",
            summary: "busy Wi-Fi at home",
            latencyMs: 12,
            asymmetryMs: 4,
            jitterMs: 25,
            loss: 0.01,
            dropsPerHour: 0.5
        ),
        NetworkProfile(
            name: "4g",
            summary: "a telephone, standing",
            latencyMs: 35,
            asymmetryMs: 20,
            jitterMs: 25,
            loss: 0.005,
            dropsPerHour: 1
        ),
        NetworkProfile(
            name: "overseas",
            summary: "a relay on another continent",
            latencyMs: 130,
            asymmetryMs: 10,
            jitterMs: 10,
            loss: 0.005,
            dropsPerHour: 0.2
        ),
        NetworkProfile(
            name: "hotel",
            summary: "hotel Wi-Fi that drops",
            latencyMs: 45,
            asymmetryMs: 20,
            jitterMs: 80,
            loss: 0.03,
            dropsPerHour: 6,
            outageMs: 1000...25_000
        ),
        NetworkProfile(
            name: "train",
            summary: "a telephone on a train",
            latencyMs: 60,
            asymmetryMs: 40,
            jitterMs: 120,
            loss: 0.04,
            dropsPerHour: 12,
            outageMs: 2000...40_000
        ),
        NetworkProfile(
            name: "satellite",
            summary: "a geostationary satellite",
            latencyMs: 290,
            asymmetryMs: 20,
            jitterMs: 30,
            loss: 0.01,
            dropsPerHour: 0.5
        ),
        NetworkProfile(name: "mixed", summary: "everyone has another of the nine above", latencyMs: 0),
    ]

    /// The profile of a name; nil when there is none.
    package static func named(_ name: String) -> NetworkProfile? { all.first { $0.name == name } }

    /// What one participant has of a profile: itself, or for `mixed` one of the others.
    func drawn(using random: inout some RandomNumberGenerator) -> NetworkProfile {
        guard name == "mixed" else { return self }
        return Self.all.filter { $0.name != "mixed" }.randomElement(using: &random) ?? self
    }
}
