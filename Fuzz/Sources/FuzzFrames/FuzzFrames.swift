// OpenWatchParty for Swift. See LICENSE.

import FuzzSupport
import OWPWebSocket

/// Any stream of frames gives the same events and the same output, however it is cut (RFC 6455, section 5).
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFrames(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard count >= 2 else { return 0 }
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let stream = Array(bytes[2...])
    let limit = 1024
    let endpoint =
        bytes[0] & 1 == 0
        ? WebSocketEndpoint(serverWithMessageLimit: limit)
        : WebSocketEndpoint(clientWithMessageLimit: limit, random: ZeroBits())
    let whole = Outcome(of: stream, pieces: [stream.count], endpoint)
    require(whole == Outcome(of: stream, pieces: [1], endpoint), "byte by byte is the same as whole")
    require(whole == Outcome(of: stream, pieces: [Int(bytes[1]) + 1, 3], endpoint), "cut is the same as whole")
    for (index, event) in whole.events.enumerated() {
        switch event {
        case .text(let text): require(text.utf8.count <= limit, "no message past the limit")
        case .binary(let bytes): require(bytes.count <= limit, "no message past the limit")
        case .pong(let payload): require(payload.count <= 125, "no long pong")
        case .closed, .failed: require(index == whole.events.count - 1 && !whole.isOpen, "nothing after the end")
        }
    }
    return 0
}

/// What an endpoint makes of a stream.
private struct Outcome: Equatable {
    var events: [WebSocketEvent] = []
    var output: [UInt8] = []
    var isOpen = true

    init(of stream: [UInt8], pieces: [Int], _ start: WebSocketEndpoint) {
        var endpoint = start
        var at = 0
        var turn = 0
        while at < stream.count {
            let end = min(stream.count, at + max(1, pieces[turn % pieces.count]))
            var piece = Array(stream[at..<end])
            piece.withUnsafeMutableBytes { bytes in
                var offset = 0
                while let event = endpoint.receive(bytes, at: &offset, output: &output) { events.append(event) }
                require(offset == bytes.count, "everything is read")
            }
            at = end
            turn += 1
        }
        isOpen = endpoint.isOpen
    }
}

/// Masking keys of zeros.
private struct ZeroBits: RandomNumberGenerator, Sendable {
    mutating func next() -> UInt64 { 0 }
}
