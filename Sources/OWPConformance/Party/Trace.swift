// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPWire

/// A trace of a whole party: what is given, and steps in order (sections 3–15).
struct Trace {
    let given: TraceGiven
    let steps: [TraceStep]

    /// Reads a trace with the steps of what it begins with before its own.
    ///
    /// - Parameters:
    ///   - trace: The trace.
    ///   - beginnings: The beginnings of its file, by name.
    /// - Throws: ``TableError`` for a faulty trace.
    init(_ trace: CaseInput, beginnings: JSONValue) throws {
        var given: JSONValue = [:]
        var steps: [TraceStep] = []
        for part in try Self.parts(of: trace, beginnings: beginnings) {
            if let more = try part.value("given") { given = merged(given, with: more) }
            steps += try part.objects("steps").map(TraceStep.init)
        }
        self.given = try TraceGiven(CaseInput(given, path: "given"))
        self.steps = steps
    }

    /// The beginnings from the first on, and at last the trace itself.
    private static func parts(of trace: CaseInput, beginnings: JSONValue) throws -> [CaseInput] {
        var parts = [trace]
        while let name = try parts[0].optionalString("begin") {
            guard let beginning = beginnings[name], parts.count < 8 else {
                throw TableError("\(parts[0].path) begins with '\(name)', which is not there")
            }
            parts.insert(try CaseInput(beginning, path: "\(name)"), at: 0)
        }
        return parts
    }
}

/// What a trace gives to its party.
struct TraceGiven {
    /// The round trip of pings that are answered by themselves, and relay time minus trace time, in ms.
    struct Pongs {
        let aheadMs: Int64
        let rttMs: Int64
    }

    /// The public list; nil for `Relays.at`.
    let list: [Relay]?
    let hasResolver: Bool
    /// How pings are answered; nil when the trace does it.
    let pongs: Pongs?
    /// The random numbers to be drawn, all of them in order.
    let draws: [Double]
    let players: [CaseInput]
    /// Descriptors by name.
    let media: JSONValue

    init(_ given: CaseInput) throws {
        try given.checkMembers(["relays", "resolver", "pongs", "random", "players", "media"])
        list =
            try given.value("relays") == nil
            ? nil
            : given.objects("relays").map { entry in
                let id = try entry.string("id")
                let url = try entry.optionalString("url") ?? "wss://\(id).test/v1/ws"
                return Relay(id: id, name: id, url: url, prefixes: try entry.string("prefixes"))
            }
        hasResolver = try given.value("resolver") == nil ? true : given.bool("resolver")
        if try given.value("pongs") == .bool(false) {
            pongs = nil
        } else {
            let pongs = try given.optionalObject("pongs")
            self.pongs = Pongs(
                aheadMs: try pongs?.optionalInt("aheadMs") ?? 1_000_000,
                rttMs: try pongs?.optionalInt("rttMs") ?? 0
            )
        }
        draws =
            try given.value("random") == nil
            ? []
            : given.array("random").map { draw in
                guard case .number(let u) = draw, (0..<1).contains(u) else { throw TableError("a draw is in 0 ..< 1") }
                return u
            }
        players =
            try given.optionalObject("players").map { players in try players.names.sorted().map(players.object) } ?? []
        media = try given.value("media") ?? [:]
    }
}

/// One step of a trace: an event, or time passing, and all that comes of it.
struct TraceStep {
    /// What the party may do in a step.
    static let effects = [
        "opened", "pinged", "sent", "closed", "fetched", "searched", "probed", "cancelled", "commanded", "state",
        "emitted",
        "returns", "throws",
    ]
    /// What may happen in a step, with the members that say more of it.
    private static let events: [String: Set<String>] = [
        "wait": [],
        "call": [
            "as", "code", "create", "player", "ref", "candidate", "ms", "rate", "media", "positionMs", "mode", "peerId",
            "locked",
        ],
        "opens": [], "refuses": [], "drops": ["code"],
        "joined": ["on", "media", "you"], "room": ["on", "media", "action"], "says": ["on"], "saysText": ["on"],
        "search": ["candidates", "fails"], "fetch": ["body", "text", "paddedTo", "fails"],
        "probe": ["durationMs", "fails"], "command": ["fails"],
        "player": [
            "positionMs", "paused", "buffering", "durationMs", "firstFrameShown", "canSetRate", "seekAccuracyMs",
        ],
    ]

    /// The step, as the trace has it.
    let input: CaseInput
    /// The member that says what happens.
    let event: String

    init(_ step: CaseInput) throws {
        input = step
        // A player's own change names the player, and so do some calls.
        let named = step.names.intersection(Self.events.keys)
        let found = named.count == 1 ? named : named.subtracting(["player", "room", "media"])
        guard let event = found.first, found.count == 1, let more = Self.events[event] else {
            throw TableError("\(step.path) must say one thing that happens")
        }
        self.event = event
        try step.checkMembers(more.union([event]).union(Self.effects))
    }
}

/// The merge patch of RFC 7396.
func merged(_ target: JSONValue, with patch: JSONValue) -> JSONValue {
    guard case .object(let members) = patch else { return patch }
    var result: [String: JSONValue] = [:]
    if case .object(let old) = target { result = old }
    for (name, value) in members {
        result[name] = value == .null ? nil : merged(result[name] ?? .null, with: value)
    }
    return .object(result)
}
