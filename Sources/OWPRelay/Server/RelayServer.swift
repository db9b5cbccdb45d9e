// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OWPWebSocket
import OWPWire

/// The relay's sockets: moves bytes between them and the hub, on one thread.
///
/// Each turn waits for the sockets, reads each readable one once into a shared buffer, lets the hub and its rooms
/// decide, and then writes each connection's output with one call.
final class RelayServer {
    private let configuration: RelayConfiguration
    private let poller: Poller
    private let listener: Int32
    private let adminListener: Int32?
    private let time: RelayTime
    private let store: StateStore?
    /// When the changes so far are to be saved.
    private var saveDueMs: Int64?
    private var isSaveFailing = false
    private let times: HubTimes
    private var hub: RelayHub

    /// The connections by descriptor.
    private var connections: ContiguousArray<RelayConnection?> = []
    /// How many connections there are, in all and of each TCP address.
    private var count = 0
    private var counts: [NetworkAddress: Int] = [:]
    private var nextNumber: UInt64 = 1
    private var dirty: [RelayConnection] = []
    private var deadlines = DeadlineQueue<ConnectionID>()
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
    /// Given up for a moment to refuse a connection when no descriptor is left.
    private var reserve = Sockets.reserve()

    init(_ parts: RelayParts) {
        configuration = parts.configuration
        poller = parts.poller
        listener = parts.listener
        adminListener = parts.adminListener
        time = parts.time
        store = parts.store
        times = HubTimes(scale: parts.configuration.timerScale)
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

    private func turn() {
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

    /// Saves what changed half a second ago, so that a kill loses less than the last second.
    private func saveIfDue(at nowMs: Int64) {
        guard let store, hub.hasChanges else { return }
        let dueMs = saveDueMs ?? nowMs + 500
        saveDueMs = dueMs
        guard nowMs >= dueMs else { return }
        guard store.isIdle else {
            // A slow disk; the changes gather until it is done.
            saveDueMs = nowMs + 100
            return
        }
        noteSaving(store.failure)
        saveDueMs = nil
        store.save(hub.takeChanges(), at: nowMs)
    }

    private func noteSaving(_ failure: String?) {
        if let failure {
            hub.metrics.failedSaves += 1
            if !isSaveFailing { log(.warning, "save_failed", ["reason": failure]) }
        } else if isSaveFailing {
            log(.info, "saved_again")
        }
        isSaveFailing = failure != nil
    }

    private func log(_ level: RelayLogEntry.Level, _ event: String, _ fields: KeyValuePairs<String, String> = [:]) {
        configuration.log?(RelayLogEntry(level, event, fields))
    }

    // MARK: Connections

    private func connection(at descriptor: Int32) -> RelayConnection? {
        let place = Int(descriptor)
        return connections.indices.contains(place) ? connections[place] : nil
    }

    private func connection(_ id: ConnectionID) -> RelayConnection? {
        let found = connection(at: Int32(truncatingIfNeeded: id.value & 0xFFFF_FFFF))
        return found?.id == id ? found : nil
    }

    private func accept(_ listener: Int32, at nowMs: Int64) {
        // A turn's share: others shall not wait for a rush.
        for _ in 0..<64 {
            switch Sockets.accept(listener) {
            case .none: return
            case .outOfDescriptors:
                Sockets.close(reserve)
                if case .connection(let descriptor, _) = Sockets.accept(listener) { Sockets.close(descriptor) }
                reserve = Sockets.reserve()
                return
            case .connection(let descriptor, let address):
                guard mayHold(address), poller.add(descriptor) else {
                    Sockets.close(descriptor)
                    continue
                }
                let id = ConnectionID(nextNumber << 32 | UInt64(descriptor))
                nextNumber += 1
                let connection = RelayConnection(
                    id: id,
                    descriptor: descriptor,
                    address: address,
                    isAdmin: listener == adminListener
                )
                while connections.count <= Int(descriptor) { connections.append(nil) }
                connections[Int(descriptor)] = connection
                count += 1
                counts[address, default: 0] += 1
                setDeadline(connection, nowMs + times.headMs)
            }
        }
    }

    /// Whether there is room for one more connection that has yet to say what it wants.
    ///
    /// The limits proper answer an upgrade; this one only keeps half-open connections from piling up.
    private func mayHold(_ address: NetworkAddress) -> Bool {
        guard count < configuration.maxConnections + 256 else { return false }
        return configuration.trustsProxy || counts[address, default: 0] < configuration.maxConnectionsPerIP + 32
    }

    private func setDeadline(_ connection: RelayConnection, _ dueMs: Int64?) {
        connection.deadlineMs = dueMs
        deadlines.set(connection.id, dueMs: dueMs)
    }

    private func endOverdue(_ id: ConnectionID, at nowMs: Int64) {
        guard let connection = connection(id), let dueMs = connection.deadlineMs else { return }
        if dueMs > nowMs {
            deadlines.set(id, dueMs: dueMs)
        } else {
            remove(connection, at: nowMs)
        }
    }

    /// Closes the socket at once.
    private func remove(_ connection: RelayConnection, at nowMs: Int64) {
        let place = Int(connection.descriptor)
        guard connections[place] === connection else { return }
        connections[place] = nil
        count -= 1
        let left = counts[connection.address, default: 1] - 1
        counts[connection.address] = left > 0 ? left : nil
        deadlines.set(connection.id, dueMs: nil)
        poller.remove(connection.descriptor)
        Sockets.close(connection.descriptor)
        let wasOpen = connection.isOpen
        connection.stage = .lingering
        if wasOpen { perform(hub.closed(connection.id, at: nowMs), at: nowMs) }
    }

    // MARK: Reading

    private func read(_ connection: RelayConnection, at nowMs: Int64) {
        switch Sockets.read(connection.descriptor, into: buffer) {
        case .wouldBlock: return
        case .ended: remove(connection, at: nowMs)
        case .bytes(let count):
            hub.metrics.bytesReceived += count
            let bytes = UnsafeMutableRawBufferPointer(rebasing: buffer[..<count])
            var offset = 0
            if case .head(var reader) = connection.stage {
                // So that the reader's bytes are not copied.
                connection.stage = .ending
                readHead(connection, &reader, UnsafeRawBufferPointer(bytes), at: &offset, nowMs)
            }
            readFrames(connection, bytes, at: &offset, nowMs)
        }
    }

    private func readHead(
        _ connection: RelayConnection,
        _ reader: inout HTTPHeadReader,
        _ bytes: UnsafeRawBufferPointer,
        at offset: inout Int,
        _ nowMs: Int64
    ) {
        do throws(WebSocketError) {
            guard let head = try reader.read(bytes, at: &offset) else {
                connection.stage = .head(reader)
                return
            }
            take(try HTTPRequest(head), on: connection, at: nowMs)
        } catch {
            answer(connection, ServerHandshake.refusal(of: error), at: nowMs)
        }
    }

    private func take(_ request: HTTPRequest, on connection: RelayConnection, at nowMs: Int64) {
        let isSocket = request.path.hasSuffix("/v1/ws") && !connection.isAdmin
        let isMetrics = request.path == "/metrics" && connection.isAdmin
        guard isSocket || isMetrics || request.path.hasSuffix("/health") else {
            return answer(connection, HTTPAnswer(status: 404), at: nowMs)
        }
        guard request.method == "GET" else {
            return answer(connection, HTTPAnswer(status: 405, fields: [("Allow", "GET")]), at: nowMs)
        }
        guard isSocket else {
            return answer(connection, HTTPAnswer(status: 200, body: isMetrics ? metricsText : "ok\n"), at: nowMs)
        }
        switch ServerHandshake(request) {
        case .refused(let refusal): answer(connection, refusal, at: nowMs)
        case .accepted(let head):
            let address = clientAddress(of: request, on: connection)
            if let status = hub.refusalStatus(for: address) {
                hub.metrics.refusedUpgrades[status, default: 0] += 1
                return answer(connection, HTTPAnswer(status: status), at: nowMs)
            }
            connection.output += head
            connection.endpoint = WebSocketEndpoint(serverWithMessageLimit: configuration.maxMessageBytes)
            connection.stage = .open
            setDeadline(connection, nil)
            hub.opened(connection.id, from: address, at: nowMs)
            markDirty(connection)
        }
    }

    private var metricsText: String {
        let members = hub.rooms.values.reduce(0) { $0 + $1.members.count }
        return hub.metrics.text(now: [
            "connections": hub.sessions.count, "rooms": hub.rooms.count, "participants": members,
        ])
    }

    /// The address that the limits count: behind a trusted proxy, the one that the proxy saw.
    private func clientAddress(of request: HTTPRequest, on connection: RelayConnection) -> NetworkAddress {
        guard configuration.trustsProxy, let list = request.head.values(of: "X-Forwarded-For").last else {
            return connection.address
        }
        let last = list.split(separator: ",").last.map { $0.filter { $0 != " " && $0 != "\t" } }
        return last.flatMap { Sockets.address(parsing: String($0)) } ?? connection.address
    }

    private func answer(_ connection: RelayConnection, _ answer: HTTPAnswer, at nowMs: Int64) {
        connection.output += answer.bytes
        end(connection, at: nowMs)
    }

    /// Writes what is left, then ends.
    private func end(_ connection: RelayConnection, at nowMs: Int64) {
        connection.stage = .ending
        setDeadline(connection, nowMs + times.closingMs)
        markDirty(connection)
    }

    private func readFrames(
        _ connection: RelayConnection,
        _ bytes: UnsafeMutableRawBufferPointer,
        at offset: inout Int,
        _ nowMs: Int64
    ) {
        while true {
            switch connection.stage {
            case .head, .ending, .lingering: return
            case .open, .closing: break
            }
            let event = connection.endpoint?.receive(bytes, at: &offset, output: &connection.output)
            if connection.unsent > 0 { markDirty(connection) }
            guard let event else { return }
            let wasOpen = connection.isOpen
            switch event {
            case .text(let text):
                if wasOpen { perform(hub.received(text, from: connection.id, at: nowMs), at: nowMs) }
            case .binary:
                if wasOpen { close(connection, code: 1003, at: nowMs) }
            case .pong: break
            case .closed, .failed:
                end(connection, at: nowMs)
                if wasOpen { perform(hub.closed(connection.id, at: nowMs), at: nowMs) }
            }
        }
    }

    /// Starts to close an open connection, of which the hub hears no more.
    private func close(_ connection: RelayConnection, code: Int, at nowMs: Int64) {
        guard connection.isOpen else { return }
        connection.endpoint?.close(code: code, output: &connection.output)
        hub.metrics.closes[code, default: 0] += 1
        connection.stage = .closing
        setDeadline(connection, nowMs + times.closingMs)
        markDirty(connection)
        perform(hub.closed(connection.id, at: nowMs), at: nowMs)
    }

    // MARK: Writing

    /// Does what the hub asked for; a message is encoded and framed once, however many receive it.
    private func perform(_ effects: [HubEffect], at nowMs: Int64) {
        for effect in effects {
            switch effect {
            case .send(let message, let receivers):
                let open = receivers.compactMap { connection($0) }.filter(\.isOpen)
                if open.isEmpty { continue }
                let frame = SharedFrame(text: message.text)
                hub.metrics.sent += open.count
                if case .error(let error) = message { hub.metrics.errors[error.code, default: 0] += 1 }
                for connection in open {
                    connection.send(frame)
                    markDirty(connection)
                }
            case .close(let id, let code):
                if let connection = connection(id) { close(connection, code: code, at: nowMs) }
            }
        }
    }

    private func markDirty(_ connection: RelayConnection) {
        guard !connection.isDirty else { return }
        connection.isDirty = true
        dirty.append(connection)
    }

    private func flushAll(at nowMs: Int64) {
        // A connection that is dropped here makes its room tell others, who are then flushed in turn.
        while let connection = dirty.popLast() {
            connection.isDirty = false
            if !connection.isBlocked { flush(connection, at: nowMs) }
            if connection.unsent > configuration.sendBufferBytes {
                hub.metrics.droppedUnread += 1
                remove(connection, at: nowMs)
            }
        }
    }

    private func flush(_ connection: RelayConnection, at nowMs: Int64) {
        guard self.connection(connection.id) === connection else { return }
        while connection.unsent > 0 {
            let result = connection.output.withUnsafeBytes { bytes in
                Sockets.write(connection.descriptor, UnsafeRawBufferPointer(rebasing: bytes[connection.written...]))
            }
            switch result {
            case .bytes(let count):
                connection.written += count
                hub.metrics.bytesSent += count
            case .ended: return remove(connection, at: nowMs)
            case .wouldBlock:
                if connection.written >= 65_536 {
                    connection.output.removeFirst(connection.written)
                    connection.written = 0
                }
                setBlocked(connection, true)
                return
            }
        }
        // An idle connection keeps no buffer.
        if connection.output.capacity > 1024 {
            connection.output = []
        } else {
            connection.output.removeAll(keepingCapacity: true)
        }
        connection.written = 0
        setBlocked(connection, false)
        if case .ending = connection.stage {
            Sockets.finishWriting(connection.descriptor)
            connection.stage = .lingering
        }
    }

    private func setBlocked(_ connection: RelayConnection, _ isBlocked: Bool) {
        guard connection.isBlocked != isBlocked else { return }
        connection.isBlocked = isBlocked
        poller.watch(connection.descriptor, forWriting: isBlocked)
    }

    // MARK: The end

    /// Closes the listeners and tells everyone that the relay goes away.
    private func stop() {
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
    private func drain(_ connection: RelayConnection, at nowMs: Int64) {
        if case .ended = Sockets.read(connection.descriptor, into: buffer) { remove(connection, at: nowMs) }
    }
}

extension RelayConnection {
    /// Whether it is none of a WebSocket yet.
    fileprivate var isHead: Bool {
        if case .head = stage { return true }
        return false
    }
}
