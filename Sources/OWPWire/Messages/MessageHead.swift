// OpenWatchParty for Swift. See LICENSE.

/// The beginning of a message: its type, and its members from the first on.
struct MessageHead {
    let type: JSONString
    /// The members; one named `type` may be among them and is to be skipped.
    var members: JSONMembers
}

extension JSONReader {
    /// Enters a message and finds its type, wherever it stands.
    mutating func message() throws(ReadFailure) -> MessageHead {
        var members = try object("a message is an object")
        let start = mark
        let fresh = members
        guard let first = try name(of: &members) else { throw .rule("a message has a type") }
        if case "type" = first { return MessageHead(type: try messageType(), members: members) }
        // Seldom: the type stands behind other members. Find it, and come back.
        try skip()
        while let name = try name(of: &members) {
            guard case "type" = name else {
                try skip()
                continue
            }
            let type = try messageType()
            rewind(to: start)
            return MessageHead(type: type, members: fresh)
        }
        throw .rule("a message has a type")
    }

    private mutating func messageType() throws(ReadFailure) -> JSONString {
        try string("type: a string")
    }

    /// Whether the whole text is acceptable JSON.
    mutating func isWellFormed(from start: Mark) -> Bool {
        rewind(to: start)
        do throws(ReadFailure) {
            try skip()
            try end()
            return true
        } catch {
            return false
        }
    }
}
