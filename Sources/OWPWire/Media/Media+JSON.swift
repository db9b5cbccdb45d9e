// OpenWatchParty for Swift. See LICENSE.

extension Media {
    /// The descriptor as JSON, known members only; an absent one, and an empty `ids`, is left out (section 9.7).
    ///
    /// Numbers are doubles there, so an integer beyond ±(2^53 − 1), which no valid descriptor has, may be rounded.
    public func toJSON() -> JSONValue {
        var members: [String: JSONValue] = [
            "kind": .string(kind.rawValue), "title": .string(title), "durationMs": .number(Double(durationMs)),
        ]
        members["year"] = year.map { .number(Double($0)) }
        members["ids"] = json(ids: ids)
        members["series"] = series.map { series in
            var members: [String: JSONValue] = ["title": .string(series.title)]
            members["year"] = series.year.map { .number(Double($0)) }
            members["ids"] = json(ids: series.ids)
            return .object(members)
        }
        members["season"] = season.map { .number(Double($0)) }
        members["episode"] = episode.map { .number(Double($0)) }
        members["file"] = file.map { file in
            var members: [String: JSONValue] = [:]
            members["name"] = file.name.map { .string($0) }
            members["sizeBytes"] = file.sizeBytes.map { .number(Double($0)) }
            members["oshash"] = file.oshash.map { .string($0) }
            return .object(members)
        }
        members["ext"] = ext.map { .object($0) }
        return .object(members)
    }

    /// The descriptor's compact text, exactly as `setMedia` sends it (section 9.7).
    ///
    /// Two descriptors are the same by value when these texts have the same bytes (section 9.1).
    package var compactJSON: String {
        var writer = JSONWriter()
        writer.media(self)
        return writer.text
    }
}

/// The JSON of identifiers; nil when there are none.
private func json(ids: [String: String]) -> JSONValue? {
    ids.isEmpty ? nil : .object(ids.mapValues { .string($0) })
}

extension JSONWriter {
    /// Writes a descriptor in its compact form (section 9.7).
    package mutating func media(_ media: Media) {
        object { writer in
            writer.name("kind")
            writer.string(media.kind.rawValue)
            writer.name("title")
            writer.string(media.title)
            writer.int("year", media.year)
            writer.ids(media.ids)
            if let series = media.series {
                writer.name("series")
                writer.object { writer in
                    writer.name("title")
                    writer.string(series.title)
                    writer.int("year", series.year)
                    writer.ids(series.ids)
                }
            }
            writer.int("season", media.season)
            writer.int("episode", media.episode)
            writer.int("durationMs", media.durationMs)
            if let file = media.file {
                writer.name("file")
                writer.object { writer in
                    writer.string("name", file.name)
                    writer.int("sizeBytes", file.sizeBytes)
                    writer.string("oshash", file.oshash)
                }
            }
            if let ext = media.ext {
                writer.name("ext")
                writer.ext(ext)
            }
        }
    }

    /// Writes the value of `ext`.
    mutating func ext(_ ext: [String: JSONValue]) {
        object(ext) { $0.value($1) }
    }

    /// Writes a member that is an integer, unless it is absent.
    package mutating func int(_ name: StaticString, _ value: Int64?) {
        guard let value else { return }
        self.name(name)
        int(value)
    }

    /// Writes a member that is a string, unless it is absent.
    package mutating func string(_ name: StaticString, _ value: String?) {
        guard let value else { return }
        self.name(name)
        string(value)
    }

    private mutating func ids(_ ids: [String: String]) {
        guard !ids.isEmpty else { return }
        name("ids")
        object(ids) { $0.string($1) }
    }
}
