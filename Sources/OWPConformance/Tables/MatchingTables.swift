// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPMatching

/// Runs a case of `matching`: the walk with probes of given durations, in virtual time (sections 9.4 and 9.5).
func matching(_ given: CaseInput) throws -> JSONValue {
    let media = try given.object("media")
    let file = try media.optionalObject("file").map(readFile)
    let descriptor = Media(kind: .movie, title: "table", durationMs: try media.int("durationMs"), file: file)
    let candidates = try given.objects("candidates").map(SimulatedCandidate.init)
    var walk = MatchingWalk(media: descriptor, candidates: candidates.map(\.facts))
    let ranked = walk.ranked.map { JSONValue.string(candidates[$0.index].id) }
    var probes: [JSONValue] = []
    let startMs: Int64 = 1_000_000
    var nowMs = startMs
    while true {
        let outcome: WalkOutcome
        switch walk.next(atLocalMs: nowMs) {
        case .probe(let index, let cancelAfterMs):
            guard let probe = candidates[index].probe else { throw TableError("a candidate without a probe is probed") }
            let counted = probe.takesMs < cancelAfterMs
            nowMs += min(probe.takesMs, cancelAfterMs)
            if counted {
                walk.probeAnswered(durationMs: probe.durationMs, atLocalMs: nowMs)
            } else {
                walk.probeMissed()
            }
            probes.append(["id": .string(candidates[index].id), "outcome": counted ? "counted" : "missed"])
            continue
        case .finished(let end):
            outcome = end
        }
        var result: [String: JSONValue] = [
            "ranked": .array(ranked),
            "probes": .array(probes),
            "elapsedMs": number(nowMs - startMs),
            "match": json(outcome.match),
        ]
        result["candidates"] = .array(
            walk.ranked.map { ["id": .string(candidates[$0.index].id), "deltaMs": $0.deltaMs.map(number) ?? .null] }
        )
        switch outcome {
        case .matched(let index, _): result["choice"] = .string(candidates[index].id)
        case .mismatch(let index, let deltaMs):
            result["mismatch"] = ["id": .string(candidates[index].id), "deltaMs": number(deltaMs)]
        case .unavailable: break
        }
        return .object(result)
    }
}

/// Runs a case of `same-title`, in both orders (section 9.3).
func sameTitles(_ given: CaseInput) throws -> JSONValue {
    let a = try readMedia(given.object("a"))
    let b = try readMedia(given.object("b"))
    let same = sameTitle(a, b)
    guard sameTitle(b, a) == same else { return ["same": "differs between the two orders"] }
    return ["same": .bool(same)]
}

/// A candidate with the probe that the case describes.
private struct SimulatedCandidate {
    /// How long a probe takes in ms, and what it finds; nil for nothing.
    struct Probe {
        let takesMs: Int64
        let durationMs: Int64?
    }

    let id: String
    let facts: CandidateFacts
    let probe: Probe?

    init(_ candidate: CaseInput) throws {
        id = try candidate.string("id")
        probe = try candidate.optionalObject("probe").map { probe in
            if try probe.isTrue("never") { return Probe(takesMs: .max, durationMs: nil) }
            let answer = try probe.isTrue("throws") ? nil : try probe.anyNumberAsInt("durationMs")
            return Probe(takesMs: try probe.int("takesMs"), durationMs: answer)
        }
        facts = CandidateFacts(
            durationMs: try candidate.anyNumberAsInt("durationMs"),
            sizeBytes: try candidate.anyNumberAsInt("sizeBytes"),
            oshash: try candidate.optionalString("oshash"),
            name: try candidate.optionalString("name"),
            hasProbe: probe != nil
        )
    }
}

/// A descriptor as the case gives it, without the checks of section 9.7.
func readMedia(_ media: CaseInput) throws -> Media {
    let series = try media.optionalObject("series").map { series in
        Series(title: try series.optionalString("title") ?? "", ids: try series.strings("ids"))
    }
    return Media(
        kind: try media.word("kind"),
        title: try media.optionalString("title") ?? "",
        durationMs: try media.anyNumberAsInt("durationMs") ?? 0,
        year: try media.anyNumberAsInt("year"),
        ids: try media.strings("ids"),
        series: series,
        season: try media.anyNumberAsInt("season"),
        episode: try media.anyNumberAsInt("episode"),
        file: try media.optionalObject("file").map(readFile),
        ext: try media.members("ext")
    )
}

private func readFile(_ file: CaseInput) throws -> MediaFile {
    MediaFile(
        name: try file.optionalString("name"),
        sizeBytes: try file.anyNumberAsInt("sizeBytes"),
        oshash: try file.optionalString("oshash")
    )
}

private func json(_ match: Match) -> JSONValue {
    ["state": .string(match.state.rawValue), "deltaMs": match.deltaMs.map(number) ?? .null]
}
