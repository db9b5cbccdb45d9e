// OpenWatchParty for Swift. See LICENSE.

/// The head of an HTTP/1.1 request or answer: its first line and its fields (RFC 7230, section 3).
public struct HTTPHead: Hashable, Sendable {
    /// One header field.
    public struct Field: Hashable, Sendable {
        /// The name as it was sent.
        public let name: String
        /// The value without surrounding blanks; a folded value is joined by one blank.
        public internal(set) var value: String
    }

    /// The first line, without its end.
    public let firstLine: String
    /// The fields, in order.
    public let fields: [Field]
}

extension HTTPHead {
    /// The values of all fields of a name, ignoring the case of ASCII letters.
    public func values(of name: String) -> [String] {
        fields.filter { equalIgnoringCase($0.name, name) }.map { $0.value }
    }

    /// The value of the one field of a name; nil when there is none, or more than one.
    public func value(of name: String) -> String? {
        let values = values(of: name)
        return values.count == 1 ? values[0] : nil
    }

    /// Whether a list of tokens, over all fields of a name, holds a token, ignoring the case of ASCII letters.
    public func hasToken(_ token: String, in name: String) -> Bool {
        values(of: name).contains { value in
            value.utf8.split(separator: UInt8(ascii: ",")).contains { element in
                equalIgnoringCase(String(Substring(trimBlanks(element))), token)
            }
        }
    }

    /// Parses a head, up to and without the empty line that ends it.
    static func parse(_ bytes: ArraySlice<UInt8>) throws(WebSocketError) -> HTTPHead {
        var lines: [ArraySlice<UInt8>] = []
        var rest = bytes
        while let end = rest.firstIndex(of: UInt8(ascii: "\r")) {
            // A CR stands only before a LF, and a LF only after a CR.
            guard end + 1 < rest.endIndex, rest[end + 1] == UInt8(ascii: "\n") else {
                throw WebSocketError(.malformedHead)
            }
            lines.append(rest[..<end])
            rest = rest[(end + 2)...]
        }
        guard rest.isEmpty, let first = lines.first, first.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw WebSocketError(.malformedHead)
        }
        var fields: [Field] = []
        for line in lines.dropFirst() {
            guard line.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == UInt8(ascii: "\t") }) else {
                throw WebSocketError(.malformedHead)
            }
            if let blank = line.first, isBlank(blank) {
                guard let last = fields.indices.last else { throw WebSocketError(.malformedHead) }
                fields[last].value += " " + text(trimBlanks(line))
                continue
            }
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), isToken(line[..<colon]) else {
                throw WebSocketError(.malformedHead)
            }
            fields.append(Field(name: text(line[..<colon]), value: text(trimBlanks(line[(colon + 1)...]))))
        }
        return HTTPHead(firstLine: text(first), fields: fields)
    }
}

/// Gathers the head of a request or an answer from the first bytes of a connection.
public struct HTTPHeadReader: Sendable {
    /// The largest head of the library's own clients and servers, in bytes.
    public static let defaultLimit = 8192

    private let limit: Int
    private var gathered: [UInt8] = []

    /// Makes a reader.
    ///
    /// - Parameter limit: The largest head in bytes, its ending empty line included.
    public init(limit: Int = HTTPHeadReader.defaultLimit) {
        self.limit = limit
    }

    /// Reads on to the end of the head, or of the bytes.
    ///
    /// - Parameters:
    ///   - bytes: What was read from the connection.
    ///   - offset: Where to go on; moved past what was read, and after the head to the first byte of the frames.
    /// - Returns: The head; nil while bytes are missing.
    /// - Throws: ``WebSocketError``: `headTooLarge` as soon as the limit is passed, `malformedHead`.
    public mutating func read(
        _ bytes: UnsafeRawBufferPointer,
        at offset: inout Int
    ) throws(WebSocketError) -> HTTPHead? {
        while offset < bytes.count {
            guard gathered.count < limit else { throw WebSocketError(.headTooLarge) }
            // A line at a time, as far as the limit goes.
            let most = min(bytes.count, offset + limit - gathered.count)
            let lineEnd = bytes[offset..<most].firstIndex(of: UInt8(ascii: "\n"))
            let end = lineEnd.map { $0 + 1 } ?? most
            gathered.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[offset..<end]))
            offset = end
            guard lineEnd != nil else { continue }
            let count = gathered.count
            guard count >= 2, gathered[count - 2] == UInt8(ascii: "\r") else { throw WebSocketError(.malformedHead) }
            if count >= 4, gathered[count - 3] == UInt8(ascii: "\n") {
                let head = try HTTPHead.parse(gathered[..<(count - 2)])
                gathered = []
                return head
            }
        }
        return nil
    }
}

/// Whether two texts are equal when A–Z are taken for a–z.
func equalIgnoringCase(_ left: String, _ right: String) -> Bool {
    func folded(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
    return left.utf8.lazy.map(folded).elementsEqual(right.utf8.lazy.map(folded))
}

/// Whether bytes are a token (RFC 7230, section 3.2.6).
func isToken(_ bytes: ArraySlice<UInt8>) -> Bool {
    !bytes.isEmpty
        && bytes.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"):
                true
            default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
            }
        }
}

private func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

/// Bytes without the blanks at both ends.
private func trimBlanks<Bytes: BidirectionalCollection<UInt8>>(_ bytes: Bytes) -> Bytes.SubSequence
where Bytes.SubSequence: BidirectionalCollection<UInt8> {
    var trimmed = bytes[...]
    while let first = trimmed.first, isBlank(first) { trimmed = trimmed.dropFirst() }
    while let last = trimmed.last, isBlank(last) { trimmed = trimmed.dropLast() }
    return trimmed
}

private func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
