// OpenWatchParty for Swift. See LICENSE.

import OWPMatching
import OWPSync

/// A step of a playing room, over players from in step to far behind.
func step() -> [Row] {
    let timeline = Timeline(
        phase: .playing,
        positionMs: 600_000,
        atMs: 1_733_000_000_000,
        rate: 1,
        durationMs: 7_200_000
    )
    let inputs = [Int64(0), 351, -200, -2001].map { driftMs in
        StepInput(
            timeline: timeline,
            relayMs: 1_733_000_060_000,
            offsetMs: 0,
            player: PlayerReading(
                positionMs: 660_000 + driftMs,
                paused: false,
                durationMs: 7_200_000,
                canSetRate: true
            ),
            appliedRate: 1,
            nudging: driftMs == -200,
            sinceSeekMs: nil
        )
    }
    let time = nanoseconds { for input in inputs { keep(reconcile(input)) } }
    let listed = nanoseconds { for input in inputs { keep(reconcile(input).actions) } }
    let calls = Double(inputs.count)
    return [
        Row(name: "reconcile step", nanoseconds: time / calls, goal: "< 200 ns, no allocation"),
        Row(name: "reconcile step with its list of actions", nanoseconds: listed / calls),
    ]
}

/// A ping and its pong, in a full window.
func clockSample() -> [Row] {
    var clock = RelayClock(openedAtMs: 0)
    var id: Int64 = 0
    let time = nanoseconds {
        id += 1
        let localMs = id * 5000
        clock.pingSent(id: id, atLocalMs: localMs)
        let rttMs = 20 + id % 16
        keep(clock.pong(id: id, serverTimeMs: localMs + rttMs / 2 + 1_000_000, atLocalMs: localMs + rttMs))
    }
    return [Row(name: "clock sample: a ping and its pong", nanoseconds: time)]
}

/// Ranking and walking 100 candidates to the one that matches, the last in rank.
func walk() -> [Row] {
    let media = Media(
        kind: .movie,
        title: "Heat",
        durationMs: 10_200_000,
        file: MediaFile(name: "Heat.mkv", sizeBytes: 4_000_000_000, oshash: "8e245d9679d31e12")
    )
    var candidates = (1..<100).map { index in
        CandidateFacts(
            durationMs: 10_200_000 + Int64(index) * 7919 % 100_000 + 2000,
            sizeBytes: 4_000_000_000,
            oshash: "0e245d9679d31e12",
            name: "heat.MKV"
        )
    }
    candidates.append(CandidateFacts(durationMs: 10_200_100, name: "another file.mkv"))
    let time = nanoseconds {
        var walk = MatchingWalk(media: media, candidates: candidates)
        keep(walk.next(atLocalMs: 0))
    }
    return [Row(name: "rank and walk 100 candidates", nanoseconds: time)]
}

/// Two descriptors of one movie, and of one episode without IDs of its own.
func title() -> [Row] {
    let ids = ["imdb": "tt0113277", "tmdb": "949", "plex": "5d7768284de0ee001fcc8494"]
    let movie = Media(kind: .movie, title: "Heat", durationMs: 10_200_000, ids: ids)
    let other = Media(kind: .movie, title: "Heat", durationMs: 10_230_000, ids: ["tvdb": "1", "tmdb": "949"])
    let series = Series(title: "Show", ids: ["tvdb": "121361", "imdb": "tt0944947"])
    let episode = Media(kind: .episode, title: "3", durationMs: 3_000_000, series: series, season: 1, episode: 3)
    let movies = nanoseconds { keep(sameTitle(movie, other)) }
    let episodes = nanoseconds { keep(sameTitle(episode, episode)) }
    return [
        Row(name: "`sameTitle` of two movies", nanoseconds: movies),
        Row(name: "`sameTitle` of two episodes by series and number", nanoseconds: episodes),
    ]
}
