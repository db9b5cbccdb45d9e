// OpenWatchParty for Swift. See LICENSE.

package import OWPCore
import OWPWire

/// The relay list with its refreshes, as a value that `Relays` drives (section 3).
///
/// One directory serves every party. GETs are numbered by the directory; waiters by its driver.
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

    /// A GET that parties or apps wait for.
    private struct Forced {
        let request: Int
        var waiters: [Int]
    }

    /// Where calls find their relay now: a value for ``PartyInput``.
    package private(set) var source: RelaySource
    /// When a valid list last came, in ms of local time.
    private var refreshedAtMs: Int64?
    private var background: Int?
    private var forced: Forced?
    private var requests = 0

    /// Makes the directory of one self-hosted relay, which never fetches anything.
    package init(only relay: Relay) { source = .only(relay) }
    /// Makes the directory of the public list, starting from the compiled copy.
    package init(list: [Relay]) { source = .list(list) }

    /// The relays in use.
    package var list: [Relay] { source.relays }

    /// The relay that owns a typed code's first symbol; nil for an invalid code or a symbol nobody owns.
    package func relay(forTypedCode code: String) -> Relay? {
        guard let code = normalizeCode(code) else { return nil }
        return OWPCore.relay(forCode: code, in: list)
    }

    /// Takes a `joined` of some party, which refreshes in the background when that is due (section 3.3).
    package mutating func joined(atLocalMs localMs: Int64) -> [Effect] {
        guard case .list = source, background == nil else { return [] }
        if let refreshedAtMs, localMs.saturatingSubtract(refreshedAtMs) < Constants.listRefreshAgeMs { return [] }
        let (request, effects) = get()
        background = request
        return effects
    }

    /// Forces a refresh for a waiter; two at once share one GET.
    package mutating func refresh(waiter: Int) -> [Effect] {
        guard case .list = source else { return [.finish(waiter: waiter, true)] }
        if forced != nil {
            forced?.waiters.append(waiter)
            return []
        }
        let (request, effects) = get()
        forced = Forced(request: request, waiters: [waiter])
        return effects
    }

    /// Takes the body of a GET; an invalid list changes nothing (section 3.2).
    package mutating func got(_ request: Int, _ text: String, atLocalMs localMs: Int64) -> [Effect] {
        guard isRunning(request) else { return [] }
        let relays = text.utf8.count <= Constants.httpBodyBytes ? readRelayList(text) : nil
        if let relays {
            source = .list(relays)
            refreshedAtMs = localMs
        }
        return [.cancelTimer(request)] + end(request, isValid: relays != nil)
    }

    /// Takes the failure of a GET.
    package mutating func getFailed(_ request: Int) -> [Effect] {
        guard isRunning(request) else { return [] }
        return [.cancelTimer(request)] + end(request, isValid: false)
    }

    /// Takes the end of a GET's time.
    package mutating func timedOut(_ request: Int) -> [Effect] {
        guard isRunning(request) else { return [] }
        return [.cancelGet(request)] + end(request, isValid: false)
    }

    private func isRunning(_ request: Int) -> Bool {
        background == request || forced?.request == request
    }

    private mutating func get() -> (Int, [Effect]) {
        requests += 1
        let get = Effect.get(requests, url: Constants.publicListURL)
        return (requests, [get, .startTimer(requests, afterMs: Constants.httpTimeoutMs)])
    }

    private mutating func end(_ request: Int, isValid: Bool) -> [Effect] {
        if background == request {
            background = nil
            return []
        }
        let waiters = forced?.waiters ?? []
        forced = nil
        return waiters.map { .finish(waiter: $0, isValid) }
    }
}

extension RelaySource {
    /// The relays in use.
    var relays: [Relay] {
        switch self {
        case .only(let relay): [relay]
        case .list(let relays): relays
        }
    }
}
