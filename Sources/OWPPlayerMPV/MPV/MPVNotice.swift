// OpenWatchParty for Swift. See LICENSE.

import OWPWire

/// A property of mpv that the adapter observes.
///
/// mpv reports changes that come together in the order in which they were asked for. The position is last, so that it is
/// known by then whether the file plays.
enum MPVProperty: String, Hashable, Sendable, CaseIterable {
    case paused = "pause"
    case pausedForCache = "paused-for-cache"
    case idle = "core-idle"
    case seeking
    case atEnd = "eof-reached"
    case speed
    case duration
    case position = "time-pos"
}

/// One line of mpv's JSON IPC, as far as it concerns the adapter.
enum MPVNotice: Hashable, Sendable {
    /// An observed property has a value; `null` when it has none now.
    case property(MPVProperty, JSONValue)
    /// A file is about to be opened.
    case startFile
    /// A file is open, and its properties are known.
    case fileLoaded
    /// A file ended; `error` says why it could not be opened or played on.
    case endFile(error: String?)
    /// A seek begins, whoever asked for it.
    case seek
    /// The first frame after an opening or a seek shows.
    case playbackRestart
    /// mpv ends.
    case shutdown
    /// The answer to a request.
    case reply(id: Int64, error: String?, data: JSONValue)

    /// Reads a line; nil for anything else that mpv may say.
    init?(line: String) {
        guard let message = try? JSONValue(parsing: line), case .object = message else { return nil }
        if case .string(let event)? = message["event"] {
            self.init(event: event, message: message)
        } else if let id = message["request_id"]?.wireInt, case .string(let error)? = message["error"] {
            self = .reply(id: id, error: error == "success" ? nil : error, data: message["data"] ?? .null)
        } else {
            return nil
        }
    }

    private init?(event: String, message: JSONValue) {
        switch event {
        case "property-change":
            guard case .string(let name)? = message["name"], let property = MPVProperty(rawValue: name) else {
                return nil
            }
            self = .property(property, message["data"] ?? .null)
        case "start-file": self = .startFile
        case "file-loaded": self = .fileLoaded
        case "end-file":
            guard case .string("error")? = message["reason"] else {
                self = .endFile(error: nil)
                return
            }
            if case .string(let reason)? = message["file_error"] {
                self = .endFile(error: reason)
            } else {
                self = .endFile(error: "unknown")
            }
        case "seek": self = .seek
        case "playback-restart": self = .playbackRestart
        case "shutdown": self = .shutdown
        default: return nil
        }
    }
}

/// A notice and when it arrived, in ms of monotonic time.
struct TimedNotice: Hashable, Sendable {
    let notice: MPVNotice
    let atMs: Double

    /// Whether it is one of the position's many samples.
    var isPosition: Bool {
        if case .property(.position, _) = notice { true } else { false }
    }
}
