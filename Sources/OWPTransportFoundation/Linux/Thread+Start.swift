// OpenWatchParty for Swift. See LICENSE.

#if !canImport(Darwin)
    import Foundation

    extension Thread {
        /// Starts a thread under a name of at most 15 bytes, by which it is found in a debugger, and by who looks for
        /// what is left behind.
        static func start(named name: String, _ body: @escaping @Sendable () -> Void) {
            detachNewThread {
                // Only a running thread's name reaches the system here.
                current.name = name
                body()
            }
        }
    }
#endif
