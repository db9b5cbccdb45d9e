// OpenWatchParty for Swift. See LICENSE.

import Testing

@testable import OWPWebSocket

@Suite("Incremental UTF-8 (RFC 3629)")
struct UTF8CheckTests {
    /// The number of bytes taken before one is refused; nil when none is, with whether the text may end there.
    private func run(_ bytes: [UInt8], pieces: Int) -> (refusedAt: Int?, isComplete: Bool) {
        var check = UTF8Check()
        for start in stride(from: 0, to: bytes.count, by: pieces) {
            let piece = Array(bytes[start..<min(start + pieces, bytes.count)])
            if !piece.withUnsafeBytes({ check.take($0) }) { return (start, false) }
        }
        return (nil, check.isComplete)
    }

    static let wrong: [(bytes: [UInt8], at: Int)] = [
        ([0x80], 0), ([0xBF], 0), ([0xC0, 0x80], 0), ([0xC1, 0xBF], 0), ([0xE0, 0x9F, 0x80], 1),
        ([0xED, 0xA0, 0x80], 1),
        ([0xF0, 0x8F, 0x80, 0x80], 1), ([0xF4, 0x90, 0x80, 0x80], 1), ([0xF5], 0), ([0xFF], 0), ([0xC3, 0x28], 1),
        ([0xE2, 0x82, 0x28], 2), ([0xF0, 0x9F, 0x98, 0x20], 3), (Array("12345678abcdefg".utf8) + [0xFE], 15),
        (Array("12345678".utf8) + [0xCE, 0xBA, 0xE1, 0xBD, 0xB9, 0xED, 0xA0, 0x80], 14),
    ]

    @Test("Fails at the first bad byte", arguments: wrong)
    func refuses(bytes: [UInt8], at: Int) {
        #expect(run(bytes, pieces: 1).refusedAt == at)
        #expect(run(bytes, pieces: bytes.count).refusedAt != nil)
    }

    @Test("Takes every scalar, whole and byte by byte, and knows where text may end")
    func takesEveryScalar() {
        for value in stride(from: UInt32(0), through: 0x10FFFF, by: 7) {
            guard let scalar = Unicode.Scalar(value), let encoded = UTF8.encode(scalar) else { continue }
            let bytes = Array(encoded)
            #expect(run(bytes, pieces: 1) == (nil, true))
            #expect(run(bytes, pieces: 4) == (nil, true))
            if bytes.count > 1 { #expect(run(Array(bytes.dropLast()), pieces: 4) == (nil, false)) }
        }
    }

    @Test("Agrees with the standard library on random bytes, at every alignment")
    func agrees() {
        var random = Splitmix(state: 7)
        let pool: [UInt8] = [0x41, 0x42, 0x80, 0xBF, 0xC3, 0xE0, 0xA0, 0xED, 0x9F, 0xF0, 0x90, 0xF4, 0x8F, 0xE2, 0x7F]
        for _ in 0..<20_000 {
            let bytes = (0..<Int.random(in: 1...20, using: &random)).map { _ in pool.randomElement(using: &random) ?? 0
            }
            let isValid = Array(String(decoding: bytes, as: UTF8.self).utf8) == bytes
            let (refusedAt, isComplete) = run(bytes, pieces: Int.random(in: 1...20, using: &random))
            #expect((refusedAt == nil && isComplete) == isValid)
        }
    }
}
