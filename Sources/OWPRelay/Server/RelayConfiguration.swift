// OpenWatchParty for Swift. See LICENSE.

import OWPCore

/// What a relay is told at its start; every value has the protocol's default.
public struct RelayConfiguration: Sendable {
    /// The address to listen on, or a host name.
    public var host = "127.0.0.1"
    /// The TCP port to listen on; 0 takes any free one.
    public var port = 0
    /// The address for metrics; nil for none.
    public var adminHost: String?
    /// The TCP port for metrics; 0 takes any free one.
    public var adminPort = 0

    /// How many connections it holds.
    public var maxConnections = 20_000
    /// How many connections one address has; an IPv6 address counts by its /64.
    public var maxConnectionsPerIP = 10
    /// How many rooms live at a time.
    public var maxRooms = 10_000
    /// How many of the living rooms one address made.
    public var maxRoomsPerIP = 3
    /// How many participants a room takes.
    public var maxParticipants = 50
    /// The largest message from a client, in bytes.
    public var maxMessageBytes = 16_384
    /// How many messages a second a connection may send on and on.
    public var messagesPerSecond = 20.0
    /// How many messages a connection may send at once.
    public var messageBurst = 60
    /// How many joins and resumes of one address may fail in a minute.
    public var failedJoinsPerMinute = 30
    /// How long a connection may send nothing, or be in no room, in ms before ``timerScale``.
    public var clientTimeoutMs = 30_000
    /// How many bytes may wait for a client that does not read, before it is dropped.
    public var sendBufferBytes = 262_144
    /// Whether every message, text or binary, is sent back on any path, in place of rooms and their limits; for test suites.
    package var isEcho = false

    /// Whether the client's address is the last one of `X-Forwarded-For`, as a reverse proxy in front writes it.
    public var trustsProxy = false
    /// A factor for every waiting time of the relay, for tests that cannot wait as long.
    public var timerScale = 1.0
    /// The directory in which rooms outlive a restart; nil keeps them in memory alone.
    public var stateDirectory: String?
    /// Takes the relay's log, on its threads; nil for none.
    public var log: (@Sendable (RelayLogEntry) -> Void)?
    /// The first symbols of the codes that this relay makes and serves.
    public var prefixes = codeAlphabet
    /// The rooms' times, when they are not the protocol's; how a check of relays plants faults.
    package var roomTimes: RoomTimes?
    /// Apps that are refused, by the part of `client` before its first `/`.
    public var blockedClients: [String] = []

    /// The protocol's defaults: any free port of the loopback address.
    public init() {}
}
