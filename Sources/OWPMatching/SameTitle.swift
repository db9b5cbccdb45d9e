// OpenWatchParty for Swift. See LICENSE.

/// The namespaces whose identifiers name a title (section 9.3); others may name a file or a shelf.
private let titleNamespaces = ["imdb", "tmdb", "tvdb", "plex", "anilist", "anidb", "kitsu", "mal"]

/// Whether two descriptors name the same title, by their identifiers or files; symmetric (section 9.3).
///
/// For resolvers that compare descriptors. Titles and years are never compared, as spellings differ.
public func sameTitle(_ a: Media, _ b: Media) -> Bool {
    guard a.kind == b.kind else { return false }
    switch a.kind {
    case .movie: return sharesId(a.ids, b.ids)
    case .episode: return sameEpisode(a, b)
    case .video: return sameFile(a.file, b.file)
    }
}

/// Own identifiers decide first, whichever way; then the series with season and number.
private func sameEpisode(_ a: Media, _ b: Media) -> Bool {
    if sharesId(a.ids, b.ids) { return true }
    if contradictsId(a.ids, b.ids) { return false }
    guard let seriesA = a.series, let seriesB = b.series, sharesId(seriesA.ids, seriesB.ids) else { return false }
    return isEqual(a.season, b.season) && isEqual(a.episode, b.episode)
}

/// The hash, or size and name together.
private func sameFile(_ a: MediaFile?, _ b: MediaFile?) -> Bool {
    guard let a, let b else { return false }
    if equalIgnoringCase(a.oshash, b.oshash) { return true }
    return isEqual(a.sizeBytes, b.sizeBytes) && equalIgnoringCase(a.name, b.name)
}

/// Whether some namespace has one and the same value in both.
private func sharesId(_ a: [String: String], _ b: [String: String]) -> Bool {
    anyNamespace(a, b) { sameScalars($0, $1) }
}

/// Whether some namespace has different values in both.
private func contradictsId(_ a: [String: String], _ b: [String: String]) -> Bool {
    anyNamespace(a, b) { !sameScalars($0, $1) }
}

/// Whether some namespace that counts has non-empty values in both which fulfil a condition.
private func anyNamespace(_ a: [String: String], _ b: [String: String], where holds: (String, String) -> Bool) -> Bool {
    a.contains { name, valueA in
        guard !valueA.isEmpty, titleNamespaces.contains(name) else { return false }
        guard let valueB = b[name], !valueB.isEmpty else { return false }
        return holds(valueA, valueB)
    }
}

/// Whether two optional numbers are equal: both present, and the same (section 2).
func isEqual(_ a: Int64?, _ b: Int64?) -> Bool {
    guard let a, let b else { return false }
    return a == b
}
