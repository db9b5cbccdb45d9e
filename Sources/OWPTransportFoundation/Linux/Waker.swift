// OpenWatchParty for Swift. See LICENSE.

#if !canImport(Darwin)
    import COWPSystem

    /// Ends the waits of a ``CurlHandle``, from any thread and at any time.
    final class Waker: Sendable {
        private struct Target: @unchecked Sendable {  // `multi_wakeup` is the one function that any thread may call.
            let library: CurlLibrary
            let multi: UnsafeMutableRawPointer
        }

        private let target = Locked<Target?>(nil)

        /// Says whose waits end.
        func attach(_ library: CurlLibrary, multi: UnsafeMutableRawPointer) {
            let new = Target(library: library, multi: multi)
            target.withLock { $0 = new }
        }

        /// Forgets the handle, before it is freed.
        func detach() { target.withLock { $0 = nil } }

        /// Ends the wait, or the next one.
        func wake() {
            // Under the lock, so that the handle is not freed meanwhile.
            target.withLock { if let target = $0 { _ = target.library.api.pointee.multi_wakeup(target.multi) } }
        }
    }
#endif
