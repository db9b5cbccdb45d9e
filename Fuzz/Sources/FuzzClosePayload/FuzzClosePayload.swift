// OpenWatchParty for Swift. See LICENSE.

import FuzzSupport
import OWPWebSocket

/// Any payload of a close frame ends the connection with a status that may be sent (RFC 6455, section 7.4).
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzClosePayload(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let payload = Array(UnsafeBufferPointer(start: start, count: min(count, 125)))
    // Masked with zeros.
    var stream: [UInt8] = [0x88, 0x80 | UInt8(payload.count), 0, 0, 0, 0] + payload
    var endpoint = WebSocketEndpoint(serverWithMessageLimit: 0)
    var output: [UInt8] = []
    let event = stream.withUnsafeMutableBytes { bytes in
        var offset = 0
        return endpoint.receive(bytes, at: &offset, output: &output)
    }
    require(endpoint.isFinished && output.first == 0x88, "it is answered by a close frame")
    let answered = output.count >= 4 ? Int(output[2]) << 8 | Int(output[3]) : nil
    switch event {
    case .closed(let close):
        require(close.code == answered && close.code.map(WebSocketClose.isSendable) ?? true, "the status is echoed")
        let isSame = close.code == nil || Array(close.reason.utf8) == Array(payload[2...])
        require(isSame, "the reason is kept to the byte")
    case .failed(let error): require(error.closeCode == answered, "the failure's status is sent")
    default: require(false, "it closes or fails")
    }
    return 0
}
