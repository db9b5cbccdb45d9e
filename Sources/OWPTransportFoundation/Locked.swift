// OpenWatchParty for Swift. See LICENSE.

import Foundation

/// A value that several threads use, one at a time.
///
/// `Mutex` would need macOS 15 and iOS 18.
final class Locked<Value: Sendable>: @unchecked Sendable {  // `value` is only touched under `lock`.
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    /// Runs a short piece of code on the value; it must not wait, and not resume a continuation.
    func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        lock.lock()
        defer { lock.unlock() }
        return try body(&value)
    }
}
