// OpenWatchParty for Swift. See LICENSE.

import Foundation

/// Where mpv listens: a path in a folder of our own, or one that was asked for.
struct MPVSocketPath: Sendable {
    /// The socket's path.
    let path: String
    /// The folder that was made for it, to be removed afterwards.
    private let folder: OwnFolder?

    /// The longest path that every system's socket address has room for, in bytes.
    private static let longest = 100

    /// Makes a private folder under `XDG_RUNTIME_DIR`, or under the cache folder where there is none.
    ///
    /// What earlier ones left behind there is removed first.
    init() throws(MPVError) {
        let environment = ProcessInfo.processInfo.environment
        let home = environment["HOME"] ?? NSHomeDirectory()
        let cache = environment["XDG_CACHE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home + "/.cache"
        let runtime = environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        // A folder below the temporary one only where the others are too deep for a socket, or cannot be written.
        for parent in [runtime, cache + "/owp", "/tmp"].compactMap({ $0 }) {
            try? FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
            OwnFolder.removeAbandoned(in: parent)
            guard let folder = OwnFolder(in: parent) else { continue }
            let path = folder.path + "/" + OwnFolder.socketName
            guard path.utf8.count < Self.longest else {
                folder.remove()
                continue
            }
            self.folder = folder
            self.path = path
            return
        }
        throw .badSocketPath(cache)
    }

    /// Takes a path that was asked for; a socket left there by a player that has ended is removed.
    init(_ asked: String) throws(MPVError) {
        self.folder = nil
        path = asked
        guard (1..<Self.longest).contains(asked.utf8.count) else { throw .badSocketPath(asked) }
        // In a folder that is missing or may not be written mpv would run on without a socket, and never answer.
        let folder = asked.lastIndex(of: "/").map { asked[...$0] } ?? ""
        guard access(folder + ".", W_OK | X_OK) == 0 else { throw .badSocketPath(asked) }
        var status = stat()
        guard lstat(asked, &status) == 0 else { return }
        guard status.st_mode & S_IFMT == S_IFSOCK else { throw .badSocketPath(asked) }
        // mpv would remove a socket that another one still listens on.
        if (try? UnixSocket(connectingTo: asked)) != nil { throw .socketInUse(asked) }
        unlink(asked)
    }

    /// Removes what is left of it.
    func remove() {
        if let folder { folder.remove() } else { unlink(path) }
    }
}
