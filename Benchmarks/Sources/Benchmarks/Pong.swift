// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OWPWire

private struct DecodablePong: Decodable {
    var type: String
    var id: Int64
    var serverTime: Int64
}

/// Reading and checking a `pong`, from the bytes of the WebSocket on.
func readPong() -> [Row] {
    let message = RelayMessage.pong(id: 1234, serverTimeMs: 1_764_500_123_456)
    let bytes = Array(message.text.utf8)
    let data = Data(bytes)
    let decoder = JSONDecoder()
    let times = nanoseconds(ofEach: [
        { keep(RelayMessage.read(String(decoding: bytes, as: UTF8.self))) },
        { keep(try? decoder.decode(DecodablePong.self, from: data)) },
        { keep(try? JSONSerialization.jsonObject(with: data)) },
    ])
    return [
        Row(
            name: "read and check a `pong` (\(bytes.count) bytes)",
            nanoseconds: times[0],
            bytes: bytes.count,
            ratios: [("JSONDecoder", times[1] / times[0]), ("JSONSerialization", times[2] / times[0])],
            goal: "≥ 8 × JSONDecoder"
        )
    ]
}
