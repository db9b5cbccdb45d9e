// OpenWatchParty for Swift. See LICENSE.

import OWPWire

/// Any text as a message in both directions, with the snapshot check: nothing crashes, and what passes the checks passes
/// them again once written.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzMessages(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let text = String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    switch RelayMessage.read(text) {
    case .message(.room(var message)):
        if message.media == .malformed { message.media = .absent }
        precondition(RelayMessage.read(RelayMessage.room(message).text) == .message(.room(message)), "a room changes")
    case .message(let message):
        precondition(RelayMessage.read(message.text) == .message(message), "a relay's message changes")
    case .malformedJoined, .ignored:
        break
    }
    do {
        let message = try ClientMessage(parsing: text)
        // What was received may be longer than what is written, never shorter in what counts.
        guard let again = try? ClientMessage(parsing: message.text) else { return 0 }
        precondition(again == message, "a client's message changes")
    } catch {
        precondition(!error.message.isEmpty, "a refusal says why")
    }
    return 0
}
