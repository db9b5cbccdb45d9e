// OpenWatchParty for Swift. See LICENSE.

import Dispatch
import Foundation
import OWPCore
import OWPWire

/// The directory in which rooms outlive a restart.
///
/// A save never blocks the relay: the changed rooms are handed over, and written on a queue of its own. The file is
/// replaced as a whole, so whenever the process is killed, the last complete one stands there.
///
/// `@unchecked`: `lines` is touched on `queue` alone, and the rest that changes is guarded by `lock`.
final class StateStore: @unchecked Sendable {
    /// The state file.
    let path: String
    private let directory: String
    /// Keeps a second relay out of the directory.
    private let lockDescriptor: Int32
    private let queue = DispatchQueue(label: "OWPRelay.state")
    private let lock = NSLock()
    private var isSaving = false
    private var lastFailure: String?
    private var lines: [String: String] = [:]

    /// Opens a directory, making it when it is missing.
    ///
    /// - Throws: ``RelayStartError`` when it cannot be used, or another relay uses it.
    init(directory: String) throws(RelayStartError) {
        self.directory = directory
        path = directory + "/rooms.state"
        try Self.make(directory)
        lockDescriptor = open(directory + "/lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lockDescriptor >= 0 else {
            throw RelayStartError("cannot write to the state directory \(directory): \(systemError())")
        }
        guard flock(lockDescriptor, LOCK_EX | LOCK_NB) == 0 else {
            _ = close(lockDescriptor)
            throw RelayStartError("the state directory \(directory) is used by another relay")
        }
    }

    deinit { _ = close(lockDescriptor) }

    /// Makes a directory and those above it, for this user alone.
    private static func make(_ directory: String) throws(RelayStartError) {
        var path = ""
        for part in directory.split(separator: "/", omittingEmptySubsequences: false) {
            path += part + "/"
            guard access(path, F_OK) != 0, mkdir(path, 0o700) != 0, errno != EEXIST else { continue }
            throw RelayStartError("cannot make the state directory \(directory): \(systemError())")
        }
    }

    /// What a state file held.
    enum Loaded: Sendable {
        /// There is none.
        case nothing
        /// Its rooms.
        case rooms([RelayRoom])
        /// It cannot be read, and stands under another name now.
        case setAside(path: String, reason: String)
    }

    /// Reads the state file, and sets aside one that cannot be read.
    ///
    /// - Parameters:
    ///   - times: How long a room waits for what.
    ///   - largestMembers: How many participants a room takes.
    ///   - nowMs: Gives the relay time, once it is known when the file was saved.
    /// - Returns: What the file held.
    /// - Throws: ``RelayStartError`` when a file stands there that can be neither read nor set aside.
    func load(
        times: RoomTimes,
        largestMembers: Int,
        nowMs: (_ savedAtMs: Int64) -> Int64
    ) throws(RelayStartError) -> Loaded {
        guard access(path, F_OK) == 0 else { return .nothing }
        let reason: String
        do throws(StateError) {
            guard let bytes = FileManager.default.contents(atPath: path) else {
                throw StateError("it cannot be opened")
            }
            guard let text = String(validating: bytes, as: UTF8.self) else { throw StateError("it is no text") }
            let file = try StateFile(parsing: text)
            let timeMs = nowMs(file.savedAtMs)
            var rooms: [RelayRoom] = []
            for line in file.rooms {
                guard let saved = StateFile.json(line.utf8[...]) else { throw StateError("a line is no JSON") }
                rooms.append(
                    try RelayRoom(restoring: saved, times: times, largestMembers: largestMembers, at: timeMs)
                )
            }
            guard Set(rooms.map(\.code)).count == rooms.count else { throw StateError("a code stands there twice") }
            return .rooms(rooms)
        } catch {
            reason = error.description
        }
        for number in 1...1000 {
            let aside = "\(path).unreadable-\(number)"
            guard access(aside, F_OK) != 0 else { continue }
            guard rename(path, aside) == 0 else { break }
            return .setAside(path: aside, reason: reason)
        }
        throw RelayStartError("the state file \(path) is unreadable (\(reason)) and cannot be set aside")
    }

    /// Whether the last save has been written, so that the next may begin.
    var isIdle: Bool { lock.withLock { !isSaving } }

    /// Why the last save failed; nil when it did not.
    var failure: String? { lock.withLock { lastFailure } }

    /// Writes what changed, some time later.
    ///
    /// - Parameters:
    ///   - changes: The rooms that changed, by code; nil for one that is gone.
    ///   - nowMs: The relay time.
    func save(_ changes: [String: RelayRoom?], at nowMs: Int64) {
        lock.withLock { isSaving = true }
        queue.async { self.write(changes, nowMs) }
    }

    /// Writes what changed, and returns once everything is written and the directory is free for another relay.
    func finish(_ changes: [String: RelayRoom?], at nowMs: Int64) {
        queue.sync { self.write(changes, nowMs) }
        _ = flock(lockDescriptor, LOCK_UN)
    }

    private func write(_ changes: [String: RelayRoom?], _ nowMs: Int64) {
        for (code, room) in changes { lines[code] = room?.saved }
        let text = StateFile(savedAtMs: nowMs, rooms: Array(lines.values)).text
        let failure = replaceFile(with: Array(text.utf8))
        lock.withLock {
            isSaving = false
            lastFailure = failure
        }
    }

    /// Writes a new file beside the old one and puts it in its place.
    ///
    /// - Returns: Why that failed; the old file then stands as it was.
    private func replaceFile(with bytes: [UInt8]) -> String? {
        let draft = path + ".new"
        let file = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { return systemError() }
        var left = bytes[...]
        var failure: String?
        while !left.isEmpty, failure == nil {
            let count = left.withUnsafeBytes { Foundation.write(file, $0.baseAddress, $0.count) }
            if count > 0 {
                left = left.dropFirst(count)
            } else if errno != EINTR {
                failure = systemError()
            }
        }
        if failure == nil, fsync(file) != 0 { failure = systemError() }
        _ = close(file)
        if failure == nil, rename(draft, path) != 0 { failure = systemError() }
        guard failure == nil else {
            _ = unlink(draft)
            return failure
        }
        // The new name is on disk once the directory is.
        let folder = open(directory, O_RDONLY | O_CLOEXEC)
        if folder >= 0 {
            _ = fsync(folder)
            _ = close(folder)
        }
        return nil
    }
}
