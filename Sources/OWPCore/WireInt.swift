// OpenWatchParty for Swift. See LICENSE.

/// The largest magnitude of an integer on the wire: 2^53 − 1 (section 2).
package let largestWireInt: Int64 = 9_007_199_254_740_991

/// The integer that a double of the wire stands for (section 8).
///
/// - Returns: The integer when `value` is integral and within ±(2^53 − 1), with −0 as 0; nil otherwise.
package func wireInt(_ value: Double) -> Int64? {
    guard value.magnitude <= 9_007_199_254_740_991 else { return nil }
    let integer = Int64(value)
    return Double(integer) == value ? integer : nil
}

/// Whether an integer may cross the wire: within ±(2^53 − 1) (section 2).
package func isWireInt(_ value: Int64) -> Bool {
    -largestWireInt <= value && value <= largestWireInt
}
