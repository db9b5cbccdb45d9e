// OpenWatchParty for Swift. See LICENSE.

/// What kind of title a descriptor names (section 9.7).
///
/// The set is fixed for protocol v1.
public enum MediaKind: String, Hashable, Sendable, CaseIterable {
    /// A film.
    case movie
    /// One episode of a series; its descriptor carries a ``Series``.
    case episode
    /// Any other file; it is recognised by its ``MediaFile`` alone.
    case video
}

/// A media descriptor: it names a title, and each participant finds their own copy of it (section 9.7).
///
/// A descriptor received from a room comes from another participant. Every string in it, and all of ``ext``, is
/// untrusted: a search term at most, never a path, a URL, a host or a fragment of a command.
public struct Media: Hashable, Sendable {
    /// The kind of title.
    public var kind: MediaKind
    /// The title: at least 1 code point, without forbidden characters.
    public var title: String
    /// The length of the sender's own copy in ms, from 1 to 604800000.
    public var durationMs: Int64
    /// The year of first release, within ±(2^53 − 1).
    public var year: Int64?
    /// Identifiers by namespace, such as `imdb`; values are non-empty.
    public var ids: [String: String]
    /// The series; required for an episode.
    public var series: Series?
    /// The season's number, at least 0.
    public var season: Int64?
    /// The episode's number in its season, at least 0.
    public var episode: Int64?
    /// Facts of the sender's file.
    public var file: MediaFile?
    /// Members of apps under names with a dot, such as `com.example`; any JSON, at most 1024 bytes when sent.
    public var ext: [String: JSONValue]?

    /// Makes a descriptor without checking it; `checkMedia` names the first broken rule.
    public init(
        kind: MediaKind,
        title: String,
        durationMs: Int64,
        year: Int64? = nil,
        ids: [String: String] = [:],
        series: Series? = nil,
        season: Int64? = nil,
        episode: Int64? = nil,
        file: MediaFile? = nil,
        ext: [String: JSONValue]? = nil
    ) {
        self.kind = kind
        self.title = title
        self.durationMs = durationMs
        self.year = year
        self.ids = ids
        self.series = series
        self.season = season
        self.episode = episode
        self.file = file
        self.ext = ext
    }
}

/// The series an episode belongs to (section 9.7).
public struct Series: Hashable, Sendable {
    /// The series' title: at least 1 code point, without forbidden characters.
    public var title: String
    /// The year of first release, within ±(2^53 − 1).
    public var year: Int64?
    /// Identifiers of the series by namespace; values are non-empty.
    public var ids: [String: String]

    /// Makes a series without checking it.
    public init(title: String, year: Int64? = nil, ids: [String: String] = [:]) {
        self.title = title
        self.year = year
        self.ids = ids
    }
}

/// Facts of the sender's own file, for ranking other participants' files (sections 9.4 and 9.7).
public struct MediaFile: Hashable, Sendable {
    /// The file's bare name: at least 1 code point, no `/` or `\`, not `.` or `..`.
    ///
    /// Only compared, never opened.
    public var name: String?
    /// The file's size in bytes, at least 0.
    public var sizeBytes: Int64?
    /// The OpenSubtitles hash: 16 lower-case hexadecimal digits.
    public var oshash: String?

    /// Makes the facts without checking them.
    public init(name: String? = nil, sizeBytes: Int64? = nil, oshash: String? = nil) {
        self.name = name
        self.sizeBytes = sizeBytes
        self.oshash = oshash
    }
}
