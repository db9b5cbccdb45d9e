// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPWire

/// Plays a trace on a stage, and compares what the party did in each step with what it had to.
@MainActor
struct TracePlayback {
    private let trace: Trace
    private let stage: any TraceStage
    private var relay: TraceRelay
    /// The state as last published, without members that are null.
    private var state: JSONValue = ["connection": "idle", "candidates": [], "offsetMs": 0, "player": "idle"]

    init(_ trace: Trace, on stage: any TraceStage) {
        self.trace = trace
        self.stage = stage
        relay = TraceRelay(media: trace.given.media)
    }

    /// Plays the trace until a step goes otherwise than it must: what follows would tell nothing.
    ///
    /// - Returns: A line for each difference.
    mutating func play() async throws -> [String] {
        var lines: [String] = []
        for (number, step) in trace.steps.enumerated() where lines.isEmpty {
            let place = "step \(number + 1) (\(step.event)), at \(stage.world.nowMs) ms"
            do {
                lines = try await play(step).map { "\(place): \($0)" }
            } catch let error as TableError {
                throw TableError("\(place): \(error)")
            }
        }
        if lines.isEmpty, stage.world.undrawn > 0 {
            lines.append("\(stage.world.undrawn) random numbers were not drawn")
        }
        await stage.finish()
        return lines
    }

    private mutating func play(_ step: TraceStep) async throws -> [String] {
        if step.event == "wait" {
            await stage.advance(by: try step.input.int("wait"))
        } else if step.event == "player" {
            try stage.world.player(step.input.string("player")).change(step.input)
        } else {
            try await stage.take(action(of: step))
        }
        let before = state
        let got = observed()
        let expected = try self.expected(of: step, from: before)
        return strictDifferences(got, from: expected) + stage.world.takeBreaches()
    }

    private mutating func action(of step: TraceStep) throws -> TraceAction {
        let input = step.input
        if let text = try relay.text(of: step) { return .says(text, on: try input.optionalString("on") ?? "relay1") }
        let failure = try input.optionalString("fails").map(TraceFailure.named)
        switch step.event {
        case "call":
            let call = try TraceCall(input, relay)
            return .call(call, as: try input.optionalString("as") ?? input.string("call"))
        case "opens": return .opens(try input.string("opens"))
        case "refuses": return .refuses(try input.string("refuses"))
        case "drops": return .drops(try input.string("drops"), code: try input.optionalInt("code").map(Int.init))
        case "search":
            let number = Int(try input.int("search"))
            if let failure { return .search(number, .failure(failure)) }
            return .search(number, .success(try input.objects("candidates").map(TraceCandidate.init)))
        case "fetch":
            let number = Int(try input.int("fetch"))
            if let failure { return .fetch(number, .failure(failure)) }
            var text = try input.optionalString("text") ?? input.required("body").text
            if let size = try input.optionalInt("paddedTo") {
                text += String(repeating: " ", count: max(0, Int(size) - text.utf8.count))
            }
            return .fetch(number, .success(text))
        case "probe":
            let id = try input.string("probe")
            if let failure { return .probe(id, .failure(failure)) }
            return .probe(id, .success(try input.optionalInt("durationMs")))
        case "command": return .command(try input.string("command"), failure)
        default: throw TableError("\(input.path): nothing is known of '\(step.event)'")
        }
    }

    // MARK: What was seen

    /// What the party did in this step, as a step lists it.
    private mutating func observed() -> JSONValue {
        var lists: [String: [JSONValue]] = [:]
        var told: [String: [String: [JSONValue]]] = [:]
        var ended: [String: [String: JSONValue]] = [:]
        var early: [String] = []
        var published: JSONValue?
        for (atMs, what) in stage.world.takeObservations() {
            if atMs != stage.world.nowMs { early.append("\(what.kind) at \(atMs) ms") }
            switch what {
            case .act(let kind, let value): lists[kind, default: []].append(withoutNull(value))
            case .told("sent", let to, let value) where value["type"] == "ping":
                // A ping's place among the messages of its moment is left open.
                told["pinged", default: [:]][to, default: []].append(value["id"] ?? .null)
            case .told(let kind, let to, let value): told[kind, default: [:]][to, default: []].append(value)
            case .ended(let kind, let call, let value): ended[kind, default: [:]][call] = withoutNull(value)
            case .state(let value): published = withoutNull(value)
            }
        }
        // Which of several connections comes first is left open.
        for kind in ["opened", "closed", "cancelled"] { lists[kind]?.sort { "\($0)" < "\($1)" } }
        var result = lists.mapValues { JSONValue.array($0) }
        for (kind, all) in told { result[kind] = .object(all.mapValues { .array($0) }) }
        for (kind, all) in ended { result[kind] = .object(all) }
        if let published {
            state = published
            result["state"] = published
        }
        if !early.isEmpty { result["early"] = .array(early.sorted().map { .string($0) }) }
        return .object(result)
    }

