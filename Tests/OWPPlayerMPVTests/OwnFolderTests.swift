// OpenWatchParty for Swift. See LICENSE.

import Foundation
import Testing

@testable import OWPPlayerMPV

/// What is tidied up after processes that were killed, and what is left alone.
@MainActor
@Suite("Folders and players that were left behind")
struct OwnFolderTests {
    private func temporary() throws -> String {
        let path = "/tmp/owp-own-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }

    private func names(in folder: String) -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }

    @Test("Only what nobody holds, is named as ours and has nothing else in it is removed")
    func abandoned() throws {
        let parent = try temporary()
        defer { try? FileManager.default.removeItem(atPath: parent) }
        let living = try #require(OwnFolder(in: parent))
        var dead = OwnFolder(in: parent)
        #expect(FileManager.default.createFile(atPath: try #require(dead).path + "/mpv.sock", contents: nil))
        dead = nil
        let kept = ["owp-mpv-ABCDEF", "owp-mpv-toolong", "owp-mpv-", "other-ABCDEF", "mpv"]
        for name in kept {
            try FileManager.default.createDirectory(atPath: "\(parent)/\(name)", withIntermediateDirectories: true)
        }
        // Named as ours, but with more in it; a link; a file.
        #expect(FileManager.default.createFile(atPath: parent + "/owp-mpv-ABCDEF/notes", contents: nil))
        #expect(symlink(parent + "/other-ABCDEF", parent + "/owp-mpv-LINKED") == 0)
        #expect(FileManager.default.createFile(atPath: parent + "/owp-mpv-AFILE1", contents: nil))
        OwnFolder.removeAbandoned(in: parent)
        let name = living.path.split(separator: "/").last.map(String.init) ?? ""
        #expect(names(in: parent) == (kept + ["owp-mpv-LINKED", "owp-mpv-AFILE1", name]).sorted())
        #expect(names(in: parent + "/owp-mpv-ABCDEF") == ["notes"])
        living.remove()
        #expect(!names(in: parent).contains(name))
        OwnFolder.removeAbandoned(in: parent + "/missing")
    }

    @Test("A folder that cannot be made is none", arguments: ["/nowhere", "/dev/null", "/proc"])
    func impossible(parent: String) {
        #expect(OwnFolder(in: parent) == nil)
    }

    @Test("A program whose owner forgot it sees its standard input end")
    func forgotten() async throws {
        let folder = try temporary()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let program = folder + "/program"
        try "#!/bin/sh\ncat > '\(folder)/said'\ntouch '\(folder)/ended'\n"
            .write(toFile: program, atomically: true, encoding: .utf8)
        #expect(chmod(program, 0o755) == 0)
        var process: MPVProcess? = try MPVProcess(program: program, arguments: [])
        #expect(await eventually { self.names(in: folder).contains("said") })
        #expect(!names(in: folder).contains("ended"))
        #expect(process?.status == nil)
        process = nil
        #expect(await eventually { self.names(in: folder).contains("ended") })
        // It was asked to say nothing, since nobody listens.
        #expect(try String(contentsOfFile: folder + "/said", encoding: .utf8).contains(#"["disable_event","all"]"#))
    }
}
