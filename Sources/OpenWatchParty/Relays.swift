// OpenWatchParty for Swift. See LICENSE.

public import OWPCore
package import OWPParty
public import OWPTransportFoundation

/// The relays that parties use, and which of them owns a room code (section 3).
///
/// Make one for the whole app and give it to every party.
@MainActor
public final class Relays {
    /// What fetching needs; a self-hosted relay has nothing to fetch.
    private struct Fetching {
        let httpGet: HTTPGet
        let clock: any PartyClock
        let work: Work
        let timers: Timers<Int>
        var gets: [Int: Work.Handle] = [:]
    }

    private var directory: RelayDirectory
    private var fetching: Fetching?
    private var waiters: [Int: @MainActor (Bool) -> Void] = [:]
    private var lastWaiter = 0

    private init(directory: RelayDirectory) {
        self.directory = directory
    }

    /// One self-hosted relay for every room (section 3.1).
    ///
    /// - Parameter baseURL: The relay's base, such as `https://relay.example.com` or `http://192.168.1.5:8080/owp`.
    /// - Returns: A list of that relay alone, which is never fetched.
    /// - Throws: ``PartyError`` with `invalid_message` for a bad base URL.
    public static func at(_ baseURL: String) throws -> Relays {
        Relays(directory: RelayDirectory(only: try Relay.custom(baseURL: baseURL)))
    }

    /// The public relays, starting from the list compiled into the SDK (section 3.1).
    ///
    /// A party that joins a room fetches the list anew in the background, once a day at most.
    ///
    /// - Parameters:
    ///   - httpGet: Gets the list; nil for `urlSessionGet`.
    ///   - clock: The time of the refreshes.
    /// - Returns: The list, for all parties of the app.
    public static func `public`(httpGet: HTTPGet? = nil, clock: any PartyClock = SystemClock()) -> Relays {
        fetched(publicRelays, httpGet: httpGet ?? urlSessionGet, clock: clock)
    }

    /// A list that is fetched, starting from one that the caller gives.
    package static func fetched(_ list: [Relay], httpGet: @escaping HTTPGet, clock: any PartyClock) -> Relays {
        let relays = Relays(directory: RelayDirectory(list: list))
        relays.fetching = Fetching(
            httpGet: httpGet,
            clock: clock,
            work: Work(clock: clock),
            timers: Timers(clock: clock)
        )
        return relays
    }

    /// The relays in use.
    public var list: [Relay] { directory.list }

    /// The relay that owns a room code, typed in any form; nil for an invalid code or a first symbol nobody owns.
    ///
    /// It looks at the list in use: it never waits and never fetches.
    public func relayFor(_ code: String) -> Relay? { directory.relay(forTypedCode: code) }

    /// Fetches the public list now; a self-hosted relay has nothing to fetch (section 3.3).
    ///
    /// - Returns: Whether a valid list came back; without one the list in use stays. False when the calling task is
    ///   cancelled; the GET goes on for whoever else waits for it.
    public func refresh() async -> Bool {
        (try? await startRefresh().value()) ?? false
    }

    /// Where a party's calls find their relay now.
    package var source: RelaySource { directory.source }

    /// Starts ``refresh()``.
    package func startRefresh() -> Call<Bool> {
        let call = Call<Bool>()
        refresh { call.finish(.success($0)) }
        return call
    }

    /// Forces a refresh for one who waits for it.
    func refresh(then finish: @escaping @MainActor (Bool) -> Void) {
        lastWaiter += 1
        waiters[lastWaiter] = finish
        perform(directory.refresh(waiter: lastWaiter))
    }

    /// Takes a `joined` of some party, which may refresh the list in the background (section 3.3).
    func joined() {
        guard let clock = fetching?.clock else { return }
        perform(directory.joined(atLocalMs: clock.nowMs()))
    }

    private func perform(_ effects: [RelayDirectory.Effect]) {
        for effect in effects {
            switch effect {
            case .get(let request, let url): get(request, url)
            case .startTimer(let request, let delayMs):
                fetching?.timers.start(request, afterMs: delayMs) { [self] in perform(directory.timedOut(request)) }
            case .cancelTimer(let request): fetching?.timers.cancel(request)
            case .cancelGet(let request): fetching?.gets.removeValue(forKey: request)?.cancel()
            case .finish(let waiter, let isValid): waiters.removeValue(forKey: waiter)?(isValid)
            }
        }
    }

    private func get(_ request: Int, _ url: String) {
        guard let fetching else { return }
        let httpGet = fetching.httpGet
        self.fetching?.gets[request] = fetching.work.run({ try await httpGet(url) }) { [self] outcome in
            self.fetching?.gets[request] = nil
            switch outcome {
            case .success(let text): perform(directory.got(request, text, atLocalMs: fetching.clock.nowMs()))
            case .failure: perform(directory.getFailed(request))
            }
        }
    }
}
