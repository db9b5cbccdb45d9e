// OpenWatchParty for Swift. See LICENSE.

/// Bytes cut into pieces, each in memory of exactly its size, so that a read past its end is found.
public struct Pieces {
    private let bytes: [UInt8]
    private let size: Int
    private var piece: [UInt8]

    /// Prepares pieces of a size; the last may be shorter.
    public init(of bytes: [UInt8], size: Int) {
        self.bytes = bytes
        self.size = size
        piece = [UInt8](repeating: 0, count: min(size, bytes.count))
    }

    /// The piece that begins at a place; its memory is used again where the size allows.
    public mutating func at(_ start: Int) -> [UInt8] {
        let end = min(bytes.count, start + size)
        if end - start == piece.count {
            for index in start..<end { piece[index - start] = bytes[index] }
        } else {
            piece = Array(bytes[start..<end])
        }
        return piece
    }
}
