// OpenWatchParty for Swift. See LICENSE.

import OWPWire

/// Any bytes: nothing crashes, the two policies agree where they should, and what is read is written and read again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzJSON(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    let isGrammatical = (try? checkJSON(bytes, policy: .grammar)) != nil
    let isMessage = (try? checkJSON(bytes, policy: .message)) != nil
    precondition(isGrammatical || !isMessage, "a message's text is JSON")
    let text = String(decoding: bytes, as: UTF8.self)
    guard let value = try? JSONValue(parsing: text) else { return 0 }
    precondition(isMessage || !text.utf8.elementsEqual(bytes), "what is read was refused")
    guard let written = try? value.text else { return 0 }
    guard let again = try? JSONValue(parsing: written) else { preconditionFailure("what is written is not read") }
    precondition(again == value, "what is written is read as something else")
    return 0
}
