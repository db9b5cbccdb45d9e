// OpenWatchParty for Swift. See LICENSE.

/// What a key in the terminal asks for.
enum WatchKey: Hashable, Sendable {
    case playOrPause
    case seek(byMs: Int64)
    case offset(byMs: Int64)
    case resetOffset
    case acceptMismatch
    case toggleControl
    case help
    case quit

    /// The keys, for people.
    static let list = """
        space  play or pause          ←  →  10 s back or on     ↑  ↓  a minute on or back
        , .    offset by 100 ms       < >   offset by 1 s       0     no offset
        a      take the declined copy c     who controls (host) q     leave
        """
}

/// Reads keys from the bytes a terminal sends.
struct WatchKeyReader: Sendable {
    private var escape: [UInt8] = []

    /// Takes a byte; answers with the key it completes, when it does.
    mutating func take(_ byte: UInt8) -> WatchKey? {
        switch (escape, byte) {
        case ([], 0x1B):
            escape = [byte]
            return nil
        case ([0x1B], UInt8(ascii: "[")), ([0x1B], UInt8(ascii: "O")):
            escape.append(byte)
            return nil
        case ([], _): return Self.plain(byte)
        case (let begun, _) where begun.count >= 2:
            // Parameters make it another key, such as an arrow with shift.
            guard (0x40...0x7E).contains(byte) else {
                if begun.count == 2 { escape.append(byte) }
                return nil
            }
            escape = []
            return begun.count == 2 ? Self.arrow(byte) : nil
        default:
            escape = []
            return Self.plain(byte)
        }
    }

    private static func arrow(_ byte: UInt8) -> WatchKey? {
        switch byte {
        case UInt8(ascii: "A"): .seek(byMs: 60_000)
        case UInt8(ascii: "B"): .seek(byMs: -60_000)
        case UInt8(ascii: "C"): .seek(byMs: 10_000)
        case UInt8(ascii: "D"): .seek(byMs: -10_000)
        default: nil
        }
    }

    private static func plain(_ byte: UInt8) -> WatchKey? {
        switch byte {
        case UInt8(ascii: " "), UInt8(ascii: "p"): .playOrPause
        case UInt8(ascii: ","): .offset(byMs: -100)
        case UInt8(ascii: "."): .offset(byMs: 100)
        case UInt8(ascii: "<"): .offset(byMs: -1000)
        case UInt8(ascii: ">"): .offset(byMs: 1000)
        case UInt8(ascii: "0"): .resetOffset
        case UInt8(ascii: "a"): .acceptMismatch
        case UInt8(ascii: "c"): .toggleControl
        case UInt8(ascii: "h"), UInt8(ascii: "?"): .help
        case UInt8(ascii: "q"): .quit
        default: nil
        }
    }
}
