// OpenWatchParty for Swift. See LICENSE.

package import OWPCore

/// The relay list with its refreshes, as a value that `Relays` drives (section 3).
///
/// One directory serves every party. Requests are numbered by the directory; waiters by its driver.
package struct RelayDirectory: Sendable {
    /// What `Relays` does for its list.
    package enum Effect: Hashable, Sendable {
        /// GET a URL; report ``RelayDirectory/got(_:_:atLocalMs:)`` or ``RelayDirectory/getFailed(_:)``.
        case get(Int, url: String)
        /// Report ``RelayDirectory/timedOut(_:)`` once after a delay in ms.
        case startTimer(Int, afterMs: Int64)
        /// Stop the timer of a GET.
        case cancelTimer(Int)
        /// Cancel a GET; what it still answers is ignored.
        case cancelGet(Int)
        /// A forced refresh has ended; whether a valid list came back.
        case finish(waiter: Int, Bool)
    }

    /// Where calls find their relay now: a value for ``PartyInput``.
    package private(set) var source: RelaySource

    /// Makes the directory of one self-hosted relay, which never fetches anything.
    package init(only relay: Relay) { source = .only(relay) }
    /// Makes the directory of the public list, starting from the compiled copy.
    package init(list: [Relay]) { source = .list(list) }

    /// The relays in use.
    package var list: [Relay] {
        switch source {
        case .only(let relay): [relay]
        case .list(let relays): relays
        }
    }

    /// The relay that owns a typed code's first symbol; nil for an invalid code or a symbol nobody owns.
    package func relay(forTypedCode code: String) -> Relay? {
        guard let code = normalizeCode(code) else { return nil }
        return OWPCore.relay(forCode: code, in: list)
    }

    /// Takes a `joined` of some party, which may start a background refresh (section 3.3).
    package mutating func joined(atLocalMs localMs: Int64) -> [Effect] { [] }
    /// Forces a refresh for a waiter; two at once share one GET.
    package mutating func refresh(waiter: Int) -> [Effect] { [.finish(waiter: waiter, true)] }
    /// Takes the body of a GET.
    package mutating func got(_ request: Int, _ text: String, atLocalMs localMs: Int64) -> [Effect] { [] }
    /// Takes the failure of a GET.
    package mutating func getFailed(_ request: Int) -> [Effect] { [] }
    /// Takes the end of a GET's time.
    package mutating func timedOut(_ request: Int) -> [Effect] { [] }
}
