// OpenWatchParty for Swift. See LICENSE.

import OWPWebSocket

// What comes before a WebSocket, or instead of one.

extension RelayServer {
    func readHead(
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

    func take(_ request: HTTPRequest, on connection: RelayConnection, at nowMs: Int64) {
        let isSocket = (configuration.isEcho || request.path.hasSuffix("/v1/ws")) && !connection.isAdmin
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
            if !configuration.isEcho, let status = hub.refusalStatus(for: address) {
                hub.metrics.refusedUpgrades[status, default: 0] += 1
                return answer(connection, HTTPAnswer(status: status), at: nowMs)
            }
            connection.output += head
            connection.endpoint = WebSocketEndpoint(serverWithMessageLimit: configuration.maxMessageBytes)
            connection.stage = .open
            setDeadline(connection, nil)
            if !configuration.isEcho { hub.opened(connection.id, from: address, at: nowMs) }
            markDirty(connection)
        }
    }

    var metricsText: String {
        let members = hub.rooms.values.reduce(0) { $0 + $1.members.count }
        return hub.metrics.text(now: [
            "connections": hub.sessions.count, "rooms": hub.rooms.count, "participants": members,
        ])
    }

    /// The address that the limits count: behind a trusted proxy, the one that the proxy saw.
    func clientAddress(of request: HTTPRequest, on connection: RelayConnection) -> NetworkAddress {
        guard configuration.trustsProxy, let list = request.head.values(of: "X-Forwarded-For").last else {
            return connection.address
        }
        let last = list.split(separator: ",").last.map { $0.filter { $0 != " " && $0 != "\t" } }
        return last.flatMap { Sockets.address(parsing: String($0)) } ?? connection.address
    }

    func answer(_ connection: RelayConnection, _ answer: HTTPAnswer, at nowMs: Int64) {
        connection.output += answer.bytes
        end(connection, at: nowMs)
    }
}
