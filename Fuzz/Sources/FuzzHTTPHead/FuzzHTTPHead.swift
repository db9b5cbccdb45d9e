// OpenWatchParty for Swift. See LICENSE.

import FuzzSupport
import OWPWebSocket

/// Any HTTP head is read the same whole and byte by byte, and is answered (RFC 7230, section 3; RFC 6455, section 4.2).
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzHTTPHead(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let whole = Reading(of: bytes, piece: max(1, bytes.count))
    require(whole == Reading(of: bytes, piece: 1), "byte by byte is the same as whole")
    require(whole == Reading(of: bytes, piece: 7), "cut is the same as whole")
    guard case .success(let head?) = whole.head else { return 0 }
    for field in head.fields { require(!field.name.isEmpty, "a field has a name") }
    guard let request = try? HTTPRequest(head) else { return 0 }
    require(request.path.utf8.first == UInt8(ascii: "/"), "a path begins with a slash")
    switch ServerHandshake(request) {
    case .accepted(let answer): require(answer.starts(with: "HTTP/1.1 101 ".utf8), "accepted by a 101")
    case .refused(let answer): require([400, 405, 426].contains(answer.status), "refused by a status of the handshake")
    }
    return 0
}

/// What a reader makes of some bytes.
private struct Reading: Equatable {
    var head: Result<HTTPHead?, WebSocketError> = .success(nil)
    var rest = 0

    init(of bytes: [UInt8], piece: Int) {
        var reader = HTTPHeadReader(limit: 1024)
        var pieces = Pieces(of: bytes, size: piece)
        var at = 0
        while at < bytes.count {
            var offset = 0
            head = pieces.at(at).withUnsafeBytes { part in
                Result { () throws(WebSocketError) in try reader.read(part, at: &offset) }
            }
            at += offset
            if case .success(nil) = head { continue }
            break
        }
        // Where a head was refused says nothing.
        if case .success = head { rest = bytes.count - at }
    }
}
