// OpenWatchParty for Swift. See LICENSE.

import Foundation

/// The terminal that standard input is, when it is one and ours to read: keys come at once and are not shown.
@MainActor
final class Terminal {
    private var before = termios()
    private var keyed = termios()

    /// Takes the terminal over; nil when standard input is none, or another program is in its foreground.
    init?() {
        guard isatty(0) == 1, tcgetpgrp(0) == getpgrp(), tcgetattr(0, &before) == 0 else { return nil }
        keyed = before
        keyed.c_lflag &= ~tcflag_t(ICANON | ECHO)
        guard tcsetattr(0, TCSANOW, &keyed) == 0 else { return nil }
    }

    /// Takes it over again, after a stop by Ctrl-Z in which the shell had it.
    func resume() {
        guard tcgetpgrp(0) == getpgrp() else { return }
        tcsetattr(0, TCSANOW, &keyed)
    }

    /// The keys as they are pressed.
    func keys() -> AsyncStream<WatchKey> {
        let (stream, continuation) = AsyncStream.makeStream(of: WatchKey.self, bufferingPolicy: .unbounded)
        let thread = Thread {
            var reader = WatchKeyReader()
            var byte: UInt8 = 0
            while read(0, &byte, 1) == 1 {
                if let key = reader.take(byte) { continuation.yield(key) }
            }
            continuation.finish()
        }
        thread.name = "keys"
        thread.start()
        return stream
    }

    /// Gives the terminal back as it was.
    func restore() {
        tcsetattr(0, TCSANOW, &before)
    }
}
