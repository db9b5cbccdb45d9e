// OpenWatchParty for Swift. See LICENSE.

import OWPMatching

// Ranks two files for a descriptor, and walks them.
let media = Media(kind: .movie, title: "Heat", durationMs: 10_200_000, ids: ["imdb": "tt0113277"])
let candidates = [CandidateFacts(durationMs: 9_900_000), CandidateFacts(durationMs: 10_200_400)]
var walk = MatchingWalk(media: media, candidates: candidates)
print(rankCandidates(candidates, for: media), walk.next(atLocalMs: 0), sameTitle(media, media))
