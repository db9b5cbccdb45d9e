// OpenWatchParty for Swift. See LICENSE.

import Foundation
package import OpenWatchParty

/// A file of the user's own: what the party's candidates refer to.
///
/// Two are the same when their paths have the same bytes: some systems keep names apart that look alike.
package struct LocalFile: Hashable, Sendable {
    /// The absolute path.
    package let path: String
    /// The size in bytes.
    package let sizeBytes: Int64

    /// Looks at a path; nil when there is no regular file.
    package init?(path: String) {
        guard let facts = FileFacts(path: path) else { return nil }
        self.path = path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
        sizeBytes = facts.sizeBytes
    }

    /// Looks at a path that the user named as a film.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - mayRead: Whether a file may be read, as the system says.
    /// - Returns: The file, which has something in it and may be read.
    /// - Throws: ``UsageError`` that says what is there instead.
    package static func named(
        _ path: String,
        mayRead: (String) -> Bool = { access($0, R_OK) == 0 }
    ) throws(UsageError) -> LocalFile {
        let shown = "'\(plainText(path))'"
        guard let file = LocalFile(path: path) else { throw UsageError(obstacle(at: path, shown)) }
        guard mayRead(path) else { throw UsageError("\(shown) may not be read by you; ask whoever it belongs to") }
        guard file.sizeBytes > 0 else { throw UsageError("\(shown) is empty; name a video file") }
        return file
    }

    /// What stands at a path where no regular file does.
    private static func obstacle(at path: String, _ shown: String) -> String {
        var status = stat()
        guard stat(path, &status) == 0 else {
            return errno == EACCES
                ? "\(shown) cannot be looked at: a folder on the way to it is closed to you"
                : "there is no file at \(shown)"
        }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: return "\(shown) is a folder; name a video file in it"
        case S_IFIFO: return "\(shown) is a pipe, and a film is watched from a file; name a video file"
        default: return "\(shown) is no regular file; name a video file"
        }
    }

    /// The bare name, composed (NFC), as it is compared and shared.
    package var name: String { composed(path.split(separator: "/").last.map(String.init) ?? path) }

    /// The name without its extension.
    package var stem: String { OWPCommand.stem(of: name) }

    /// Whether both paths have the same bytes.
    package static func == (left: LocalFile, right: LocalFile) -> Bool {
        left.path.utf8.elementsEqual(right.path.utf8) && left.sizeBytes == right.sizeBytes
    }

    /// Feeds the path's bytes.
    package func hash(into hasher: inout Hasher) {
        for byte in path.utf8 { hasher.combine(byte) }
    }
}

/// A text in composed form (NFC), so that names written on different systems can be compared.
func composed(_ text: String) -> String {
    text.precomposedStringWithCanonicalMapping
}

/// A name without its extension.
func stem(of name: String) -> String {
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return name }
    return String(name[..<dot])
}

extension Media {
    /// The descriptor that shares a file: a video named for it, with what others can find their own copy by.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - durationMs: Its duration in ms, from 1 to 604800000.
    ///   - oshash: Its hash, when it has one.
    /// - Returns: A descriptor that passes `checkMedia`; a name that may not be sent is left out.
    package static func sharing(_ file: LocalFile, durationMs: Int64, oshash: String?) -> Media {
        let title = String(printableText(file.stem).prefix(200))
        var media = Media(
            kind: .video,
            title: title.isEmpty ? "Video" : title,
            durationMs: durationMs,
            file: MediaFile(name: file.name, sizeBytes: file.sizeBytes, oshash: oshash)
        )
        if checkMedia(media) != nil { media.file?.name = nil }
        return media
    }
}
