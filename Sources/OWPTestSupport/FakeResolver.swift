// OpenWatchParty for Swift. See LICENSE.

public import OWPCore

/// A resolver, and probes, that answer when the test says.
@MainActor
public final class FakeResolver<Ref: Equatable & Sendable> {
    /// The searches so far; set `automatic` to answer them at once.
    public let searches: CallRecorder<Media, [Candidate<Ref>]>
    /// The probes so far, by the candidate's ID; set `automatic` to answer them at once.
    public let probes: CallRecorder<String, Int64?>

    /// Makes a resolver on a clock.
    public init(clock: VirtualClock) {
        searches = CallRecorder(clock: clock)
        probes = CallRecorder(clock: clock)
    }

    /// What to give to the party.
    public var resolver: Resolver<Ref> {
        Resolver { [searches] media in try await searches.call(media) }
    }

    /// A candidate without a duration, whose probe is one of ``probes``.
    public func probed(_ id: String, ref: Ref) -> Candidate<Ref> {
        Candidate(id: id, ref: ref, probe: { [probes] in try await probes.call(id) })
    }
}

/// A source of HTTP GETs that answers when the test says.
@MainActor
public final class FakeHTTP {
    /// The GETs so far, by URL; set `automatic` to answer them at once.
    public let gets: CallRecorder<String, String>

    /// Makes a source on a clock.
    public init(clock: VirtualClock) {
        gets = CallRecorder(clock: clock)
    }

    /// What to give to `Relays.public`.
    public var get: HTTPGet {
        { [gets] url in try await gets.call(url) }
    }
}
