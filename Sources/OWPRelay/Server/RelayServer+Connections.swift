// OpenWatchParty for Swift. See LICENSE.

// Connections come, and go at once.

extension RelayServer {
    func connection(at descriptor: Int32) -> RelayConnection? {
        let place = Int(descriptor)
        return connections.indices.contains(place) ? connections[place] : nil
    }

    func connection(_ id: ConnectionID) -> RelayConnection? {
        let found = connection(at: Int32(truncatingIfNeeded: id.value & 0xFFFF_FFFF))
        return found?.id == id ? found : nil
    }

    func accept(_ listener: Int32, at nowMs: Int64) {
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
    func mayHold(_ address: NetworkAddress) -> Bool {
        guard count < configuration.maxConnections + 256 else { return false }
        return configuration.trustsProxy || counts[address, default: 0] < configuration.maxConnectionsPerIP + 32
    }

    func setDeadline(_ connection: RelayConnection, _ dueMs: Int64?) {
        connection.deadlineMs = dueMs
        deadlines.set(connection.id, dueMs: dueMs)
    }

    func endOverdue(_ id: ConnectionID, at nowMs: Int64) {
        guard let connection = connection(id), let dueMs = connection.deadlineMs else { return }
        if dueMs > nowMs {
            deadlines.set(id, dueMs: dueMs)
        } else {
            remove(connection, at: nowMs)
        }
    }

    /// Closes the socket at once.
    func remove(_ connection: RelayConnection, at nowMs: Int64) {
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
}
