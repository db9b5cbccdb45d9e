// OpenWatchParty for Swift. See LICENSE.

import FuzzSupport
import OWPWebSocket

/// Any answer of a server opens the connection or not, the same however it is cut (RFC 6455, section 4.1).
///
/// An even first byte puts a good answer's first lines before the fuzzer's own.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHandshake(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let first = start?.pointee, count > 1 else { return 0 }
    var answer = Array(UnsafeBufferPointer(start: start, count: count))[1...]
    if first & 1 == 0 { answer = good + answer }
    let bytes = Array(answer)
    let whole = Opening(of: bytes, piece: bytes.count)
    require(whole == Opening(of: bytes, piece: 1), "byte by byte is the same as whole")
    require(whole == Opening(of: bytes, piece: Int(first) + 1), "cut is the same as whole")
    if let url = try? WebSocketURL(String(decoding: answer, as: UTF8.self)) {
        require(!url.host.isEmpty && (1...65_535).contains(url.port), "a URL has a host and a port")
        require(url.target.utf8.first == UInt8(ascii: "/"), "a target begins with a slash")
    }
    return 0
}

/// A good answer to the key of zeros, without the empty line that ends it.
private let good = Array(
    "HTTP/1.1 101 X\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ICX+Yqv66kxgM0FcWaLWlFLwTAI=\r\n"
        .utf8
)

/// A client that has asked; its request depends on no input.
private let asked: ClientHandshake = {
    guard let url = try? WebSocketURL("ws://a/") else { fatalError("a good URL") }
    var random = ZeroBits()
    return ClientHandshake(to: url, random: &random, headLimit: 1024)
}()

/// What a client makes of an answer.
private struct Opening: Equatable {
    var isOpen = false
    var failure: WebSocketError?
    var rest = 0

    init(of bytes: [UInt8], piece: Int) {
        var handshake = asked
        var pieces = Pieces(of: bytes, size: piece)
        var at = 0
        while at < bytes.count, !isOpen, failure == nil {
            var offset = 0
            let read = pieces.at(at).withUnsafeBytes { part in
                Result { () throws(WebSocketError) in try handshake.read(part, at: &offset) }
            }
            at += offset
            switch read {
            case .success(let isOpen): self.isOpen = isOpen
            case .failure(let error): failure = error
            }
        }
        if isOpen { rest = bytes.count - at }
    }
}

private struct ZeroBits: RandomNumberGenerator {
    mutating func next() -> UInt64 { 0 }
}
