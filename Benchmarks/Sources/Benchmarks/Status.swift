// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OWPWire

private struct EncodableStatus: Encodable {
    struct Match: Encodable {
        var state = "matched"
        var deltaMs: Int64 = -412
    }
    var type = "status"
    var epoch: Int64 = 3
    var player = "ready"
    var match = Match()
    var offsetMs: Int64 = 95_000
    var rttMs: Int64 = 23
}

/// Writing a `status`.
func writeStatus() -> [Row] {
    let status = StatusMessage(
        epoch: 3,
        player: .ready,
        match: Match(state: .matched, deltaMs: -412),
        offsetMs: 95_000,
        rttMs: 23
    )
    let message = ClientMessage.status(status)
    let value = EncodableStatus()
    let encoder = JSONEncoder()
    let times = nanoseconds(ofEach: [{ keep(message.text) }, { keep(try? encoder.encode(value)) }])
    let text = message.text
    let reading = nanoseconds { keep(try? ClientMessage(parsing: text)) }
    return [
        Row(
            name: "write a `status` (\(text.utf8.count) bytes)",
            nanoseconds: times[0],
            bytes: text.utf8.count,
            ratios: [("JSONEncoder", times[1] / times[0])]
        ),
        Row(name: "read that `status` as the relay does", nanoseconds: reading, bytes: text.utf8.count),
    ]
}
