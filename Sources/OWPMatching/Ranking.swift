// OpenWatchParty for Swift. See LICENSE.

/// What ranking and the walk know of a candidate (section 9.2).
public struct CandidateFacts: Hashable, Sendable {
    /// The file's duration in ms; counts only from 1 to 604800000.
    public var durationMs: Int64?
    /// The file's size in bytes.
    public var sizeBytes: Int64?
    /// The file's OpenSubtitles hash, in any case.
    public var oshash: String?
    /// The file's bare name.
    public var name: String?
    /// Whether a probe can learn the duration.
    public var hasProbe: Bool

    /// Gathers the facts.
    public init(
        durationMs: Int64? = nil,
        sizeBytes: Int64? = nil,
        oshash: String? = nil,
        name: String? = nil,
        hasProbe: Bool = false
    ) {
        self.durationMs = durationMs
        self.sizeBytes = sizeBytes
        self.oshash = oshash
        self.name = name
        self.hasProbe = hasProbe
    }

    /// Takes the facts of a candidate.
    public init<Ref>(_ candidate: Candidate<Ref>) {
        self.init(
            durationMs: candidate.durationMs,
            sizeBytes: candidate.sizeBytes,
            oshash: candidate.oshash,
            name: candidate.name,
            hasProbe: candidate.probe != nil
        )
    }
}

/// Sorts candidates for a descriptor, best first (section 9.4).
///
/// An equal hash comes first, then an equal size, an equal name, a known duration, a closer duration; ties keep the
/// given order, and none is dropped.
///
/// - Parameters:
///   - candidates: The resolver's answer, in its order.
///   - media: The room's descriptor.
/// - Returns: Indices into `candidates`.
public func rankCandidates(_ candidates: [CandidateFacts], for media: Media) -> [Int] {
    let keys = candidates.indices.map { RankingKey(candidates[$0], at: $0, for: media) }
    return keys.sorted().map(\.index)
}

/// What a candidate is sorted by; smaller comes first.
private struct RankingKey: Comparable {
    /// What a candidate lacks, the weightiest in the highest bit.
    let lacks: UInt8
    /// How far its duration is off, in ms; 0 when there is none.
    let distanceMs: UInt64
    /// Its place in the resolver's order.
    let index: Int

    init(_ candidate: CandidateFacts, at index: Int, for media: Media) {
        let duration = countingDuration(candidate.durationMs)
        var lacks: UInt8 = 0
        if !equalIgnoringCase(candidate.oshash, media.file?.oshash) { lacks |= 8 }
        if !isEqual(candidate.sizeBytes, media.file?.sizeBytes) { lacks |= 4 }
        if !equalIgnoringCase(candidate.name, media.file?.name) { lacks |= 2 }
        if duration == nil { lacks |= 1 }
        self.lacks = lacks
        self.distanceMs = duration.map { $0.saturatingSubtract(media.durationMs).magnitude } ?? 0
        self.index = index
    }

    static func < (left: RankingKey, right: RankingKey) -> Bool {
        (left.lacks, left.distanceMs, left.index) < (right.lacks, right.distanceMs, right.index)
    }
}
