// OpenWatchParty for Swift. See LICENSE.

import Testing

@testable import OWPWebSocket

/// Makes predictable bits, for masking keys and cuts.
struct Splitmix: RandomNumberGenerator, Sendable {
    var state: UInt64
    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

/// A frame as any peer may send it, right or wrong.
func frame(
    _ first: UInt8,
    _ payload: [UInt8],
    mask: UInt32? = 0x1234_5678,
    lengthBytes: Int? = nil,
    length: UInt64? = nil
) -> [UInt8] {
    let length = length ?? UInt64(payload.count)
    let extended = lengthBytes ?? (length <= 125 ? 0 : length <= 65_535 ? 2 : 8)
    let short = extended == 0 ? UInt8(length) : extended == 2 ? 126 : 127
    var bytes = [first, short | (mask == nil ? 0 : 0x80)]
    for index in (0..<extended).reversed() { bytes.append(UInt8(truncatingIfNeeded: length >> UInt64(8 * index))) }
    guard let mask else { return bytes + payload }
    let key = (0..<4).map { UInt8(truncatingIfNeeded: mask >> UInt32(8 * $0)) }
    return bytes + key + payload.enumerated().map { $1 ^ key[$0 % 4] }
}

/// What an endpoint made of a stream.
struct Outcome: Equatable {
    var events: [WebSocketEvent] = []
    var output: [UInt8] = []
    var isOpen = true
    var isFinished = false
}

/// Feeds a stream to an endpoint in pieces that end at the given offsets.
func feed(_ stream: [UInt8], cuts: [Int] = [], to endpoint: WebSocketEndpoint) -> Outcome {
    var endpoint = endpoint
    var outcome = Outcome()
    var start = 0
    for end in cuts + [stream.count] {
        var piece = Array(stream[start..<end])
        start = end
        piece.withUnsafeMutableBytes { bytes in
            var offset = 0
            while let event = endpoint.receive(bytes, at: &offset, output: &outcome.output) {
                outcome.events.append(event)
            }
            #expect(offset == bytes.count)
        }
    }
    (outcome.isOpen, outcome.isFinished) = (endpoint.isOpen, endpoint.isFinished)
    return outcome
}

/// Feeds a stream whole, byte by byte, and cut in two at every offset; the outcomes have to agree.
func feedEveryWay(_ stream: [UInt8], to endpoint: WebSocketEndpoint) -> Outcome {
    let whole = feed(stream, to: endpoint)
    #expect(feed(stream, cuts: Array(stride(from: 1, to: stream.count, by: 1)), to: endpoint) == whole)
    let step = max(1, stream.count / 400)
    for cut in stride(from: 1, to: stream.count, by: step) {
        #expect(feed(stream, cuts: [cut], to: endpoint) == whole)
    }
    return whole
}

let server = WebSocketEndpoint(serverWithMessageLimit: 1000)
let client = WebSocketEndpoint(clientWithMessageLimit: 1000, random: Splitmix(state: 1))

/// A close frame of a server.
func serverClose(_ code: Int, _ reason: String = "") -> [UInt8] {
    frame(0x88, closePayload(code, reason), mask: nil)
}

/// The payload of a close frame.
func closePayload(_ code: Int, _ reason: String = "") -> [UInt8] {
    [UInt8(truncatingIfNeeded: code >> 8), UInt8(truncatingIfNeeded: code)] + Array(reason.utf8)
}
