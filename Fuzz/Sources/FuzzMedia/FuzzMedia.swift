// OpenWatchParty for Swift. See LICENSE.

import OWPWire

/// Any JSON as a descriptor: nothing crashes, and a received one is written and received as it was.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMedia(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    guard let json = try? JSONValue(parsing: text), let media = try? parseMedia(json) else { return 0 }
    let rule = checkMedia(media)
    precondition(rule == nil || rule?.contains("bytes") == true, "a received descriptor breaks a rule when sent")
    guard let again = try? parseMedia(media.toJSON()) else { preconditionFailure("what is written is not received") }
    precondition(again == media, "what is written is received as something else")
    let message = ClientMessage.setMedia(media: media, positionMs: 0)
    if rule == nil {
        guard let sent = try? ClientMessage(parsing: message.text) else { preconditionFailure("a relay refuses it") }
        precondition(sent == message, "a relay reads something else")
    }
    return 0
}
