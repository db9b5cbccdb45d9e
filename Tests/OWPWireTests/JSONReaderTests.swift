// OpenWatchParty for Swift. See LICENSE.

import OWPWire
import Testing

/// Whether a policy accepts a text.
private func accepts(_ text: String, _ policy: JSONPolicy = .grammar) -> Bool {
    (try? checkJSON(Array(text.utf8), policy: policy)) != nil
}

@Suite("JSON text, strictly (RFC 8259)")
struct JSONReaderTests {
    @Test(
        "Accepted",
        arguments: [
            "null", " true ", "false", "0", "-0", "42", "-1.5", "1e5", "1E+5", "1e-5", "1.25e10", "1e400", "[]", "{}",
            "[ ]", "{ }", "[1,2,[3]]", #"{"a":1,"b":{"c":[]}}"#, "\"\"", #""\u0000\"\\\/\b\f\n\r\t""#,
            #""\ud83d\ude00""#,
            #""\ud800""#, #""\udc00\ud800""#, "\"\u{7F}\u{FEFF}\u{10FFFF}\"", "\t\r\n [0]\n",
            "123456789012345678901234567890",
            "0.00000000000000000000000000000001",
        ]
    )
    func accepted(_ text: String) {
        #expect(accepts(text))
        #expect(accepts(text, .message))
    }

    @Test(
        "Refused",
        arguments: [
            "", " ", "nul", "nulls", "True", "01", "-", "-01", "+1", ".5", "1.", "1.e5", "1e", "1e+", "0x1", "NaN",
            "Infinity", "[", "]", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "{", "}", "{,}", "{\"a\"}", "{\"a\":}",
            "{\"a\":1,}", "{a:1}", "{'a':1}", "{1:1}", "\"", "\"\\", "\"\\\"", #""\x""#, #""\u12""#, #""\u12g4""#,
            #""\U0041""#, "\"\n\"", "\"\t\"", "\"\u{0}\"", "\u{FEFF}1", "1 2", "[]]", "/**/1", "\u{A0}1", "\u{0C}1",
            "1\u{0}", "\u{0}",
        ]
    )
    func refused(_ text: String) {
        #expect(!accepts(text))
        #expect(!accepts(text, .message))
        #expect(throws: PartyError.self) { try JSONValue(parsing: text) }
    }

    @Test("Every cut of a text is refused, and says so at its end")
    func cuts() {
        let text = Array(#"{"a":[1.5e-3,true,null,"é\ud83d\ude00"],"b":{"c":-0}}"#.utf8)
        #expect((try? checkJSON(text, policy: .message)) != nil)
        for length in 0..<text.count {
            #expect(throws: JSONSyntaxError.self) { try checkJSON(Array(text[..<length]), policy: .message) }
        }
    }

    @Test("Bytes that are not UTF-8 are refused, with their offset")
    func invalidUTF8() {
        let runs: [[UInt8]] = [
            [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80], [0xF0, 0x8F, 0xBF, 0xBF],
            [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF], [0xE2, 0x82], [0xC3], [0xF0, 0x9F, 0x98],
            [0xE2, 0x28, 0xA1],
        ]
        for run in runs {
            let text = [UInt8(ascii: "\""), UInt8(ascii: "a")] + run + [UInt8(ascii: "\"")]
            #expect { try checkJSON(text, policy: .grammar) } throws: { error in
                (error as? JSONSyntaxError)?.offset == 2 && "\(error)".hasPrefix("not UTF-8")
            }
        }
    }

    @Test("FR-38: nesting is bounded, however deep the text")
    func depth() {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            func nested(_ depth: Int) -> String {
                String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
            }
            #expect(accepts(nested(512)))
            #expect(!accepts(nested(513)))
            #expect(!accepts(String(repeating: open, count: 100_000)))
            #expect((try? JSONValue(parsing: nested(512))) != nil)
            #expect(throws: PartyError.self) { try JSONValue(parsing: nested(513)) }
        }
    }

    @Test("Repeated names are refused by the message policy alone, compared by scalars")
    func repeatedNames() {
        let repeated = [
            #"{"a":1,"a":1}"#, #"{"a":1,"b":2,"\u0061":3}"#, #"[{"x":{"é":1,"\u00e9":2}}]"#, #"{"":1,"":2}"#,
            #"{"\ud83d\ude00":1,"😀":2}"#, #"{"\ud800":1,"\uD800":2}"#,
        ]
        for text in repeated {
            #expect(accepts(text))
            #expect(!accepts(text, .message))
            #expect(throws: PartyError.self) { try JSONValue(parsing: text) }
        }
        let distinct = [
            #"{"a":1,"A":1}"#, #"{"é":1,"e\u0301":2}"#, #"{"\ud800":1,"\ud801":2}"#,
            #"{"a":{"a":{"a":1}},"b":{"a":1}}"#,
            #"[{"a":1},{"a":1}]"#,
        ]
        for text in distinct { #expect(accepts(text, .message)) }
    }

    @Test("Repeated names are found among many", arguments: [2, 31, 32, 33, 34, 1000, 20_000])
    func manyNames(_ count: Int) {
        let names = (0..<count).map { "\"name\($0 * 7919 % count)\":\($0)" }
        #expect(accepts("{\(names.joined(separator: ","))}", .message))
        #expect(!accepts("{\((names + ["\"name1\":0"]).joined(separator: ","))}", .message))
        #expect(!accepts("{\((["\"name1\":0"] + names).joined(separator: ","))}", .message))
    }
}

