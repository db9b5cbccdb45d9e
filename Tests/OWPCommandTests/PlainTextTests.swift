// OpenWatchParty for Swift. See LICENSE.

import Testing

@testable import OWPCommand

@Suite("Text as it may be printed")
struct PlainTextTests {
    @Test(
        "Nothing that steers a terminal or turns a line around is left",
        arguments: [
            ("Anna", "Anna"), ("An\u{1B}[31mna", "An[31mna"), ("a\nb\rc\td", "abcd"),
            ("a\u{202E}b\u{2066}c\u{200F}d\u{61C}", "abcd"),
            ("\u{9B}31m", "31m"), ("\u{E000}\u{FEFF}x", "x"), ("👩‍👧", "👩‍👧"), ("é", "é"), ("\u{E0041}x", "x"), ("日本", "日本"),
        ]
    )
    func plain(text: String, expected: String) {
        #expect(Array(plainText(text).unicodeScalars) == Array(expected.unicodeScalars))
    }

    @Test("A long text is cut")
    func cut() {
        #expect(plainText(String(repeating: "a", count: 300), limit: 5) == "aaaaa…")
        #expect(plainText("aaaaa", limit: 5) == "aaaaa")
    }

    @Test(
        "Times as people write them",
        arguments: [
            (0, "0:00"), (999, "0:00"), (7000, "0:07"), (754_000, "12:34"), (3_723_000, "1:02:03"), (-95_000, "-1:35"),
            (-400, "0:00"),
            (Int64.max, "2562047788015:12:55"), (Int64.min, "-2562047788015:12:55"),
        ] as [(Int64, String)]
    )
    func clock(ms: Int64, expected: String) {
        #expect(clockText(ms) == expected)
    }

    @Test("Tenths")
    func tenths() {
        #expect(clockText(60_950, withTenths: true) == "1:00.9")
        #expect(clockText(-95_050, withTenths: true) == "-1:35.0")
    }
}
