// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OWPWebSocket
import OWPWire

/// The relay's sockets: moves bytes between them and the hub, on one thread.
///
/// Each turn waits for the sockets, reads each readable one once into a shared buffer, lets the hub and its rooms
/// decide, and then writes each connection's output with one call.
final class RelayServer {
    let configuration: RelayConfiguration
    let poller: Poller
    let listener: Int32
    let adminListener: Int32?
    let time: RelayTime
    let store: StateStore?
    /// When the changes so far are to be saved.
    var saveDueMs: Int64?
    /// Whether a save was begun whose outcome has not been looked at.
    var isSaveUnchecked = false
    var isSaveFailing = false
    let times: HubTimes
    var hub: RelayHub

    /// The connections by descriptor.
    var connections: ContiguousArray<RelayConnection?> = []
    /// How many connections there are, in all and of each TCP address.
    var count = 0
    var counts: [NetworkAddress: Int] = [:]
    var nextNumber: UInt64 = 1
    var dirty: [RelayConnection] = []
    var deadlines = DeadlineQueue<ConnectionID>()
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
    /// Given up for a moment to refuse a connection when no descriptor is left.
    var reserve = Sockets.reserve()

    init(_ parts: RelayParts) {
        configuration = parts.configuration
        poller = parts.poller
        listener = parts.listener
        adminListener = parts.adminListener
        time = parts.time
        store = parts.store
        times = HubTimes(parts.configuration)
        hub = RelayHub(parts.configuration, random: SystemRandomNumberGenerator())
        hub.restore(parts.rooms)
    }

    deinit { buffer.deallocate() }

    /// Serves until it is told to stop, and closes everything.
    func run(until isStopped: () -> Bool) {
        _ = poller.add(listener)
        if let adminListener { _ = poller.add(adminListener) }
        while !isStopped() { turn() }
        stop()
    }

    func turn() {
        let dueMs = [hub.nextTimerMs, deadlines.nextMs, saveDueMs].compactMap { $0 }.min()
        let events = poller.wait(atMostMs: dueMs.map { max(0, $0 - time.nowMs) })
        let nowMs = time.nowMs
        for event in events {
            if event.descriptor == listener || event.descriptor == adminListener {
                accept(event.descriptor, at: nowMs)
            } else if let connection = connection(at: event.descriptor) {
                if event.isWritable { flush(connection, at: nowMs) }
                if event.isReadable { read(connection, at: nowMs) }
            }
        }
        perform(hub.timersDue(at: nowMs), at: nowMs)
        while let id = deadlines.next(at: nowMs) { endOverdue(id, at: nowMs) }
        flushAll(at: nowMs)
        saveIfDue(at: nowMs)
    }

    /// Saves what changed half a second ago, so that a kill loses less than the last second; tries again what failed.
    func saveIfDue(at nowMs: Int64) {
        guard let store else { return }
        if saveDueMs == nil, hub.hasChanges { saveDueMs = nowMs + 500 }
        guard let dueMs = saveDueMs, nowMs >= dueMs else { return }
        guard store.isIdle else {
            // A slow disk; the changes gather until it is done.
            saveDueMs = nowMs + 100
            return
        }
        if isSaveUnchecked { noteSaving(store.failure) }
        isSaveUnchecked = hub.hasChanges || isSaveFailing
        saveDueMs = isSaveUnchecked ? nowMs + 500 : nil
        if isSaveUnchecked { store.save(hub.takeChanges(), at: nowMs) }
    }

    func noteSaving(_ failure: String?) {
        if let failure {
            hub.metrics.failedSaves += 1
            if !isSaveFailing { log(.warning, "save_failed", ["reason": failure]) }
        } else if isSaveFailing {
            log(.info, "saved_again")
        }
        isSaveFailing = failure != nil
    }

    func log(_ level: RelayLogEntry.Level, _ event: String, _ fields: KeyValuePairs<String, String> = [:]) {
        configuration.log?(RelayLogEntry(level, event, fields))
    }

    // MARK: The end

    /// Closes the listeners and tells everyone that the relay goes away.
    func stop() {
        log(.info, "stopping", ["connections": "\(hub.sessions.count)", "rooms": "\(hub.rooms.count)"])
        poller.remove(listener)
        Sockets.close(listener)
        if let adminListener {
            poller.remove(adminListener)
            Sockets.close(adminListener)
        }
        let nowMs = time.nowMs
        for case let connection? in connections {
            guard connection.isOpen else { continue }
            connection.endpoint?.close(code: 1001, output: &connection.output)
            connection.stage = .ending
            flush(connection, at: nowMs)
        }
        // A moment for the peers to read that and to close: a socket closed earlier could take it back.
        let endMs = nowMs + 500
        while time.nowMs < endMs, connections.contains(where: { $0 != nil }) {
            for case let connection? in connections where connection.isHead { remove(connection, at: nowMs) }
            for event in poller.wait(atMostMs: endMs - time.nowMs) {
                guard let connection = connection(at: event.descriptor) else { continue }
                if event.isWritable { flush(connection, at: nowMs) }
                if event.isReadable { drain(connection, at: nowMs) }
            }
        }
        // What a room is saved as does not tell who was connected, so the drops above change nothing.
        for case let connection? in connections { remove(connection, at: nowMs) }
        if let store {
            store.finish(hub.takeChanges(), at: nowMs)
            noteSaving(store.failure)
        }
        log(.info, "stopped")
        Sockets.close(reserve)
        poller.close()
    }

    /// Drops what still comes; ends with the peer.
    func drain(_ connection: RelayConnection, at nowMs: Int64) {
        if case .ended = Sockets.read(connection.descriptor, into: buffer) { remove(connection, at: nowMs) }
    }
}