@Suite("JSON values (sections 8 and 16.8)")
struct JSONValueTextTests {
    @Test(
        "Numbers are doubles, and integers of the wire when integral and within 2^53 - 1",
        arguments: [
            ("42.0", 42), ("4.2e1", 42), ("420e-1", 42), ("-0", 0), ("-0.0", 0), ("0e99999999999", 0), ("1e3", 1000),
            ("9007199254740991", 9_007_199_254_740_991), ("-9007199254740991", -9_007_199_254_740_991),
            ("9007199254740992", nil), ("9007199254740993", nil), ("-9007199254740992", nil), ("0.5", nil),
            ("1e400", nil), ("-1e400", nil), ("1e-400", 0), ("9007199254740991.2", 9_007_199_254_740_991),
            ("1e99999999999999999999", nil), ("9e15", 9_000_000_000_000_000),
            ("9.007199254740991e15", 9_007_199_254_740_991),
            ("42.000000000000000000000000000000001", 42), ("0.00000000000000000042e20", 42),
        ] as [(String, Int64?)]
    )
    func wireInts(_ text: String, _ expected: Int64?) throws {
        #expect(try JSONValue(parsing: text).wireInt == expected)
    }

    @Test(
        "Doubles are rounded once",
        arguments: [
            "0.1", "0.3", "1.1", "123.456", "2.2250738585072014e-308", "5e-324", "1.7976931348623157e308", "0.96",
            "1e22",
            "1e23", "8.41e21", "9007199254740993.5", "123456789012345678", "1234567890123456789012",
            "3.0000000000000004",
            "0.50000000000000005", "7.2057594037927933e16", "1e-7", "179769313486231580793728971405301e276",
        ]
    )
    func doubles(_ text: String) throws {
        #expect(try JSONValue(parsing: text) == .number(try #require(Double(text))))
        #expect(try JSONValue(parsing: "-" + text) == .number(-(try #require(Double(text)))))
    }

    @Test("Strings hold what their escapes say")
    func strings() throws {
        #expect(try JSONValue(parsing: #""a\u0041\n\"\\\/é\u00e9\ud83d\ude00""#) == .string("aA\n\"\\/éé😀"))
        #expect(try JSONValue(parsing: #""\u0000\u001f\uFFFF""#) == .string("\u{0}\u{1F}\u{FFFF}"))
    }

    @Test(
        "An unpaired surrogate is invalid_message",
        arguments: [
            #""\ud800""#, #""\udfff""#, #""\ud800\ud800""#, #""\ud800x""#, #""\ud800\n""#, #""\udc00\ud800""#,
            #"["\uD83D"]"#, #"{"\ud800":1}"#, #"{"a":"\udead"}"#,
        ]
    )
    func unpaired(_ text: String) {
        #expect { try JSONValue(parsing: text) } throws: { ($0 as? PartyError)?.code == .invalidMessage }
    }

    @Test("The text is compact, names in the order of their bytes, escapes the shortest")
    func text() throws {
        let value = try JSONValue(parsing: #" { "b" : [ 1.0 , -0 , 0.5 , 1e3 ] , "a" : { "é" : null , "z" : true } } "#)
        #expect(try value.text == #"{"a":{"z":true,"é":null},"b":[1,0,0.5,1000]}"#)
        let string = JSONValue.string("\u{0}\u{8}\u{9}\u{A}\u{B}\u{C}\u{D}\u{1F}\"\\/\u{7F}é😀\u{2028}")
        #expect(try string.text == #""\u0000\b\t\n\u000b\f\r\u001f\"\\/"# + "\u{7F}é😀\u{2028}\"")
    }

    @Test("What JSON cannot write throws, and so does what is too deep")
    func unwritable() throws {
        for number in [Double.infinity, -.infinity, .nan] {
            #expect { try JSONValue.array([.number(number)]).text } throws: {
                ($0 as? PartyError)?.code == .invalidMessage
            }
        }
        var deep = JSONValue.null
        for _ in 0..<512 { deep = .array([deep]) }
        #expect(throws: PartyError.self) { try deep.text }
    }

    @Test("Of two names that are canonically equal, the first is kept")
    func canonicalNames() throws {
        let value = try JSONValue(parsing: #"{"é":1,"e\u0301":2}"#)
        #expect(value["é"] == 1)
    }

    @Test(
        "What is written is read back as it was",
        arguments: [0.1, 1.0 / 3, 1e300, .leastNonzeroMagnitude, -2.5, 1e16, 123456.789, 1e-7]
    )
    func roundTrip(_ number: Double) throws {
        let value = JSONValue.object(["n": .number(number), "s": "\u{1}é\"", "a": [nil, true]])
        #expect(try JSONValue(parsing: value.text) == value)
    }
}
