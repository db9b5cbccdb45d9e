// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPWire

/// Why saved rooms cannot be restored, in one line without anything of their contents.
struct StateError: Error, Hashable, Sendable, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

// A room on disk. Tokens are there as digests only, and who is connected is not: after a restart nobody is.

extension RelayRoom {
    /// The room as one line of the state file.
    ///
    /// Written without values in between: a busy relay saves every room each second.
    var saved: String {
        JSONWriter.object { writer in
            writer.string("code", code)
            writer.int("createdAtMs", createdAtMs)
            writer.int("rev", rev)
            writer.int("epoch", epoch)
            writer.string("phase", phase.rawValue)
            writer.int("positionMs", positionMs)
            writer.int("atMs", atMs)
            writer.name("rate")
            writer.number(rate)
            writer.string("control", control.rawValue)
            writer.bool("locked", isLocked)
            writer.name("media")
            if let media { writer.media(media) } else { writer.null() }
            writer.int("host", hostNumber)
            writer.int("hostSinceMs", hostSinceMs)
            writer.int("next", nextNumber)
            writer.bool("started", hasStarted)
            writer.int("startedAtMs", startedAtMs)
            writer.int("waitingSinceMs", waitingSinceMs)
            writer.name("members")
            writer.array { writer in for member in members { member.save(&writer) } }
        }
    }

    /// Restores a room; everyone is disconnected from now on.
    ///
    /// - Parameters:
    ///   - saved: The JSON of what ``saved`` gave, or anything else.
    ///   - times: How long the room waits for what.
    ///   - largestMembers: How many participants it takes.
    ///   - nowMs: The relay time.
    /// - Throws: ``StateError`` for what no relay has saved.
    init(
        restoring saved: JSONValue,
        times: RoomTimes,
        largestMembers: Int,
        at nowMs: Int64
    ) throws(StateError) {
        let code = try saved.string("code")
        guard isRoomCode(code) else { throw StateError("a code is none") }
        guard case .array(let entries)? = saved["members"], !entries.isEmpty else {
            throw StateError("a room has no participants")
        }
        var members: [RelayMember] = []
        for entry in entries { members.append(try RelayMember(restoring: entry)) }
        self.init(
            code: code,
            createdAtMs: try saved.int("createdAtMs"),
            times: times,
            largestMembers: largestMembers,
            atMs: try saved.int("atMs"),
            members: members,
            hostSinceMs: try saved.int("hostSinceMs")
        )
        rev = try saved.int("rev", in: 1...largestWireInt - 1) + 1
        epoch = try saved.int("epoch")
        phase = try saved.named("phase")
        positionMs = try saved.int("positionMs", in: 0...Constants.largestDurationMs)
        rate = try saved.number("rate", in: 0.5...2)
        control = try saved.named("control")
        isLocked = try saved.flag("locked")
        if let media = saved["media"], media != .null {
            do { self.media = try parseMedia(media) } catch { throw StateError("a room's media is none") }
        }
        hostNumber = try saved.int("host")
        nextNumber = try saved.int("next")
        hasStarted = try saved.flag("started")
        startedAtMs = try saved.int("startedAtMs")
        waitingSinceMs = try saved.int("waitingSinceMs")
        let numbers = members.map(\.number)
        guard numbers.contains(hostNumber), zip(numbers, numbers.dropFirst()).allSatisfy({ $0 < $1 }),
            numbers.allSatisfy({ $0 < nextNumber }), (media == nil) == (phase == .idle)
        else { throw StateError("a room contradicts itself") }
        dropEveryone(at: nowMs)
    }
}

extension RelayMember {
    /// Writes the participant as it stands in the state file.
    func save(_ writer: inout JSONWriter) {
        writer.object { writer in
            writer.int("number", number)
            writer.string("name", name)
            writer.string("client", client)
            writer.string("digest", hexadecimal(tokenDigest))
            writer.string("player", player.rawValue)
            writer.int("offsetMs", offsetMs)
            writer.bool("excused", isExcused)
            writer.bool("late", isLate)
            writer.bool("stalled", hasStalled)
            writer.bool("ready", wasReady)
            if let match {
                writer.string("match", match.state.rawValue)
                writer.int("deltaMs", match.deltaMs)
            }
            writer.int("rttMs", rttMs)
            if let unsettled {
                writer.int("unsettledSinceMs", unsettled.sinceMs)
                writer.bool("unsettledByItself", unsettled.byItself)
            }
        }
    }

    init(restoring saved: JSONValue) throws(StateError) {
        let (name, client) = (try saved.string("name"), try saved.string("client"))
        guard isValidName(name), isValidClient(client) else { throw StateError("a participant's name is none") }
        guard let digest = bytes(hexadecimal: try saved.string("digest")), digest.count == 32 else {
            throw StateError("a token's digest is none")
        }
        self.init(
            number: try saved.int("number", in: 1...1_000_000_000_000),
            name: name,
            client: client,
            tokenDigest: digest,
            connection: nil,
            player: try saved.named("player")
        )
        offsetMs = try saved.int("offsetMs", in: -Constants.largestOffsetMs...Constants.largestOffsetMs)
        isExcused = try saved.flag("excused")
        isLate = try saved.flag("late")
        hasStalled = try saved.flag("stalled")
        wasReady = try saved.flag("ready")
        if saved["match"] != nil {
            let deltaMs = saved["deltaMs"] == nil ? nil : try saved.int("deltaMs", in: -largestWireInt...largestWireInt)
            match = Match(state: try saved.named("match"), deltaMs: deltaMs)
        }
        if saved["rttMs"] != nil { rttMs = try saved.int("rttMs", in: 0...1000) }
        if saved["unsettledSinceMs"] != nil {
            unsettled = Unsettled(
                sinceMs: try saved.int("unsettledSinceMs"),
                byItself: try saved.flag("unsettledByItself")
            )
        }
    }
}

private func hexadecimal(_ bytes: [UInt8]) -> String {
    let digits = Array("0123456789abcdef".utf8)
    return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
}

private func bytes(hexadecimal text: String) -> [UInt8]? {
    let digits = text.utf8.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
    guard digits.count == text.utf8.count, digits.count.isMultiple(of: 2) else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

/// Reading members with their bounds.
extension JSONValue {
    fileprivate func string(_ name: String) throws(StateError) -> String {
        guard case .string(let text)? = self[name] else { throw StateError("\(name) is no text") }
        return text
    }

    fileprivate func flag(_ name: String) throws(StateError) -> Bool {
        guard case .bool(let value)? = self[name] else { throw StateError("\(name) is neither true nor false") }
        return value
    }

    fileprivate func number(_ name: String, in range: ClosedRange<Double>) throws(StateError) -> Double {
        guard case .number(let value)? = self[name], range.contains(value) else {
            throw StateError("\(name) is no number of its range")
        }
        return value
    }

    func int(_ name: String, in range: ClosedRange<Int64> = 0...largestWireInt) throws(StateError) -> Int64 {
        guard let value = self[name]?.wireInt, range.contains(value) else {
            throw StateError("\(name) is no integer of its range")
        }
        return value
    }

    fileprivate func named<Named: RawRepresentable<String>>(_ name: String) throws(StateError) -> Named {
        guard let value = Named(rawValue: try string(name)) else { throw StateError("\(name) has an unknown value") }
        return value
    }
}
