// OpenWatchParty for Swift. See LICENSE.

#if !canImport(Darwin)
    import COWPSystem
    import Foundation

    extension Thread {
        /// Starts a thread under a name of at most 15 bytes, by which it is found in a debugger, and by who looks for
        /// what is left behind.
        static func start(named name: String, _ body: @escaping @Sendable () -> Void) {
            detachNewThread {
                owp_name_thread(name)
                body()
            }
        }
    }
#endif
