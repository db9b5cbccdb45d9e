// OpenWatchParty for Swift. See LICENSE.

import Dispatch
import Foundation

/// The signals that ask a command to end: Ctrl-C and SIGTERM.
package enum Signals {
    /// Takes over signals from now on, instead of ending the process.
    ///
    /// A signal that comes once this has returned is not missed. The first of them ends a command in order; whoever reads
    /// the stream decides what a second one means.
    ///
    /// - Parameter signals: Which; the usual ones end a command.
    /// - Returns: Each signal as it comes; the stream never ends by itself.
    package static func watch(_ signals: [Int32] = [SIGINT, SIGTERM]) async -> AsyncStream<Int32> {
        let (stream, continuation) = AsyncStream.makeStream(of: Int32.self, bufferingPolicy: .unbounded)
        for number in signals {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { continuation.yield(number) }
            // Held by the stream, and a source is armed some time after it is resumed.
            let held = Held(source: source)
            await withCheckedContinuation { armed in
                source.setRegistrationHandler { armed.resume() }
                source.resume()
            }
            let earlier = continuation.onTermination
            continuation.onTermination = { reason in
                held.source.cancel()
                earlier?(reason)
            }
        }
        return stream
    }

    /// Has signals end the process again, once there is nothing left to end in order.
    static func release() {
        for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
    }

    /// A source that outlives its function.
    ///
    /// `@unchecked`: it is only cancelled, which Dispatch allows on any thread.
    private final class Held: @unchecked Sendable {
        let source: any DispatchSourceSignal
        init(source: any DispatchSourceSignal) { self.source = source }
    }
}
