// OpenWatchParty for Swift. See LICENSE.

import Testing

@testable import OWPWebSocket

@Suite("SHA-1 and Base64")
struct DigestTests {
    static let digests: [(text: String, hex: String)] = [
        ("", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
        ("abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1"
        ),
        (String(repeating: "a", count: 1_000_000), "34aa973cd4c4daa4f61eeb2bdbad27316534016f"),
    ]

    @Test("The digests of FIPS 180", arguments: digests)
    func digest(text: String, hex: String) {
        let hash = sha1(Array(text.utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        #expect(hash == hex)
    }

    @Test("Every length around a block's end has its own digest of 20 bytes")
    func padding() {
        let hashes = Set((0...130).map { sha1([UInt8](repeating: 0, count: $0)) })
        #expect(hashes.count == 131)
        #expect(hashes.allSatisfy { $0.count == 20 })
    }

    static let encodings = [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ]

    @Test("The samples of RFC 4648", arguments: encodings)
    func encoding(text: String, encoded: String) {
        #expect(base64(Array(text.utf8)) == encoded)
    }

    @Test("The accept key of RFC 6455, section 1.3")
    func accept() {
        #expect(acceptKey(for: "dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
    }
}
