// OpenWatchParty for Swift. See LICENSE.

import Foundation

#if os(Linux)
    import COWPSystem
#endif

/// A relay inside the own process, on a thread of its own.
///
/// Three lines start a party in the same network, without a server:
///
/// ```swift
/// var configuration = RelayConfiguration()
/// configuration.host = "0.0.0.0"
/// let relay = try EmbeddedRelay.start(configuration)
/// ```
///
/// Everyone then uses `Relays.at` with one of ``networkURLs``.
public final class EmbeddedRelay: Sendable {
    /// The port it listens on.
    public let port: Int
    /// The port of its metrics; nil without any.
    public let adminPort: Int?
    private let host: String
    private let stopper: Stopper

    private init(port: Int, adminPort: Int?, host: String, stopper: Stopper) {
        self.port = port
        self.adminPort = adminPort
        self.host = host
        self.stopper = stopper
    }

    /// Starts a relay; it takes connections once this returns.
    ///
    /// - Parameter configuration: Where it listens, and its limits.
    /// - Returns: The relay, which runs until ``stop()`` or until it is released.
    /// - Throws: ``RelayStartError``, such as for a port in use.
    public static func start(_ configuration: RelayConfiguration = .init()) throws -> EmbeddedRelay {
        let poller = try Poller()
        var open: [Int32] = []
        do throws(RelayStartError) {
            let (listener, port) = try Sockets.listen(host: configuration.host, port: configuration.port)
            open.append(listener)
            var admin: (descriptor: Int32, port: Int)?
            if let host = configuration.adminHost {
                admin = try Sockets.listen(host: host, port: configuration.adminPort)
            }
            if let admin { open.append(admin.descriptor) }
            let state = try restoredState(configuration)
            let stopper = Stopper(poller)
            let parts = RelayParts(
                configuration: configuration,
                poller: poller,
                listener: listener,
                adminListener: admin?.descriptor,
                time: state.time,
                store: state.store,
                rooms: state.rooms
            )
            configuration.log?(
                RelayLogEntry(.info, "started", ["port": "\(port)", "restored_rooms": "\(state.rooms.count)"])
            )
            Thread.detachNewThread {
                #if os(Linux)
                    owp_name_thread("OWPRelay")
                #endif
                RelayServer(parts).run(until: { stopper.isStopped })
                stopper.ended()
            }
            return EmbeddedRelay(port: port, adminPort: admin?.port, host: configuration.host, stopper: stopper)
        } catch {
            for descriptor in open { Sockets.close(descriptor) }
            poller.close()
            throw error
        }
    }

    private static func restoredState(
        _ configuration: RelayConfiguration
    ) throws(RelayStartError) -> (time: RelayTime, store: StateStore?, rooms: [RelayRoom]) {
        var time = RelayTime()
        guard let directory = configuration.stateDirectory else { return (time, nil, []) }
        let store = try StateStore(directory: directory)
        let loaded = try store.load(
            times: RoomTimes(scale: configuration.timerScale),
            largestMembers: configuration.maxParticipants
        ) { savedAtMs in
            // Relay time goes on where it was, also after the wall clock was set back.
            time = RelayTime(notBeforeMs: savedAtMs)
            return time.nowMs
        }
        switch loaded {
        case .nothing: return (time, store, [])
        case .rooms(let rooms): return (time, store, rooms)
        case .setAside(let path, let reason):
            configuration.log?(RelayLogEntry(.warning, "state_set_aside", ["path": path, "reason": reason]))
            return (time, store, [])
        }
    }

    deinit { stopper.stop() }

    /// The base URL for `Relays.at` on this machine.
    public var baseURL: String {
        let reached = ["0.0.0.0", ""].contains(host) ? "127.0.0.1" : host == "::" ? "::1" : host
        return reached.contains(":") ? "http://[\(reached)]:\(port)" : "http://\(reached):\(port)"
    }

    /// The base URLs for `Relays.at` on other machines of the same network, the likeliest first.
    ///
    /// Empty when the relay listens to its own machine alone, or no network is up.
    public var networkURLs: [String] {
        if ["0.0.0.0", "::", ""].contains(host) { return LocalNetwork.addresses.map { "http://\($0):\(port)" } }
        return host == "localhost" || host == "::1" || host.hasPrefix("127.") ? [] : [baseURL]
    }

    /// Tells every client that the relay goes away, with status 1001, and ends its thread; returns once that is done.
    ///
    /// A second call does nothing.
    public func stop() { stopper.stop() }
}

/// What the thread of a relay gets; it closes the descriptors at its end.
struct RelayParts: Sendable {
    var configuration: RelayConfiguration
    var poller: Poller
    var listener: Int32
    var adminListener: Int32?
    var time: RelayTime
    var store: StateStore?
    var rooms: [RelayRoom]
}

/// Ends the thread of a relay from any other.
///
/// `@unchecked`: everything that changes is guarded by `condition`.
private final class Stopper: @unchecked Sendable {
    private let condition = NSCondition()
    private let poller: Poller
    private var isStopRequested = false
    private var hasEnded = false

    init(_ poller: Poller) { self.poller = poller }

    var isStopped: Bool {
        condition.lock()
        defer { condition.unlock() }
        return isStopRequested
    }

    func ended() {
        condition.lock()
        hasEnded = true
        condition.broadcast()
        condition.unlock()
    }

    func stop() {
        condition.lock()
        defer { condition.unlock() }
        // The poller is open until the first call has been seen.
        if !isStopRequested {
            isStopRequested = true
            poller.wake()
        }
        while !hasEnded { condition.wait() }
    }
}
