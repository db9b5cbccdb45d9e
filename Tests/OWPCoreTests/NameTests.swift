// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import Testing

@Suite("Names, clients and file names (sections 7.1 and 9.7)")
struct NameTests {
    @Test("A name has 1 to 32 code points")
    func nameLength() {
        #expect(!isValidName(""))
        #expect(isValidName("A"))
        #expect(isValidName(String(repeating: "\u{1F3AC}", count: 32)))
        #expect(!isValidName(String(repeating: "\u{1F3AC}", count: 33)))
        #expect(!isValidName("e" + String(repeating: "\u{301}", count: 32)))
    }

    @Test("Forbidden characters, and their neighbours that are not")
    func forbidden() {
        let ranges: [ClosedRange<UInt32>] = [
            0x00...0x1F, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF...0xFEFF,
        ]
        for value in UInt32(0)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            #expect(isForbidden(scalar) == ranges.contains { $0.contains(value) })
        }
    }

    @Test(
        "A client is something, a slash, and something",
        arguments: ["a/b", "a/b/c", "a//", " / ", "Example/1.0 (tvOS)"]
    )
    func clients(_ client: String) {
        #expect(isValidClient(client))
        #expect(isValidClient(client + String(repeating: "x", count: 64 - client.unicodeScalars.count)))
        #expect(!isValidClient(client + String(repeating: "x", count: 65 - client.unicodeScalars.count)))
        #expect(!isValidClient(client + "\u{202E}"))
    }

    @Test("What is no client", arguments: ["", "/", "//", "a", "a/", "/b", "/b/c", "a\u{2044}b", "a\\b"])
    func noClients(_ client: String) {
        #expect(!isValidClient(client))
    }

    @Test("A file name is bare")
    func fileNames() {
        for name in ["a", ".a", "...", "a b.mkv", "a\u{2215}b", ".\u{301}"] { #expect(isValidFileName(name)) }
        for name in ["", ".", "..", "/", "a/b", "a\\b", "a\u{0}", "a\n"] { #expect(!isValidFileName(name)) }
    }

    @Test("A peer ID is 1 to 16, a token 43 of base64url")
    func identifiers() {
        for peerId in ["p", "-", "_", "aZ09_-bbbbbbbbbb"] { #expect(isValidPeerId(peerId)) }
        for peerId in ["", "aZ09_-bbbbbbbbbbb", "p 1", "p.1", "é", "p\u{301}", "p\n", "@", "[", "`", "{", "/", ":"] {
            #expect(!isValidPeerId(peerId))
        }
        let token = "aZ09_-" + String(repeating: "x", count: 37)
        #expect(isValidToken(token))
        for wrong in [token.dropLast() + "", token + "x", token.dropLast() + "=", token.dropLast() + "\n", ""] {
            #expect(!isValidToken(wrong))
        }
    }

    @Test("A member name of ext is words with dots between")
    func extNames() {
        for name in ["a.b", "com.example", "-.-", "0.1.2"] { #expect(isValidExtName(name)) }
        for name in ["", ".", "a", "a.", ".a", "a..b", "A.b", "a_b.c", "a.b\n", "é.a", "a.b "] {
            #expect(!isValidExtName(name))
        }
    }

    @Test("Text is compared by scalars, and only A-Z fold (section 2)")
    func comparing() {
        #expect(!sameScalars("\u{E9}", "e\u{301}"))
        #expect(sameScalars("e\u{301}", "e\u{301}"))
        #expect(equalIgnoringCase("Heat.MKV", "hEAT.mkv"))
        #expect(!equalIgnoringCase("É", "é"))
        #expect(!equalIgnoringCase("\u{212A}", "k"))
        #expect(!equalIgnoringCase("", ""))
        #expect(!equalIgnoringCase(nil, nil))
        #expect(!equalIgnoringCase("a", nil))
        #expect(!equalIgnoringCase("[", "{"))
    }

    @Test("A relay's ID is 1 to 32 of a-z 0-9 -, not - first (section 3.2)")
    func ids() {
        for id in ["a", "0", "eu-1-", String(repeating: "a", count: 32)] { #expect(isValidRelayId(id)) }
        for id in ["", "-", "-a", "A", "a_b", "a.b", "é", "a\n", String(repeating: "a", count: 33)] {
            #expect(!isValidRelayId(id))
        }
    }
}
