// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OpenWatchParty
import Testing

@testable import OWPCommand

@MainActor
@Suite("Finding the own copy")
struct MediaLibraryTests {
    private func media(_ title: String, name: String? = nil, size: Int64? = nil, hash: String? = nil) -> Media {
        let file = MediaFile(name: name, sizeBytes: size, oshash: hash)
        return Media(kind: .video, title: title, durationMs: 600_000, file: file)
    }

    private func names(_ library: MediaLibrary, _ media: Media, probed: [String: Int64] = [:]) async -> [String] {
        await library.candidates(for: media) { probed[$0.name] }.map(\.ref.name)
    }

    @Test("FR-33: a decomposed name in the folder is found by the composed one, and ranks as the same")
    func composition() async throws {
        let folder = try TestFolder()
        try folder.write("Ame\u{301}lie.mkv")
        try folder.write("Other.mkv")
        let library = try MediaLibrary(paths: [folder.path])
        let wanted = media("Unknown", name: "Am\u{E9}lie.mkv")
        let found = await library.candidates(for: wanted) { _ in nil }
        #expect(found.count == 1)
        #expect(found.first?.name.map { Array($0.unicodeScalars) } == Array("Am\u{E9}lie.mkv".unicodeScalars))
        // The path stays as the folder has it, so that it can be opened.
        #expect(found.first?.ref.path.unicodeScalars.contains("\u{301}") == true)
        // Only A–Z fold in the ranking: this one is found by its title, and does not count as the same name.
        let upper = await library.candidates(for: media("Unknown", name: "AM\u{C9}LIE.MKV")) { _ in nil }
        #expect(upper.map(\.name) == ["Am\u{E9}lie.mkv"])
    }

    @Test("The same hash comes first, then the same name, the same size, and the same title")
    func order() async throws {
        let folder = try TestFolder()
        try folder.write("d/Heat.1995.1080p.x264-GROUP.mkv", count: 20)
        try folder.write("c/same size.mkv", count: 70_000, byte: 3)
        try folder.write("b/HEAT (1995).avi", count: 30)
        try folder.write("a/copy.mp4", count: 70_000, byte: 2)
        try folder.write("Heat 1972.mkv", count: 40)
        try folder.write("Ronin.mkv", count: 50)
        try folder.write("heat (1995).txt", count: 60)
        let hash = try #require(oshash(ofFile: folder.path + "/a/copy.mp4"))
        let library = try MediaLibrary(paths: [folder.path])
        let found = await names(library, media("Heat (1995)", name: "Heat (1995).avi", size: 70_000, hash: hash))
        #expect(found == ["copy.mp4", "HEAT (1995).avi", "same size.mkv", "Heat.1995.1080p.x264-GROUP.mkv"])
    }

    @Test("What is no film that can be read is said to be what it is")
    func obstacles() throws {
        let folder = try TestFolder()
        let empty = try folder.write("empty.mkv", count: 0)
        let closed = try folder.write("closed.mkv")
        #expect(mkfifo(folder.path + "/pipe.mkv", 0o600) == 0)
        let cases: [(path: String, says: String)] = [
            (folder.path, "is a folder"), (".", "is a folder"), (folder.path + "/none.mkv", "there is no file"),
            (closed + "/x", "there is no file"), (folder.path + "/pipe.mkv", "is a pipe"),
            ("/dev/null", "no regular file"),
            (empty, "is empty"), (closed, "may not be read"), ("", "there is no file"),
        ]
        for (path, says) in cases {
            let error = #expect(throws: UsageError.self) {
                try LocalFile.named(path, mayRead: { $0 != closed })
            }
            #expect(error?.message.contains(says) == true, "\(path): \(error?.message ?? "")")
        }
        #expect(try LocalFile.named(closed).path == closed)
        // A link that goes in circles, and one that leads nowhere.
        #expect(
            symlink("loop.mkv", folder.path + "/loop.mkv") == 0 && symlink("/nowhere", folder.path + "/dead.mkv") == 0
        )
        for name in ["loop.mkv", "dead.mkv"] {
            #expect(throws: UsageError.self) { try LocalFile.named(folder.path + "/" + name) }
            #expect(throws: UsageError.self) { try MediaLibrary(paths: [folder.path + "/" + name]) }
        }
    }

    @Test("A file named by the user is always a candidate, and comes first")
    func named() async throws {
        let folder = try TestFolder()
        try folder.write("lib/Heat.mkv")
        let own = try folder.write("whatever.bin")
        let library = try MediaLibrary(paths: [folder.path + "/lib", own])
        #expect(await names(library, media("Heat")) == ["whatever.bin", "Heat.mkv"])
    }

    @Test("When nothing looks alike, the files of a folder are opened, and those of the same length taken")
    func byDuration() async throws {
        let folder = try TestFolder()
        for name in ["a.mkv", "b.mkv", "c.mkv"] { try folder.write(name) }
        let library = try MediaLibrary(paths: [folder.path])
        let lengths: [String: Int64] = ["a.mkv": 598_499, "b.mkv": 598_500, "c.mkv": 601_500]
        #expect(await names(library, media("Heat"), probed: lengths) == ["b.mkv", "c.mkv"])
        #expect(await names(library, media("Heat")).isEmpty)
    }

    @Test("A descriptor's text is a search term only: nothing in it is opened")
    func untrusted() async throws {
        let folder = try TestFolder()
        try folder.write("library/film.mkv")
        try folder.write("secret.mkv")
        let library = try MediaLibrary(paths: [folder.path + "/library"])
        let evil = media(folder.path + "/secret.mkv", name: "../secret.mkv")
        #expect(await names(library, evil).isEmpty)
    }

    @Test("A path with nothing at it is a usage error")
    func missing() {
        #expect(throws: UsageError.self) { try MediaLibrary(paths: ["/nowhere/film.mkv"]) }
    }

    @Test(
        "Names that mean one title",
        arguments: [
            ("Heat.1995.1080p.mkv", "Heat (1995)", true), ("Heat.1995", "heat", true),
            ("Heat 1972", "Heat 1995", false),
            ("Amélie", "AMELIE.2001.720p", true), ("2012", "2012 (2009)", true), ("1917.2019.2160p", "1917", true),
            ("Blade.Runner.2049.2017", "Blade Runner 2049", false), ("Show.S01E02.Title", "show s1e2", true),
            ("Show.S01E02", "Show.S01E03", false), ("Show.S01E02", "Show", false), ("", "", false),
            ("1080p", "720p", false),
            ("Alien", "Aliens", false), ("Heat.1080p.WEB", "Heat.BluRay", true),
        ]
    )
    func titles(left: String, right: String, fit: Bool) {
        #expect(TitleKey(left).fits(TitleKey(right)) == fit)
        #expect(TitleKey(right).fits(TitleKey(left)) == fit)
    }

    @Test("What is shared of a file can always be sent", arguments: ["Heat.mkv", "a\\b.mkv", "x\u{202E}y.mkv", ".mkv"])
    func sharing(name: String) throws {
        let folder = try TestFolder()
        let file = try #require(LocalFile(path: folder.write(name)))
        let media = Media.sharing(file, durationMs: 600_000, oshash: nil)
        #expect(checkMedia(media) == nil)
        #expect(media.kind == .video)
        #expect(media.file?.sizeBytes == 10)
    }
}
