// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPWire

/// A call that a trace's app makes.
enum TraceCall {
    case create
    case join(String, create: Bool)
    case leave
    case close
    case attachPlayer(String, ref: String)
    case detachPlayer(String?)
    case playerChanged
    case acceptMismatch
    case declineMismatch
    case choose(TraceCandidate)
    case resolveAgain
    case setOffset(Int64)
    case play
    case pause
    case seek(Int64)
    case setRate(Double)
    case setMedia(Media, ref: String, positionMs: Int64)
    case clearMedia
    case setControl(Control)
    case transferHost(String)
    case kick(String)
    case lock(Bool)
    case end
    case roomPositionMs
    case refresh
    case relayFor(String)

    /// Reads a step that calls.
    init(_ step: CaseInput, _ relay: TraceRelay) throws {
        let name = try step.string("call")
        switch name {
        case "create": self = .create
        case "join": self = .join(try step.string("code"), create: try step.isTrue("create"))
        case "leave": self = .leave
        case "close": self = .close
        case "attachPlayer": self = .attachPlayer(try step.string("player"), ref: try step.string("ref"))
        case "detachPlayer": self = .detachPlayer(try step.optionalString("player"))
        case "playerChanged": self = .playerChanged
        case "acceptMismatch": self = .acceptMismatch
        case "declineMismatch": self = .declineMismatch
        case "choose": self = .choose(try TraceCandidate(step.object("candidate")))
        case "resolveAgain": self = .resolveAgain
        case "setOffset": self = .setOffset(try step.int("ms"))
        case "play": self = .play
        case "pause": self = .pause
        case "seek": self = .seek(try step.wideInt("ms"))
        case "setRate": self = .setRate(try step.rate("rate"))
        case "setMedia":
            let media = try CaseInput(relay.descriptor(step.required("media")), path: "\(step.path).media")
            let positionMs = try step.value("positionMs") == nil ? 0 : step.wideInt("positionMs")
            self = .setMedia(try readMedia(media), ref: try step.string("ref"), positionMs: positionMs)
        case "clearMedia": self = .clearMedia
        case "setControl": self = .setControl(try step.word("mode"))
        case "transferHost": self = .transferHost(try step.string("peerId"))
        case "kick": self = .kick(try step.string("peerId"))
        case "lock": self = .lock(try step.bool("locked"))
        case "end": self = .end
        case "roomPositionMs": self = .roomPositionMs
        case "refresh": self = .refresh
        case "relayFor": self = .relayFor(try step.string("code"))
        default: throw TableError("\(step.path): no call is named '\(name)'")
        }
    }
}

/// A candidate that a trace's app offers.
struct TraceCandidate {
    let id: String
    let ref: String
    let durationMs: Int64?
    let sizeBytes: Int64?
    let oshash: String?
    let name: String?
    let hasProbe: Bool

    init(_ input: CaseInput) throws {
        try input.checkMembers(["id", "ref", "durationMs", "sizeBytes", "oshash", "name", "probe"])
        id = try input.string("id")
        ref = try input.optionalString("ref") ?? id
        durationMs = try input.optionalInt("durationMs")
        sizeBytes = try input.optionalInt("sizeBytes")
        oshash = try input.optionalString("oshash")
        name = try input.optionalString("name")
        hasProbe = try input.isTrue("probe")
    }
}

extension CaseInput {
    /// An integer, which may lie beyond what the wire takes: as near as a double comes.
    fileprivate func wideInt(_ name: String) throws -> Int64 {
        guard case .number(let number) = try required(name), number == number.rounded() else {
            throw TableError("\(path).\(name) must be a whole number")
        }
        return Int64(saturating: number)
    }

    /// A number, or the text `NaN`.
    fileprivate func rate(_ name: String) throws -> Double {
        try value(name) == "NaN" ? .nan : double(name)
    }

    /// Refuses members that nobody knows.
    func checkMembers(_ known: Set<String>) throws {
        if let unknown = names.subtracting(known).sorted().first {
            throw TableError("\(path) has an unknown '\(unknown)'")
        }
    }
}
