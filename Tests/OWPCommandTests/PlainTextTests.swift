// OpenWatchParty for Swift. See LICENSE.

import Testing

@testable import OWPCommand

@Suite("Text as it may be printed")
struct PlainTextTests {
    @Test(
        "What steers a terminal or turns a line around is spelled out, and left out of what others are shown",
        arguments: [
            ("Anna", "Anna", "Anna"), ("An\u{1B}[31mna", #"An\u{1B}[31mna"#, "An[31mna"),
            ("a\nb\rc\td", #"a\u{A}b\u{D}c\u{9}d"#, "abcd"),
            ("a\u{202E}b\u{2066}c\u{200F}d\u{61C}", #"a\u{202E}b\u{2066}c\u{200F}d\u{61C}"#, "abcd"),
            ("\u{9B}31m", #"\u{9B}31m"#, "31m"), ("\u{E000}\u{FEFF}x", #"\u{E000}\u{FEFF}x"#, "x"),
            ("K7M\u{200B}Q2X", #"K7M\u{200B}Q2X"#, "K7MQ2X"), ("\u{E0041}x", #"\u{E0041}x"#, "x"),
            ("👩‍👧", "👩‍👧", "👩‍👧"), ("é", "é", "é"), ("日本", "日本", "日本"), ("", "", ""),
        ]
    )
    func plain(text: String, shown: String, shared: String) {
        #expect(Array(plainText(text).unicodeScalars) == Array(shown.unicodeScalars))
        #expect(Array(printableText(text).unicodeScalars) == Array(shared.unicodeScalars))
    }

    @Test("A long text is cut")
    func cut() {
        #expect(plainText(String(repeating: "a", count: 300), limit: 5) == "aaaaa…")
        #expect(plainText("aaaaa", limit: 5) == "aaaaa")
        #expect(plainText("\u{1B}\u{1B}\u{1B}", limit: 2) == #"\u{1B}\u{1B}…"#)
        #expect(printableText("a\u{1B}bcd", limit: 3) == "abc")
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
