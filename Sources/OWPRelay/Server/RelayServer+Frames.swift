// OpenWatchParty for Swift. See LICENSE.

import OWPWebSocket
import OWPWire

// Bytes in, messages to the hub; its answers out.

extension RelayServer {
    func read(_ connection: RelayConnection, at nowMs: Int64) {
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

    /// Writes what is left, then ends.
    func end(_ connection: RelayConnection, at nowMs: Int64) {
        connection.stage = .ending
        setDeadline(connection, nowMs + times.closingMs)
        markDirty(connection)
    }

    func readFrames(
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
            case .text(let text) where configuration.isEcho:
                connection.endpoint?.send(text, output: &connection.output)
                markDirty(connection)
            case .binary(let bytes) where configuration.isEcho:
                connection.endpoint?.send(bytes, output: &connection.output)
                markDirty(connection)
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
    func close(_ connection: RelayConnection, code: Int, at nowMs: Int64) {
        guard connection.isOpen else { return }
        connection.endpoint?.close(code: code, output: &connection.output)
        hub.metrics.closes[code, default: 0] += 1
        connection.stage = .closing
        setDeadline(connection, nowMs + times.closingMs)
        markDirty(connection)
        perform(hub.closed(connection.id, at: nowMs), at: nowMs)
    }

    /// Does what the hub asked for; a message is encoded and framed once, however many receive it.
    func perform(_ effects: [HubEffect], at nowMs: Int64) {
        for effect in effects {
            switch effect {
            case .send(let message, let receivers):
                var frame: SharedFrame?
                for id in receivers {
                    guard let connection = connection(id), connection.isOpen else { continue }
                    let shared = frame ?? SharedFrame(text: message.text)
                    frame = shared
                    hub.metrics.sent += 1
                    connection.send(shared)
                    markDirty(connection)
                }
                if frame != nil, case .error(let error) = message { hub.metrics.errors[error.code, default: 0] += 1 }
            case .close(let id, let code):
                if let connection = connection(id) { close(connection, code: code, at: nowMs) }
            }
        }
    }

    func markDirty(_ connection: RelayConnection) {
        guard !connection.isDirty else { return }
        connection.isDirty = true
        dirty.append(connection)
    }

    func flushAll(at nowMs: Int64) {
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

    func flush(_ connection: RelayConnection, at nowMs: Int64) {
        guard self.connection(connection.id) === connection else { return }
        while connection.unsent > 0 {
            let result = connection.output.withUnsafeBytes { bytes in
                Sockets.write(connection.descriptor, UnsafeRawBufferPointer(rebasing: bytes[connection.written...]))
            }
            switch result {
            case .bytes(let count):
                connection.written += count
                hub.metrics.bytesSent += count
            case .ended:
                if case .ending = connection.stage { return remove(connection, at: nowMs) }
                // What came before the end, a `leave` perhaps, is still to be read; then reading finds the end.
                connection.output = []
                connection.written = 0
                return setBlocked(connection, false)
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
        connection.output = []
        connection.written = 0
        setBlocked(connection, false)
        if case .ending = connection.stage {
            Sockets.finishWriting(connection.descriptor)
            connection.stage = .lingering
        }
    }

    func setBlocked(_ connection: RelayConnection, _ isBlocked: Bool) {
        guard connection.isBlocked != isBlocked else { return }
        connection.isBlocked = isBlocked
        poller.watch(connection.descriptor, forWriting: isBlocked)
    }
}
