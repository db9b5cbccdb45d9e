// OpenWatchParty for Swift. See LICENSE.

import Foundation

/// What mpv's standard input is: a connection whose end makes mpv quit.
///
/// Our end closes with the process that holds it, by whatever cause that ends: so no mpv outlives its owner, not even one
/// that was killed. It carries a second IPC client of mpv's, which says nothing and is told nothing.
final class Lifeline: Sendable {
    /// The word of the command line that makes mpv hold on to it.
    static let argument = "--input-ipc-client=fd://0"

    /// What the program gets as its standard input.
    let farEnd: FileHandle
    private let nearEnd: FileHandle

    /// Makes a connection.
    ///
    /// - Throws: ``MPVError/refused(reason:)`` when the process has no descriptors left.
    init() throws(MPVError) {
        var ends: [Int32] = [-1, -1]
        #if canImport(Glibc)
            let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        #else
            let kind = SOCK_STREAM
        #endif
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw .refused(reason: "no descriptor is left to start it with")
        }
        #if canImport(Darwin)
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        #endif
        nearEnd = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
        farEnd = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
        // Nobody reads here, so nothing may be said: mpv would wait once the connection is full.
        let request = Array(#"{"command":["disable_event","all"]}"#.utf8) + [UInt8(ascii: "\n")]
        _ = request.withUnsafeBytes { send(ends[0], $0.baseAddress, $0.count, noSignal) }
    }
}
