// OpenWatchParty for Swift. See LICENSE.

import OWPCore

/// A file of the demo, as an app's library knows it; the `Ref` of its parties.
struct DemoCopy: Hashable, Sendable {
    /// The file's bare name.
    var name: String
    var sizeBytes: Int64
    var durationMs: Int64
    /// Where a real file is; nil for a simulated one.
    var path: String?
}

/// A participant of the demo: a name and a library with one copy of the film.
struct DemoPerson: Hashable, Sendable {
    var name: String
    /// The copy that the party has to find.
    var copy: DemoCopy
    /// What else the library has under the same title, such as another cut.
    var others: [DemoCopy] = []
}

/// The film and the people of the demo.
struct DemoCast: Hashable, Sendable {
    /// What the host shares.
    var media: Media
    /// The host first.
    var people: [DemoPerson]

    /// Three people with simulated players, whose copies differ in name, size and length.
    static let simulated: DemoCast = {
        let anniversary = DemoCopy(
            name: "Night of the Living Dead (30th Anniversary Edition).mkv",
            sizeBytes: 1_912_604_160,
            durationMs: 5_580_000
        )
        let shared = DemoCopy(
            name: "Night of the Living Dead (1968).mkv",
            sizeBytes: 4_301_758_464,
            durationMs: 5_772_000
        )
        return DemoCast(
            media: Media(
                kind: .movie,
                title: "Night of the Living Dead",
                durationMs: shared.durationMs,
                year: 1968,
                ids: ["imdb": "tt0063350"],
                file: MediaFile(name: shared.name, sizeBytes: shared.sizeBytes)
            ),
            people: [
                DemoPerson(name: "Anna", copy: shared),
                DemoPerson(
                    name: "Ben",
                    copy: DemoCopy(
                        name: "night.of.the.living.dead.1968.720p.mp4",
                        sizeBytes: 1_468_006_400,
                        durationMs: 5_772_900
                    ),
                    others: [anniversary]
                ),
                DemoPerson(
                    name: "Cleo",
                    copy: DemoCopy(name: "NOTLD.avi", sizeBytes: 734_003_200, durationMs: 5_771_960),
                    others: [anniversary]
                ),
            ]
        )
    }()
}
