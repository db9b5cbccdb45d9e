// OpenWatchParty for Swift. See LICENSE.

/// A random source that gives the same numbers for the same seed (SplitMix64).
public struct SeededRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// Makes a source.
    public init(seed: UInt64) {
        state = seed
    }

    /// The next 64 bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }
}

/// A random source whose every draw of a double in [0, 1) is one chosen number, and which counts its draws.
///
/// A class, so that a test sees the draws of the party that it gave it to.
@MainActor
public final class ConstantRandom: @preconcurrency RandomNumberGenerator {
    private let bits: UInt64

    /// How many numbers were drawn.
    public private(set) var draws = 0

    /// Makes a source.
    ///
    /// - Parameter u: The number drawn each time, at least 0 and below 1.
    public init(_ u: Double) {
        // `Double.random(in: 0..<1, using:)` takes the low 53 bits as the fraction.
        bits = UInt64(u * 0x1p53)
    }

    /// The bits that make the chosen number.
    public func next() -> UInt64 {
        draws += 1
        return bits
    }
}
