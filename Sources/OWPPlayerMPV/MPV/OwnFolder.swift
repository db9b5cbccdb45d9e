// OpenWatchParty for Swift. See LICENSE.

import Foundation

/// A private folder for mpv's socket, which its owner holds locked while it lives.
///
/// The lock goes with the process, however that ends. So a folder that can be locked was left behind, and whoever comes
/// next may remove it.
final class OwnFolder: Sendable {
    /// The path of the folder.
    let path: String
    /// The name of the one thing that may be in it.
    static let socketName = "mpv.sock"

    private static let prefix = "owp-mpv-"
    private let lock: Int32

    /// Makes a folder in another one; nil when it cannot be made.
    init?(in parent: String) {
        var template = Array("\(parent)/\(Self.prefix)XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { return nil }
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        // Somebody who tidies up may have been quicker.
        guard folder >= 0, flock(folder, LOCK_EX | LOCK_NB) == 0, access(path, W_OK) == 0 else {
            if folder >= 0 { close(folder) }
            rmdir(path)
            return nil
        }
        self.path = path
        lock = folder
    }

    deinit {
        close(lock)
    }

    /// Removes the folder and what is left in it.
    func remove() { Self.remove(path) }

    /// Removes the folders that processes which have ended left behind in another one.
    static func removeAbandoned(in parent: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
        for name in names where name.hasPrefix(prefix) && name.utf8.count == prefix.utf8.count + 6 {
            let path = parent + "/" + name
            let folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
            guard folder >= 0 else { continue }
            var status = stat()
            if fstat(folder, &status) == 0, status.st_uid == getuid(), flock(folder, LOCK_EX | LOCK_NB) == 0 {
                remove(path)
            }
            close(folder)
        }
    }

    /// Removes nothing but the socket and, when it is empty then, the folder.
    private static func remove(_ path: String) {
        unlink(path + "/" + socketName)
        rmdir(path)
    }
}
