// OpenWatchParty for Swift. See LICENSE.

/// The number under which the machine and its driver speak of one thing that the machine cannot hold.
///
/// Equal keys mean the same thing. The driver allots the keys of calls, adapters, refs, candidates and errors; the
/// machine those of connections and work. No key is used twice for two things.
package struct Key<Thing>: Hashable, Sendable, ExpressibleByIntegerLiteral, CustomStringConvertible {
    /// The number.
    package let number: Int

    /// Makes a key.
    package init(_ number: Int) { self.number = number }
    /// Makes a key from a literal, for tests.
    package init(integerLiteral value: Int) { self.number = value }
    /// The number in decimal.
    package var description: String { "\(number)" }
}

/// The kinds of things that keys stand for.
package enum Keyed {
    /// An asynchronous call of the app: `create`, `join`, `choose`, `detachPlayer` or `close`.
    package enum Call {}
    /// A player adapter; the same object always has the same key.
    package enum Adapter {}
    /// A ref of the app; two refs have equal keys exactly when they are equal.
    package enum Ref {}
    /// A candidate; the same object always has the same key.
    package enum Candidate {}
    /// An error thrown by the app or by the transport.
    package enum Failure {}
    /// A WebSocket connection, from the start of its opening.
    package enum Connection {}
    /// A running call of the resolver or of a probe.
    package enum Work {}
}

/// The key of an asynchronous call of the app.
package typealias CallKey = Key<Keyed.Call>
/// The key of a player adapter.
package typealias AdapterKey = Key<Keyed.Adapter>
/// The key of a ref.
package typealias RefKey = Key<Keyed.Ref>
/// The key of a candidate.
package typealias CandidateKey = Key<Keyed.Candidate>
/// The key of an error.
package typealias FailureKey = Key<Keyed.Failure>
/// The key of a connection.
package typealias ConnectionKey = Key<Keyed.Connection>
/// The key of a resolver's call or a probe.
package typealias WorkKey = Key<Keyed.Work>
