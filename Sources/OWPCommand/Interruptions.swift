// OpenWatchParty for Swift. See LICENSE.

/// Tells a second, deliberate interruption from an echo of the first.
///
/// One Ctrl-C may arrive twice: from the terminal, and passed on by the program that started us.
struct Interruptions: Sendable {
    /// What an interruption asks for.
    enum Meaning: Hashable, Sendable {
        /// To end in order.
        case end
        /// Nothing new.
        case echo
        /// To end at once.
        case endAtOnce
    }

    /// How long after the first one another counts as its echo, in ms.
    static let echoMs: Int64 = 500

    private var firstAtMs: Int64?

    /// Takes an interruption and its time, in ms of monotonic time.
    mutating func take(atMs: Int64) -> Meaning {
        guard let first = firstAtMs else {
            firstAtMs = atMs
            return .end
        }
        return atMs.subtractingReportingOverflow(first).partialValue < Self.echoMs ? .echo : .endAtOnce
    }
}
