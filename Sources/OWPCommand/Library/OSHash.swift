// OpenWatchParty for Swift. See LICENSE.

import Foundation

/// The OpenSubtitles hash of a file: its size plus the little-endian 64-bit words of its first and last 64 KiB.
///
/// Only those two places are read, however large the file is. The sum wraps around, so it always has 16 digits.
///
/// - Parameter path: The file's path.
/// - Returns: 16 lower-case hexadecimal digits; nil for a file of less than 64 KiB, for one that is no regular file or
///   cannot be read, and for one that changes meanwhile.
package func oshash(ofFile path: String) -> String? {
    let block = 65_536
    guard let before = FileFacts(path: path), before.sizeBytes >= Int64(block),
        let handle = FileHandle(forReadingAtPath: path)
    else { return nil }
    defer { try? handle.close() }
    var sum = UInt64(before.sizeBytes)
    for offset in [0, before.sizeBytes - Int64(block)] {
        guard (try? handle.seek(toOffset: UInt64(offset))) != nil, let bytes = read(block, from: handle) else {
            return nil
        }
        bytes.withUnsafeBytes { raw in
            for start in stride(from: 0, to: block, by: 8) {
                sum &+= UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: start, as: UInt64.self))
            }
        }
    }
    guard FileFacts(path: path) == before else { return nil }
    let digits = String(sum, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
}

/// Reads exactly so many bytes, or nothing.
private func read(_ count: Int, from handle: FileHandle) -> Data? {
    var bytes = Data()
    while bytes.count < count {
        guard let more = try? handle.read(upToCount: count - bytes.count), !more.isEmpty else { return nil }
        bytes.append(more)
    }
    return bytes
}

/// What the system says of a regular file; unequal once the file has been written to.
struct FileFacts: Hashable, Sendable {
    /// The size in bytes.
    let sizeBytes: Int64
    private let changedS: Int
    private let changedNs: Int

    /// Looks at a path, through links; nil when there is no regular file.
    init?(path: String) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        sizeBytes = Int64(status.st_size)
        #if canImport(Darwin)
            (changedS, changedNs) = (status.st_mtimespec.tv_sec, status.st_mtimespec.tv_nsec)
        #else
            (changedS, changedNs) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
        #endif
    }
}
