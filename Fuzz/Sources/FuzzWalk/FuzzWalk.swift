// OpenWatchParty for Swift. See LICENSE.

import FuzzSupport
import OWPMatching

/// A walk over any candidates and probes ends, within its probes and its time (section 9.5).
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzWalk(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var bytes = FuzzBytes(start, count)
    let media = bytes.media()
    let other = bytes.media()
    require(sameTitle(media, other) == sameTitle(other, media), "the same title in both orders")
    let candidates = (0..<bytes.below(48)).map { _ in
        CandidateFacts(
            durationMs: bytes.optionalInt(),
            sizeBytes: bytes.optionalInt(),
            oshash: bytes.text(),
            name: bytes.text(),
            hasProbe: bytes.bool()
        )
    }
    var walk = MatchingWalk(media: media, candidates: candidates)
    require(walk.ranked.map(\.index).sorted() == Array(candidates.indices), "ranking drops nothing")
    let startMs = bytes.int() / 4
    var nowMs = startMs
    var probes = 0
    while case .probe(let index, let cancelAfterMs) = walk.next(atLocalMs: nowMs) {
        probes += 1
        require(probes <= 4, "at most four probes")
        require(candidates[index].hasProbe && (1...60_001).contains(cancelAfterMs), "a probe with a deadline")
        let tookMs = bytes.bool() ? Int64(bytes.byte()) * 300 : bytes.int()
        if tookMs >= cancelAfterMs && bytes.bool() {
            nowMs += cancelAfterMs
            walk.probeMissed()
        } else {
            nowMs += min(max(0, tookMs), cancelAfterMs)
            walk.probeAnswered(durationMs: bytes.optionalInt(), atLocalMs: nowMs)
        }
    }
    require(nowMs - startMs <= 60_001, "all probes share a minute")
    guard case .finished(let outcome) = walk.next(atLocalMs: nowMs) else { fatalError("the end stays the end") }
    let deltas = walk.ranked.compactMap(\.deltaMs)
    switch outcome {
    case .matched(let index, let deltaMs):
        require(deltaMs.magnitude <= 1500, "a match is within tolerance")
        require(walk.ranked.first { $0.index == index }?.deltaMs == deltaMs, "the match is listed")
    case .mismatch(_, let deltaMs):
        require(deltas.allSatisfy { $0.magnitude >= deltaMs.magnitude }, "the offer is the closest")
        require(deltaMs.magnitude > 1500, "an offer is beyond tolerance")
    case .unavailable:
        require(deltas.isEmpty, "none had a duration")
    }
    return 0
}

extension FuzzBytes {
    fileprivate mutating func media() -> Media {
        Media(
            kind: MediaKind.allCases[below(3)],
            title: "",
            durationMs: int(),
            ids: ids(),
            series: bool() ? Series(title: "", ids: ids()) : nil,
            season: optionalInt(),
            episode: optionalInt(),
            file: bool() ? MediaFile(name: text(), sizeBytes: optionalInt(), oshash: text()) : nil
        )
    }

    private mutating func ids() -> [String: String] {
        var ids: [String: String] = [:]
        for _ in 0..<below(4) { ids[["imdb", "tvdb", "mal", "other"][below(4)]] = text() ?? "" }
        return ids
    }
}
