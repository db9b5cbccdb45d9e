// OpenWatchParty for Swift. See LICENSE.

/// What the relay counts, as Prometheus reads it.
///
/// Nothing here tells one participant or one room from another.
struct RelayMetrics: Hashable, Sendable {
    /// Connections that were upgraded.
    var connections = 0
    /// Upgrades refused, by HTTP status.
    var refusedUpgrades: [Int: Int] = [:]
    /// Rooms made.
    var rooms = 0
    /// Messages received, by type; `malformed` for those without a type of the protocol.
    var received: [String: Int] = [:]
    /// Errors answered, by code.
    var errors: [String: Int] = [:]
    /// Messages sent, counted once for each receiver.
    var sent = 0
    /// Bytes received and sent, of frames and heads.
    var bytesReceived = 0
    /// See ``bytesReceived``.
    var bytesSent = 0
    /// Connections dropped because they did not read.
    var droppedUnread = 0
    /// Connections closed, by the status that the relay sent.
    var closes: [Int: Int] = [:]
    /// Saves of the state that failed.
    var failedSaves = 0

    /// The text of `/metrics`, with what there is at the moment, by the metric's name without `owp_`.
    func text(now: KeyValuePairs<String, Int>) -> String {
        var lines: [String] = []
        func write(_ name: String, _ type: String, _ values: [(label: String, value: Int)]) {
            lines.append("# TYPE owp_\(name) \(type)")
            lines += values.map { "owp_\(name)\($0.label) \($0.value)" }
        }
        func labelled<Key: Comparable>(_ counts: [Key: Int], _ label: String) -> [(label: String, value: Int)] {
            counts.sorted { $0.key < $1.key }.map { ("{\(label)=\"\($0.key)\"}", $0.value) }
        }
        for (name, value) in now { write(name, "gauge", [("", value)]) }
        write("connections_total", "counter", [("", connections)])
        write("refused_upgrades_total", "counter", labelled(refusedUpgrades, "status"))
        write("rooms_total", "counter", [("", rooms)])
        write("messages_received_total", "counter", labelled(received, "type"))
        write("errors_total", "counter", labelled(errors, "code"))
        write("messages_sent_total", "counter", [("", sent)])
        write("bytes_received_total", "counter", [("", bytesReceived)])
        write("bytes_sent_total", "counter", [("", bytesSent)])
        write("dropped_unread_total", "counter", [("", droppedUnread)])
        write("closes_total", "counter", labelled(closes, "code"))
        write("failed_saves_total", "counter", [("", failedSaves)])
        return lines.joined(separator: "\n") + "\n"
    }
}
