// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OpenWatchParty

/// What a file's name says of the title in it, so that copies of other origin are recognised.
///
/// `Heat.1995.1080p.mkv` and `Heat (1995)` are one key: the words before a year or a quality, the year, and the
/// episode's numbers.
struct TitleKey: Hashable, Sendable {
    private var words: [String] = []
    private var year: Int64?
    private var episode: [Int64]?

    /// Reads a name without its extension, or a title.
    init(_ name: String) {
        let folded = composed(name).folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil)
        let tokens = folded.unicodeScalars.split { !CharacterSet.alphanumerics.contains($0) }.map(String.init)
        for (index, token) in tokens.enumerated() {
            if let numbers = Self.episode(token) {
                episode = numbers
                break
            }
            if index > 0, let number = Int64(token), (1900...2099).contains(number) {
                year = number
                // A later year is the release's, as in "2012 (2009)" or "Blade Runner 2049 2017".
                if tokens.dropFirst(index + 1).contains(where: { Int64($0).map { (1900...2099).contains($0) } ?? false }
                ) {
                    words.append(token)
                    continue
                }
                break
            }
            if index > 0, Self.isQuality(token) { break }
            words.append(token)
        }
        if episode == nil { episode = tokens.lazy.compactMap(Self.episode).first }
    }

    /// Reads what a descriptor names.
    init(_ media: Media) {
        switch media.kind {
        case .movie:
            self.init(media.title)
            year = media.year ?? year
        case .episode:
            self.init(media.series?.title ?? media.title)
            if let season = media.season, let number = media.episode { episode = [season, number] }
            year = nil
        case .video:
            self.init(media.title)
        }
    }

    /// Whether both may name one title: the same words and episode, and no differing years.
    func fits(_ other: TitleKey) -> Bool {
        guard !words.isEmpty, words == other.words, episode == other.episode else { return false }
        guard let year, let otherYear = other.year else { return true }
        return year == otherYear
    }

    /// Season and episode of a token such as `s01e02`.
    private static func episode(_ token: String) -> [Int64]? {
        guard token.hasPrefix("s"), let mark = token.firstIndex(of: "e") else { return nil }
        let season = token[token.index(after: token.startIndex)..<mark]
        guard let first = Int64(season), let second = Int64(token[token.index(after: mark)...]) else { return nil }
        return first >= 0 && second >= 0 ? [first, second] : nil
    }

    private static func isQuality(_ token: String) -> Bool {
        let known: Set = [
            "480p", "576p", "720p", "1080p", "1080i", "1440p", "2160p", "4k", "uhd", "bluray", "bdrip", "brrip",
            "dvdrip",
            "webrip", "web", "hdtv", "x264", "x265", "h264", "h265", "hevc", "av1", "remux",
        ]
        return known.contains(token)
    }
}
