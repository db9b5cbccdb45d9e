// OpenWatchParty for Swift. See LICENSE.

/// A descriptor as it was read, with what it measured in the text (section 9.7).
struct ReadMedia {
    let media: Media
    /// The descriptor's bytes as received, from its first brace to its last.
    let bytes: Int
    /// The bytes of `ext` as received; 0 without one.
    let extBytes: Int
}

/// The one decoder of descriptors, with every check of section 9.7 but the sizes.
extension JSONReader {
    /// Takes a descriptor; breaks the first rule it does not follow.
    mutating func media() throws(ReadFailure) -> ReadMedia {
        var members = try object("media: an object")
        let start = at - 1
        var kind: MediaKind?
        var title: String?
        var year: Int64?
        var ids: [String: String] = [:]
        var series: Series?
        var season: Int64?
        var episode: Int64?
        var durationMs: Int64?
        var file: MediaFile?
        var ext: [String: JSONValue]?
        var extBytes = 0
        while let name = try name(of: &members) {
            switch name {
            case "kind": kind = try mediaKind()
            case "title": title = try text("title: at least 1 code point, none forbidden") { isPlainText($0) }
            case "year": year = try int(in: anyWireInt, "year: an int")
            case "ids": ids = try self.ids("ids: an object of non-empty strings")
            case "series": series = try self.series()
            case "season": season = try int(in: naturalWireInt, "season: an int of at least 0")
            case "episode": episode = try int(in: naturalWireInt, "episode: an int of at least 0")
            case "durationMs": durationMs = try int(in: anyDuration, "durationMs: an int from 1 to 604800000")
            case "file": file = try self.file()
            case "ext":
                _ = next()
                let first = at
                ext = try self.ext()
                extBytes = at - first
            default: try skip()
            }
        }
        guard let kind else { throw .rule("kind: movie, episode or video") }
        guard let title else { throw .rule("title: at least 1 code point, none forbidden") }
        guard let durationMs else { throw .rule("durationMs: an int from 1 to 604800000") }
        guard kind != .episode || series != nil else { throw .rule("series: required for an episode") }
        let media = Media(
            kind: kind,
            title: title,
            durationMs: durationMs,
            year: year,
            ids: ids,
            series: series,
            season: season,
            episode: episode,
            file: file,
            ext: ext
        )
        return ReadMedia(media: media, bytes: at - start, extBytes: extBytes)
    }

    private mutating func mediaKind() throws(ReadFailure) -> MediaKind {
        switch try string("kind: a string") {
        case "movie": return .movie
        case "episode": return .episode
        case "video": return .video
        default: throw .rule("kind: movie, episode or video")
        }
    }

    private mutating func series() throws(ReadFailure) -> Series {
        var members = try object("series: an object")
        var title: String?
        var year: Int64?
        var ids: [String: String] = [:]
        while let name = try name(of: &members) {
            switch name {
            case "title": title = try text("series.title: at least 1 code point, none forbidden") { isPlainText($0) }
            case "year": year = try int(in: anyWireInt, "series.year: an int")
            case "ids": ids = try self.ids("series.ids: an object of non-empty strings")
            default: try skip()
            }
        }
        guard let title else { throw .rule("series.title: at least 1 code point, none forbidden") }
        return Series(title: title, year: year, ids: ids)
    }

    private mutating func ids(_ rule: StaticString) throws(ReadFailure) -> [String: String] {
        var members = try object(rule)
        var ids: [String: String] = [:]
        while let name = try name(of: &members) {
            let value = try string(rule)
            guard !value.bytes.isEmpty else { throw .rule(rule) }
            guard !name.hasUnpaired, !value.hasUnpaired else { throw .rule("ids: no unpaired surrogate") }
            let namespace = name.string
            // Of two names that a Dictionary cannot hold apart, the first is kept.
            if ids[namespace] == nil { ids[namespace] = value.string }
        }
        return ids
    }

    private mutating func file() throws(ReadFailure) -> MediaFile {
        var members = try object("file: an object")
        var file = MediaFile()
        while let name = try name(of: &members) {
            switch name {
            case "name": file.name = try text("file.name: a bare name without forbidden characters", isValidFileName)
            case "sizeBytes": file.sizeBytes = try int(in: naturalWireInt, "file.sizeBytes: an int of at least 0")
            case "oshash": file.oshash = try text("file.oshash: 16 lower-case hexadecimal digits", isValidOSHash)
            default: try skip()
            }
        }
        return file
    }

    private mutating func ext() throws(ReadFailure) -> [String: JSONValue] {
        var members = try object("ext: an object")
        var values: [String: JSONValue] = [:]
        while let name = try name(of: &members) {
            guard let key = name.checked(isValidExtName) else {
                throw .rule("ext: names are words of a-z 0-9 - with a dot between")
            }
            values[key] = try value(finite: true)
        }
        return values
    }
}

/// Every duration of media (section 9.7).
private let anyDuration = 1...Constants.largestDurationMs
