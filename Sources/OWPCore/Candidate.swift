// OpenWatchParty for Swift. See LICENSE.

/// One file the user could play, as the app's resolver found it (section 9.2).
///
/// A class of constants: two candidates are equal when they are the same object.
public final class Candidate<Ref: Equatable & Sendable>: Sendable {
    /// A unique ID of the app's choice.
    public let id: String
    /// The app's reference to the file, handed back with `choice`.
    public let ref: Ref
    /// The file's duration in ms; counts only from 1 to 604800000.
    public let durationMs: Int64?
    /// The file's size in bytes, a hint for ranking.
    public let sizeBytes: Int64?
    /// The file's OpenSubtitles hash, a hint for ranking.
    public let oshash: String?
    /// The file's bare name, a hint for ranking.
    public let name: String?
    /// Opens the file, returns its duration in ms or nothing, and closes it; runs when `durationMs` does not count.
    ///
    /// Cancelled by cancelling its task; a throw counts as nothing.
    public let probe: (@MainActor @Sendable () async throws -> Int64?)?

    /// Makes a candidate.
    public init(
        id: String,
        ref: Ref,
        durationMs: Int64? = nil,
        sizeBytes: Int64? = nil,
        oshash: String? = nil,
        name: String? = nil,
        probe: (@MainActor @Sendable () async throws -> Int64?)? = nil
    ) {
        self.id = id
        self.ref = ref
        self.durationMs = durationMs
        self.sizeBytes = sizeBytes
        self.oshash = oshash
        self.name = name
        self.probe = probe
    }
}

extension Candidate: Equatable {
    /// Whether both are the same object.
    public static func == (left: Candidate, right: Candidate) -> Bool { left === right }
}

/// A candidate of the walk, in ranked order, with its difference once known (section 9.5).
public struct Ranked<Ref: Equatable & Sendable>: Equatable, Sendable {
    /// The candidate.
    public let candidate: Candidate<Ref>
    /// Its duration minus the descriptor's in ms; nil while unknown.
    public let deltaMs: Int64?

    /// Makes an entry.
    public init(candidate: Candidate<Ref>, deltaMs: Int64?) {
        self.candidate = candidate
        self.deltaMs = deltaMs
    }
}

/// The closest candidate of a walk in which none matched, while the user decides (section 9.6).
public struct Mismatch<Ref: Equatable & Sendable>: Equatable, Sendable {
    /// The offered candidate.
    public let candidate: Candidate<Ref>
    /// Its duration minus the descriptor's in ms.
    public let deltaMs: Int64

    /// Makes an offer.
    public init(candidate: Candidate<Ref>, deltaMs: Int64) {
        self.candidate = candidate
        self.deltaMs = deltaMs
    }
}

/// The app's search for the user's own files (section 9.2).
public struct Resolver<Ref: Equatable & Sendable>: Sendable {
    /// Returns candidates, best first.
    ///
    /// Cancelled by cancelling its task; a throw counts as no candidates.
    public let resolve: @MainActor @Sendable (Media) async throws -> [Candidate<Ref>]

    /// Makes a resolver from a search, which has 30000 ms to answer.
    ///
    /// - Parameter resolve: Takes the room's descriptor, which is untrusted, and returns candidates, best first.
    public init(_ resolve: @escaping @MainActor @Sendable (Media) async throws -> [Candidate<Ref>]) {
        self.resolve = resolve
    }
}
