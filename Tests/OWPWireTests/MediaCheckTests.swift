// OpenWatchParty for Swift. See LICENSE.

import OWPWire
import Testing

@Suite("Descriptors (section 9.7)")
struct MediaCheckTests {
    @Test("The compact form has its order, and its value is read back")
    func compact() throws {
        let text =
            #"{"kind":"episode","title":"Pilot","year":2008,"ids":{"imdb":"tt0959621","tvdb":"349232"},"#
            + #""series":{"title":"Breaking Bad","year":2008,"ids":{"imdb":"tt0903747"}},"season":1,"episode":1,"#
            + #""durationMs":3600000,"file":{"name":"pilot.mkv","sizeBytes":1234567890123,"oshash":"8e245d9679d31e12"},"#
            + #""ext":{"com.example":{"a":[1,null],"b":0.5}}}"#
        #expect(sampleMedia.compactJSON == text)
        #expect(try parseMedia(JSONValue(parsing: text)) == sampleMedia)
        #expect(try JSONValue(parsing: text) == sampleMedia.toJSON())
        #expect(checkMedia(sampleMedia) == nil)
    }

    @Test("parseMedia drops unknown members, keeps namespaces and ext, and fails with invalid_message (section 16.2)")
    func parses() throws {
        let json: JSONValue = [
            "kind": "movie", "title": "Heat", "durationMs": 1.0, "new": 1, "ids": ["own": "x"], "file": ["path": "/"],
            "ext": ["a.b": ["path": [nil]]],
        ]
        let media = Media(
            kind: .movie,
            title: "Heat",
            durationMs: 1,
            ids: ["own": "x"],
            file: MediaFile(),
            ext: ["a.b": ["path": [nil]]]
        )
        #expect(try parseMedia(json) == media)
        let broken: [JSONValue] = [
            nil, [], "x", ["kind": "movie"], ["kind": "movie", "title": "A", "durationMs": 0],
            ["kind": "movie", "title": "A", "durationMs": 1, "ext": ["a.b": .number(.infinity)]],
        ]
        for json in broken {
            #expect { try parseMedia(json) } throws: { ($0 as? PartyError)?.code == .invalidMessage }
        }
    }

    @Test("checkMedia tells the broken rule in words")
    func tells() {
        func movie(_ change: (inout Media) -> Void) -> String? {
            var media = Media(kind: .movie, title: "A", durationMs: 1)
            change(&media)
            return checkMedia(media)
        }
        #expect(movie { _ in } == nil)
        #expect(movie { $0.title = "" }?.hasPrefix("title") == true)
        #expect(movie { $0.title = "a\u{202E}" }?.hasPrefix("title") == true)
        #expect(movie { $0.durationMs = 604_800_001 }?.hasPrefix("durationMs") == true)
        #expect(movie { $0.durationMs = .min }?.hasPrefix("durationMs") == true)
        #expect(movie { $0.year = .max }?.hasPrefix("year") == true)
        #expect(movie { $0.year = 9_007_199_254_740_992 }?.hasPrefix("year") == true)
        #expect(movie { $0.year = -9_007_199_254_740_991 } == nil)
        #expect(movie { $0.ids = ["imdb": ""] }?.hasPrefix("ids") == true)
        #expect(movie { $0.kind = .episode }?.hasPrefix("series") == true)
        #expect(movie { $0.series = Series(title: "") }?.hasPrefix("series.title") == true)
        #expect(movie { $0.file = MediaFile(name: "..") }?.hasPrefix("file.name") == true)
        #expect(movie { $0.file = MediaFile(sizeBytes: -1) }?.hasPrefix("file.sizeBytes") == true)
        #expect(movie { $0.ext = ["example": 1] }?.hasPrefix("ext") == true)
        #expect(movie { $0.ext = ["a.b": .number(.nan)] } != nil)
    }

    @Test("FR-34: a hash has 16 lower-case digits", arguments: ["0000000000020000", "8e245d9679d31e12"])
    func hashes(_ hash: String) {
        func check(_ hash: String) -> String? {
            checkMedia(Media(kind: .video, title: "A", durationMs: 1, file: MediaFile(oshash: hash)))
        }
        #expect(check(hash) == nil)
        #expect(check(String(hash.dropLast())) != nil)
        #expect(check(hash + "0") != nil)
        #expect(check(hash.dropLast() + "A") != nil)
        #expect(check(hash.dropLast() + "٣") != nil)
    }

    @Test("Sizes are those of the compact text, in bytes of UTF-8")
    func sizes() {
        let base = #"{"kind":"movie","title":"","durationMs":1}"#.utf8.count
        func titled(_ title: String) -> String? { checkMedia(Media(kind: .movie, title: title, durationMs: 1)) }
        #expect(titled(String(repeating: "a", count: 4096 - base)) == nil)
        #expect(titled(String(repeating: "a", count: 4097 - base)) != nil)
        #expect(titled(String(repeating: "é", count: (4096 - base) / 2)) == nil)
        #expect(titled(String(repeating: "é", count: (4096 - base) / 2 + 1)) != nil)
        func extended(_ count: Int) -> String? {
            checkMedia(
                Media(
                    kind: .movie,
                    title: "A",
                    durationMs: 1,
                    ext: ["a.b": .string(String(repeating: "e", count: count))]
                )
            )
        }
        #expect(extended(1024 - 10) == nil)
        #expect(extended(1024 - 9) != nil)
    }

    @Test("ext nests as deep as its size allows")
    func deepExt() throws {
        var value = JSONValue.array([])
        for _ in 0..<507 { value = .array([value]) }
        let media = Media(kind: .movie, title: "A", durationMs: 1, ext: ["a.b": value])
        #expect(checkMedia(media) == nil)
        #expect(try parseMedia(media.toJSON()) == media)
        let message = ClientMessage.setMedia(media: media, positionMs: 0)
        #expect(try ClientMessage(parsing: message.text) == message)
    }

    @Test("Two ids names that are canonically equal crash nothing; the first is kept")
    func canonicalNames() throws {
        let text = #"{"kind":"movie","title":"A","durationMs":1,"ids":{"é":"1","e\u0301":"2"}}"#
        #expect(try parseMedia(text: text).ids == ["é": "1"])
        let decomposed = Media(kind: .movie, title: "e\u{301}", durationMs: 1)
        #expect(
            !decomposed.compactJSON.utf8.elementsEqual(Media(kind: .movie, title: "é", durationMs: 1).compactJSON.utf8)
        )
    }

    @Test("FR-33: text is compared by scalars, so a composed and a decomposed name are two")
    func names() throws {
        let text = #"{"kind":"movie","title":"A","durationMs":1,"file":{"name":"Am\u00e9lie.mkv"}}"#
        let name = try #require(try parseMedia(text: text).file?.name)
        #expect(sameScalars(name, "Am\u{E9}lie.mkv"))
        #expect(!sameScalars(name, "Ame\u{301}lie.mkv"))
    }
}
