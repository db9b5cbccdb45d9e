// OpenWatchParty for Swift. See LICENSE.

#if !canImport(Darwin)
    import Foundation

    /// Holds the end of the process back while a closed connection still has something to say.
    ///
    /// A program that leaves its room and exits would otherwise often be quicker than the connection's thread, and the
    /// others would take it for somebody whose network failed.
    enum LastWords {
        /// How long the process waits at most, in ms.
        private static let longestMs = 500
        private static let owed = DispatchGroup()
        /// Registered once, before the first that is waited for.
        private static let isRegistered = atexit { _ = owed.wait(timeout: .now() + .milliseconds(longestMs)) } == 0

        /// Says that a connection was closed and has yet to say so.
        static func begin() {
            _ = isRegistered
            owed.enter()
        }

        /// Says that it has.
        static func end() { owed.leave() }
    }
#endif
