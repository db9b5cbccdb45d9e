// OpenWatchParty for Swift. See LICENSE.

import OWPWire

// Reads a descriptor, and writes it as it is sent.
let json = try JSONValue(parsing: #"{"title":"Heat","kind":"movie","durationMs":10200000.0,"unknown":1}"#)
let media = try parseMedia(json)
print(checkMedia(media) ?? "valid", try media.toJSON().text, try formatCode("k7m-q2x"))
