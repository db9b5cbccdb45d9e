// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OWPCore
package import OpenWatchParty

/// The files a user watches from: some named one by one, others in folders.
///
/// A descriptor is a search term only: nothing in it is ever opened. A file named one by one is always a candidate,
/// since its user says it is the title. A file in a folder is one when its hash, its size, its name or the title in its
/// name fits, or else, when none does, its duration.
package struct MediaLibrary: Sendable {
    /// Learns a file's duration in ms by opening it; nil when it is none that can be played.
    package typealias Probe = @MainActor @Sendable (LocalFile) async throws -> Int64?

    /// The names that make a file of a folder a video.
    private static let extensions: Set = [
        "3gp", "avi", "flv", "m2ts", "m4v", "mkv", "mov", "mp4", "mpeg", "mpg", "mts", "ogm", "ogv", "ts", "vob",
        "webm",
        "wmv", "y4m",
    ]
    /// How many entries of folders are looked at.
    private static let mostEntries = 50_000
    /// How many files without any other likeness are opened for their duration.
    private static let mostProbes = 16

    /// The files named one by one.
    package let named: [LocalFile]
    /// The folders.
    package let folders: [String]

    /// Takes paths of files and folders.
    ///
    /// - Throws: ``UsageError`` for a path at which there is neither, or that may not be read.
    package init(paths: [String]) throws {
        var named: [LocalFile] = []
        var folders: [String] = []
        for path in paths {
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue else {
                named.append(try LocalFile.named(path))
                continue
            }
            guard access(path, R_OK | X_OK) == 0 else {
                throw UsageError("the folder '\(plainText(path))' may not be read by you; ask whoever it belongs to")
            }
            folders.append(path)
        }
        self.named = named
        self.folders = folders
    }

    /// The candidates for a descriptor, best first.
    ///
    /// - Parameters:
    ///   - media: What the room watches.
    ///   - probe: Learns the duration of a file.
    /// - Returns: A candidate for each file that may be the title; those of folders only when they fit.
    @MainActor
    package func candidates(for media: Media, probe: @escaping Probe) async -> [Candidate<LocalFile>] {
        let found = await search(media)
        var candidates = found.files.map { file in
            candidate(file, for: media) { try await probe(file) }
        }
        guard candidates.isEmpty else { return candidates }
        for file in found.others.prefix(Self.mostProbes) {
            guard !Task.isCancelled else { break }
            guard let durationMs = try? await probe(file), fits(durationMs, media) else { continue }
            candidates.append(candidate(file, for: media, durationMs: durationMs))
        }
        return candidates
    }

    /// What a search found: the files that fit, best first, and, when there is none, all others.
    struct Found: Sendable {
        var files: [LocalFile] = []
        var others: [LocalFile] = []
    }

    /// Searches without opening anything but for hashing.
    func search(_ media: Media) async -> Found {
        let wantedName = media.file?.name.map(composed)
        let wantedHash = media.file?.oshash
        let wantedSize = media.file?.sizeBytes
        let wantedKeys = [TitleKey(media)] + (wantedName.map { [TitleKey(stem(of: $0))] } ?? [])
        var fitting: [(rank: Int, file: LocalFile)] = []
        var others: [LocalFile] = []
        for file in filesInFolders() {
            let sameSize = wantedSize == nil || wantedSize == file.sizeBytes
            if let wantedHash, sameSize, oshash(ofFile: file.path) == wantedHash {
                fitting.append((0, file))
            } else if let wantedName, equalIgnoringCase(file.name, wantedName) {
                fitting.append((1, file))
            } else if wantedSize == file.sizeBytes {
                fitting.append((2, file))
            } else if wantedKeys.contains(where: TitleKey(file.stem).fits) {
                fitting.append((3, file))
            } else {
                others.append(file)
            }
        }
        let ranked = fitting.enumerated().sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }
        return Found(files: named + ranked.map(\.element.file), others: others)
    }

    /// The videos of the folders and of those in them, in the order of their paths; hidden ones are left out.
    func filesInFolders() -> [LocalFile] {
        var files: [LocalFile] = []
        for folder in folders {
            let entries = FileManager.default.enumerator(
                at: URL(fileURLWithPath: folder, isDirectory: true),
                includingPropertiesForKeys: nil,
                options: [.skipsHiddenFiles]
            )
            var seen = 0
            while let entry = entries?.nextObject() as? URL, seen < Self.mostEntries {
                seen += 1
                guard Self.extensions.contains(entry.pathExtension.lowercased()) else { continue }
                if let file = LocalFile(path: entry.path) { files.append(file) }
            }
        }
        return files.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    }

    private func candidate(
        _ file: LocalFile,
        for media: Media,
        durationMs: Int64? = nil,
        probe: (@MainActor @Sendable () async throws -> Int64?)? = nil
    ) -> Candidate<LocalFile> {
        // The ranking compares scalars: a name that is the same but for its composition is given as the room has it.
        let wanted = media.file?.name
        let name = wanted.flatMap { equalIgnoringCase(composed($0), file.name) ? $0 : nil } ?? file.name
        let wantsHash = media.file?.oshash != nil && media.file?.sizeBytes ?? file.sizeBytes == file.sizeBytes
        return Candidate(
            id: file.path,
            ref: file,
            durationMs: durationMs,
            sizeBytes: file.sizeBytes,
            oshash: wantsHash ? oshash(ofFile: file.path) : nil,
            name: name,
            probe: probe
        )
    }

    private func fits(_ durationMs: Int64, _ media: Media) -> Bool {
        (durationMs - media.durationMs).magnitude <= UInt64(Constants.matchToleranceMs)
    }
}
