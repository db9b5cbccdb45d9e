// OpenWatchParty for Swift. See LICENSE.

/// Arithmetic that stops at the ends of `Int64` instead of trapping, for numbers that an app or a peer chose.
///
/// Within ±(2^53 − 1), where the specification works, every result is exact.
extension Int64 {
    /// The sum, or the end of the range that it passes.
    package func saturatingAdd(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        guard overflow else { return sum }
        return other < 0 ? .min : .max
    }

    /// The difference, or the end of the range that it passes.
    package func saturatingSubtract(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        guard overflow else { return difference }
        return other < 0 ? .max : .min
    }

    /// The integer part of a double, or the end of the range that it passes; 0 for NaN.
    package init(saturating value: Double) {
        if value.isNaN {
            self = 0
        } else if value >= 0x1p63 {
            self = .max
        } else if value < -0x1p63 {
            self = .min
        } else {
            self = Int64(value)
        }
    }
}
