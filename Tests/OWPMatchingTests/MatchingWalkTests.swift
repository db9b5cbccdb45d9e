// OpenWatchParty for Swift. See LICENSE.

import OWPMatching
import Testing

@Suite("The walk, beyond its table (section 9.5)")
struct MatchingWalkTests {
    private static let media = Media(kind: .movie, title: "Heat", durationMs: 10_200_000)
    private let probed = CandidateFacts(hasProbe: true)

    @Test("A probe that runs is named again, not started anew")
    func running() {
        var walk = MatchingWalk(media: Self.media, candidates: [probed, probed])
        #expect(walk.next(atLocalMs: 50) == .probe(index: 0, cancelAfterMs: 60_001))
        #expect(walk.next(atLocalMs: 90) == .probe(index: 0, cancelAfterMs: 60_001))
        walk.probeAnswered(durationMs: nil, atLocalMs: 150)
        #expect(walk.next(atLocalMs: 150) == .probe(index: 1, cancelAfterMs: 59_901))
    }

    @Test("An answer at the deadline counts, one after it is a miss even before the cancellation")
    func deadline() {
        var walk = MatchingWalk(media: Self.media, candidates: [probed, probed])
        _ = walk.next(atLocalMs: 0)
        walk.probeAnswered(durationMs: 10_200_000, atLocalMs: 60_000)
        #expect(walk.next(atLocalMs: 60_000) == .finished(.matched(index: 0, deltaMs: 0)))
        walk = MatchingWalk(media: Self.media, candidates: [probed, probed])
        _ = walk.next(atLocalMs: 0)
        walk.probeAnswered(durationMs: 10_200_000, atLocalMs: 60_001)
        #expect(walk.next(atLocalMs: 60_001) == .finished(.unavailable))
        #expect(walk.ranked == [RankedIndex(index: 0, deltaMs: nil), RankedIndex(index: 1, deltaMs: nil)])
    }

    @Test("Only the time of probes is spent, not the time between them")
    func budget() {
        var walk = MatchingWalk(media: Self.media, candidates: [probed, probed])
        _ = walk.next(atLocalMs: 0)
        walk.probeAnswered(durationMs: nil, atLocalMs: 100)
        #expect(walk.next(atLocalMs: 5000) == .probe(index: 1, cancelAfterMs: 59_901))
    }

    @Test("Answers and cancellations that no probe waits for change nothing")
    func stray() {
        var walk = MatchingWalk(media: Self.media, candidates: [probed])
        let start = walk
        walk.probeAnswered(durationMs: 10_200_000, atLocalMs: 0)
        walk.probeMissed()
        #expect(walk == start)
        _ = walk.next(atLocalMs: 0)
        walk.probeMissed()
        let end = walk.next(atLocalMs: 60_001)
        walk.probeAnswered(durationMs: 10_200_000, atLocalMs: 60_001)
        #expect(walk.next(atLocalMs: 70_000) == end)
        #expect(end == .finished(.unavailable))
    }

    @Test("The end stays the end")
    func end() {
        var walk = MatchingWalk(media: Self.media, candidates: [CandidateFacts(durationMs: 10_300_000)])
        let offer = WalkStep.finished(.mismatch(index: 0, deltaMs: 100_000))
        #expect(walk.next(atLocalMs: 0) == offer)
        #expect(walk.next(atLocalMs: 1) == offer)
    }

    @Test("Outcomes say what is reported (section 9.6)")
    func outcomes() {
        #expect(WalkOutcome.matched(index: 3, deltaMs: -7).match == Match(state: .matched, deltaMs: -7))
        #expect(WalkOutcome.mismatch(index: 3, deltaMs: 1501).match == Match(state: .searching, deltaMs: 1501))
        #expect(WalkOutcome.unavailable.match == Match(state: .unavailable))
    }

    @Test("FR-31: the file of the same name and size goes before one of the same name")
    func sameName() {
        let media = Media(
            kind: .video,
            title: "Deleted Scenes",
            durationMs: 421_000,
            file: MediaFile(name: "Deleted Scenes.mkv", sizeBytes: 421_000_000)
        )
        let a = CandidateFacts(durationMs: 300_000, sizeBytes: 300_000_000, name: "Deleted Scenes.mkv")
        let b = CandidateFacts(durationMs: 421_300, sizeBytes: 421_000_000, name: "deleted scenes.MKV")
        var walk = MatchingWalk(media: media, candidates: [a, b])
        #expect(walk.next(atLocalMs: 0) == .finished(.matched(index: 1, deltaMs: 300)))
        #expect(walk.ranked == [RankedIndex(index: 1, deltaMs: 300), RankedIndex(index: 0, deltaMs: -121_000)])
    }

    @Test("FR-31: episodes of the same number in different series are not the same title")
    func sameNumber() {
        let episode = { (id: String) in
            Media(
                kind: .episode,
                title: "Episode 3",
                durationMs: 1000,
                series: Series(title: "S", ids: ["tvdb": id]),
                season: 1,
                episode: 3
            )
        }
        #expect(!sameTitle(episode("1"), episode("2")))
        #expect(!sameTitle(episode("2"), episode("1")))
        #expect(sameTitle(episode("1"), episode("1")))
    }

    @Test("FR-33: names compare by code points, with only A to Z folded")
    func composed() {
        let media = Media(kind: .video, title: "A", durationMs: 1000, file: MediaFile(name: "Am\u{e9}lie.mkv"))
        let unnamed = CandidateFacts(durationMs: 1000)
        for (name, order) in [
            ("Ame\u{301}lie.mkv", [0, 1]), ("AM\u{c9}LIE.MKV", [0, 1]), ("AM\u{e9}LIE.MKV", [1, 0]),
        ] {
            #expect(rankCandidates([unnamed, CandidateFacts(durationMs: 1000, name: name)], for: media) == order)
        }
    }

    @Test("FR-33: identifiers compare by code points")
    func composedIds() {
        let movie = { (id: String) in Media(kind: .movie, title: "A", durationMs: 1000, ids: ["plex": id]) }
        #expect(!sameTitle(movie("\u{e9}"), movie("e\u{301}")))
        #expect(sameTitle(movie("\u{e9}"), movie("\u{e9}")))
    }

    @Test("A candidate's facts are its own")
    func facts() {
        let plain = Candidate(id: "a", ref: 1, durationMs: 2, sizeBytes: 3, oshash: "4", name: "5")
        #expect(CandidateFacts(plain) == CandidateFacts(durationMs: 2, sizeBytes: 3, oshash: "4", name: "5"))
        let probed = Candidate(id: "b", ref: 1, probe: { nil })
        #expect(CandidateFacts(probed) == CandidateFacts(hasProbe: true))
    }

    @Test("Numbers that no descriptor or clock has never trap", arguments: [Int64.min, -1, 0, 1, .max])
    func extremes(_ durationMs: Int64) {
        var media = Self.media
        media.durationMs = durationMs
        let numbers: [Int64] = [.min, -1, 0, 1, 604_800_000, 604_800_001, .max]
        let candidates = numbers.map { CandidateFacts(durationMs: $0, sizeBytes: $0, hasProbe: true) }
        for firstMs in numbers {
            for secondMs in numbers {
                var walk = MatchingWalk(media: media, candidates: candidates)
                while case .probe = walk.next(atLocalMs: firstMs) {
                    walk.probeAnswered(durationMs: secondMs, atLocalMs: secondMs)
                }
                #expect(walk.ranked.count == numbers.count)
            }
        }
    }
}
