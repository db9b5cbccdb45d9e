// OpenWatchParty for Swift. See LICENSE.

/// Why mpv did not do what was asked of it.
public enum MPVError: Error, Hashable, Sendable {
    /// No such program: a name that no folder of `PATH` holds, or a path that cannot be run.
    case programNotFound(String)
    /// The program ended before it could be talked to, with this exit status or, negative, this signal.
    case exitedAtStart(status: Int32)
    /// The program runs, but nothing answered on its socket within the time.
    case noAnswer(afterMs: Int)
    /// A running player already listens on the socket's path.
    case socketInUse(String)
    /// The socket's path is too long for the system, or its folder cannot be made or written.
    case badSocketPath(String)
    /// mpv cannot play the file; the text is mpv's own reason.
    case cannotPlay(reason: String)
    /// mpv refused a command; the text is mpv's own reason.
    case refused(reason: String)
    /// A command was not done within its bound.
    case timedOut
    /// mpv has ended, or its connection has.
    case ended
}

extension MPVError: CustomStringConvertible {
    /// What happened, in words.
    public var description: String {
        switch self {
        case .programNotFound(let program): "the player '\(program)' was not found"
        case .exitedAtStart(let status): "the player ended at once, with status \(status)"
        case .noAnswer(let afterMs): "the player did not answer within \(afterMs) ms"
        case .socketInUse(let path): "another player already listens on \(path)"
        case .badSocketPath(let path): "no socket can be made at \(path)"
        case .cannotPlay(let reason): "the player cannot play the file: \(reason)"
        case .refused(let reason): "the player refused a command: \(reason)"
        case .timedOut: "the player did not do a command in time"
        case .ended: "the player has ended"
        }
    }
}
