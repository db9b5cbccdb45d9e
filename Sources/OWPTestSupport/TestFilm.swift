// OpenWatchParty for Swift. See LICENSE.

import Foundation

/// Writes a short film without sound, 25 frames a second, each of one grey; no other program is needed for it.
///
/// - Parameters:
///   - path: Where to; the name should end in `.y4m`.
///   - seconds: How long it is to be.
/// - Throws: What the system says when it cannot be written.
package func writeTestFilm(_ path: String, seconds: Int) throws {
    let (width, height) = (32, 16)
    var bytes = Array("YUV4MPEG2 W\(width) H\(height) F25:1 Ip A1:1 C420jpeg\n".utf8)
    for frame in 0..<seconds * 25 {
        bytes += Array("FRAME\n".utf8)
        bytes += [UInt8](repeating: UInt8(truncatingIfNeeded: frame), count: width * height)
        bytes += [UInt8](repeating: 128, count: width * height / 2)
    }
    try Data(bytes).write(to: URL(fileURLWithPath: path))
}