    // MARK: What is expected

    private func expected(of step: TraceStep, from before: JSONValue) throws -> JSONValue {
        var result: [String: JSONValue] = [:]
        for kind in TraceStep.effects {
            guard let value = try step.input.value(kind) else { continue }
            switch (kind, value) {
            case ("state", let patch):
                result[kind] = withoutNull(try written(state: patch, from: before))
            case ("emitted", .array(let events)):
                result[kind] = .array(try events.map { withoutNull(try written(event: $0)) })
            case ("searched", .array(let descriptors)):
                result[kind] = .array(descriptors.map(relay.descriptor))
            case ("opened", .array(let names)), ("closed", .array(let names)), ("cancelled", .array(let names)):
                result[kind] = .array(names.sorted { "\($0)" < "\($1)" })
            case ("sent", .object(let connections)):
                result[kind] = .object(connections.mapValues(written(messages:)))
            case ("returns", _), ("throws", _): result[kind] = withoutNull(value)
            default: result[kind] = value
            }
        }
        return .object(result)
    }

    /// The state with the members that changed, each whole.
    private func written(state changes: JSONValue, from before: JSONValue) throws -> JSONValue {
        guard case .object(var members) = changes, case .object(let old) = before else {
            throw TableError("a state is an object")
        }
        if let room = members["room"], room != .null { members["room"] = try snapshot(room) }
        if let media = members["media"] { members["media"] = relay.descriptor(media) }
        return .object(old.merging(members) { $1 })
    }

    /// The snapshot with a `rev`.
    private func snapshot(_ rev: JSONValue) throws -> JSONValue {
        guard case .number(let number) = rev else { return rev }
        guard let snapshot = relay.sent[number] else { throw TableError("no snapshot with rev \(number) was sent") }
        return snapshot
    }

    private func written(event: JSONValue) throws -> JSONValue {
        guard case .object(let members) = event, let (name, value) = members.first, members.count == 1 else {
            throw TableError("an event is an object of one member")
        }
        switch name {
        case "ParticipantJoined", "ParticipantLeft": return [name: TraceRelay.entry(value)]
        case "Action":
            guard case .object(var action) = value else { throw TableError("an Action is an object") }
            if let by = action["by"], by != .null { action["by"] = TraceRelay.entry(by) }
            action["room"] = try snapshot(action["room"] ?? .null)
            return [name: .object(action)]
        default: return event
        }
    }

    private func written(messages: JSONValue) -> JSONValue {
        guard case .array(let messages) = messages else { return messages }
        return .array(
            messages.map { message in
                guard case .object(var members) = message, let media = members["media"] else { return message }
                members["media"] = relay.descriptor(media)
                return .object(members)
            }
        )
    }
}

/// Compares what was seen with what is expected: an absent member is not the same as `null` here.
///
/// The message of an error counts only where it is expected, since an SDK's own texts are free.
func strictDifferences(_ got: JSONValue, from expected: JSONValue, at path: String = "") -> [String] {
    switch (got, expected) {
    case (.object(let got), .object(let expected)):
        let names = Set(got.keys).union(expected.keys).sorted()
        return names.flatMap { name -> [String] in
            let inner = path.isEmpty ? name : "\(path).\(name)"
            if name == "message", got["code"] != nil, expected[name] == nil { return [] }
            guard let found = got[name] else { return ["\(inner): expected \(inWords(expected[name])), got nothing"] }
            guard let wanted = expected[name] else { return ["\(inner): expected nothing, got \(inWords(found))"] }
            return strictDifferences(found, from: wanted, at: inner)
        }
    case (.array(let got), .array(let expected)) where got.count == expected.count:
        return zip(got, expected).enumerated().flatMap { index, pair in
            strictDifferences(pair.0, from: pair.1, at: "\(path)[\(index)]")
        }
    default:
        return differences(got, from: expected, at: path)
    }
}

private func inWords(_ value: JSONValue?) -> String { value.flatMap { try? $0.text } ?? "nothing" }
