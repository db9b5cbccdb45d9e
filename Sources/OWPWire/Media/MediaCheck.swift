// OpenWatchParty for Swift. See LICENSE.

/// The largest compact text of a descriptor when sent, in bytes (section 9.7).
package let largestMediaBytes = 4096
/// The largest compact text of a descriptor's `ext` when sent, in bytes (section 9.7).
package let largestExtBytes = 1024

/// Decodes a descriptor with the checks a receiver makes, sizes excluded (sections 9.7 and 16.2).
///
/// - Parameter json: The descriptor; unknown members outside `ext` are dropped.
/// - Returns: The descriptor.
/// - Throws: ``PartyError`` with `invalid_message`, whose message tells the broken rule.
public func parseMedia(_ json: JSONValue) throws -> Media {
    var writer = JSONWriter(capacity: 1024)
    writer.value(json)
    if let failure = writer.failure { throw PartyError(.invalidMessage, failure) }
    return try parseMedia(text: writer.text)
}

/// Decodes a descriptor's text with the checks a receiver makes, sizes excluded (section 9.7).
///
/// - Parameter text: One JSON value; it is read by the policy of messages.
/// - Returns: The descriptor.
/// - Throws: ``PartyError`` with `invalid_message`, whose message tells the broken rule.
package func parseMedia(text: String) throws -> Media {
    do throws(ReadFailure) {
        return try readMedia(text)
    } catch {
        throw PartyError(.invalidMessage, error.words)
    }
}

/// Tells what keeps a descriptor from being sent (section 9.7).
///
/// - Parameter media: The descriptor, which must follow every rule of a received one, and be at most 4096 bytes of
///   compact JSON, with an `ext` of at most 1024.
/// - Returns: The first broken rule in English, for logs; nil when the descriptor may be sent.
public func checkMedia(_ media: Media) -> String? {
    var writer = JSONWriter(capacity: 1024)
    writer.media(media)
    if let failure = writer.failure { return failure }
    do throws(ReadFailure) {
        _ = try readMedia(writer.text)
    } catch {
        return error.words
    }
    if let ext = media.ext {
        var extWriter = JSONWriter()
        extWriter.ext(ext)
        if extWriter.count > largestExtBytes { return "ext: at most \(largestExtBytes) bytes" }
    }
    return writer.count > largestMediaBytes ? "media: at most \(largestMediaBytes) bytes" : nil
}

private func readMedia(_ text: String) throws(ReadFailure) -> Media {
    try JSONReader.reading(text) { reader throws(ReadFailure) in
        let read = try reader.media()
        try reader.end()
        return read.media
    }
}
