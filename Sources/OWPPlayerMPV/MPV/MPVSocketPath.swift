// OpenWatchParty for Swift. See LICENSE.

import Foundation

/// Where mpv listens: a path in a folder of our own, or one that was asked for.
struct MPVSocketPath: Sendable {
    /// The socket's path.
    let path: String
    /// The folder that was made for it, to be removed afterwards.
    private let folder: String?

    /// The longest path that every system's socket address has room for, in bytes.
    private static let longest = 100

    /// Makes a private folder under `XDG_RUNTIME_DIR`, or under the cache folder where there is none.
    init() throws(MPVError) {
        let environment = ProcessInfo.processInfo.environment
        let home = environment["HOME"] ?? NSHomeDirectory()
        let cache = environment["XDG_CACHE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home + "/.cache"
        let runtime = environment["XDG_RUNTIME_DIR"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        // A folder below the temporary one only where the others are too deep for a socket, or cannot be written.
        for parent in [runtime, cache + "/owp", "/tmp"].compactMap({ $0 }) {
            try? FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
            var template = Array("\(parent)/owp-XXXXXX".utf8CString)
            guard template.count + 10 < Self.longest, mkdtemp(&template) != nil else { continue }
            let folder = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
            self.folder = folder
            path = folder + "/mpv.sock"
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
        unlink(path)
        if let folder { rmdir(folder) }
    }
}
