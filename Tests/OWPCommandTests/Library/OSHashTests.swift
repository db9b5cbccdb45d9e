// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OpenWatchParty
import Testing

@testable import OWPCommand

/// A folder of a test's own, removed with it.
final class TestFolder {
    let path = "/tmp/owp-test-\(UUID().uuidString.prefix(12))"

    init() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Writes a file of one byte repeated; a larger `size` is reached by a hole of zeros.
    @discardableResult
    func write(_ name: String, count: Int = 10, byte: UInt8 = 0, size: UInt64? = nil) throws -> String {
        let file = path + "/" + name
        let folder = file.split(separator: "/").dropLast().joined(separator: "/")
        try FileManager.default.createDirectory(atPath: "/" + folder, withIntermediateDirectories: true)
        #expect(FileManager.default.createFile(atPath: file, contents: Data(repeating: byte, count: count)))
        if let size { #expect(truncate(file, off_t(size)) == 0) }
        return file
    }
}

@Suite("The OpenSubtitles hash at its edges (FR-34)")
struct OSHashTests {
    @Test(
        "FR-34: always 16 lower-case digits, with wrap-around",
        arguments: [
            (131_072, UInt8(0), nil as UInt64?, "0000000000020000" as String?),
            (0, 0, 8_589_934_592, "0000000200000000"),
            (131_072, 0xFF, nil, "000000000001c000"),
            (65_536, 0xFF, nil, "000000000000c000"),
            (65_535, 0, nil, nil),
            (0, 0, nil, nil),
            (1, 7, nil, nil),
            (65_537, 0, nil, "0000000000010001"),
        ]
    )
    func edges(count: Int, byte: UInt8, size: UInt64?, expected: String?) throws {
        let folder = try TestFolder()
        let file = try folder.write("f", count: count, byte: byte, size: size)
        #expect(oshash(ofFile: file) == expected)
    }

    @Test("FR-34: a huge file is read at two places only: one with holes is hashed at once")
    func sparse() throws {
        let folder = try TestFolder()
        let file = try folder.write("f", count: 8, byte: 1, size: 1 << 40)
        let started = ContinuousClock.now
        #expect(oshash(ofFile: file) == "0101020101010101")
        #expect(ContinuousClock.now - started < .seconds(5))
    }

    @Test("FR-34: words are little-endian")
    func endian() throws {
        let folder = try TestFolder()
        let file = folder.path + "/f"
        var bytes = Data(repeating: 0, count: 65_536)
        bytes[0] = 1
        bytes[15] = 0x10
        try bytes.write(to: URL(fileURLWithPath: file))
        // Both blocks are the same 64 KiB.
        #expect(oshash(ofFile: file) == "2000000000010002")
    }

    @Test("What is no regular file has no hash, and is not waited for")
    func irregular() throws {
        let folder = try TestFolder()
        #expect(mkfifo(folder.path + "/pipe", 0o600) == 0)
        #expect(oshash(ofFile: folder.path + "/pipe") == nil)
        #expect(oshash(ofFile: folder.path) == nil)
        #expect(oshash(ofFile: folder.path + "/missing") == nil)
    }

    @Test("FR-34: a file that has been written to is another file")
    func changed() throws {
        let folder = try TestFolder()
        let file = try folder.write("f", count: 100)
        let before = FileFacts(path: file)
        try folder.write("f", count: 101)
        #expect(FileFacts(path: file) != before)
    }

    @Test(
        "FR-34: a descriptor takes 16 lower-case digits only",
        arguments: [
            ("0123456789abcde", false), ("0123456789abcdef", true), ("0123456789abcdef0", false),
            ("0123456789ABCDEF", false),
        ]
    )
    func form(hash: String, isValid: Bool) {
        let media = Media(kind: .video, title: "t", durationMs: 1, file: MediaFile(oshash: hash))
        #expect((checkMedia(media) == nil) == isValid)
    }
}
