// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPTestSupport
import OWPWire
import Testing

@testable import OWPRelay

@Suite("The hub: rooms, sessions and limits")
struct HubTests {
    /// A hub, its clock, and what it asked for last.
    struct Harness {
        var hub: RelayHub
        var nowMs: Int64 = 1000
        var asked: [HubEffect] = []
        private var lastConnection: UInt64 = 0

        init(_ change: (inout RelayConfiguration) -> Void = { _ in }) {
            var configuration = RelayConfiguration()
            change(&configuration)
            hub = RelayHub(configuration, random: SeededRandom(seed: 7))
        }

        mutating func open(from last: UInt8 = 1) -> ConnectionID {
            lastConnection += 1
            let id = ConnectionID(lastConnection)
            hub.opened(id, from: NetworkAddress([127, 0, 0, last]) ?? .unknown, at: nowMs)
            return id
        }

        mutating func send(_ message: ClientMessage, from id: ConnectionID) { send(text: message.text, from: id) }

        mutating func send(text: String, from id: ConnectionID) {
            asked = hub.received(text, from: id, at: nowMs)
        }

        mutating func advance(to targetMs: Int64) {
            asked = []
            while let next = hub.nextTimerMs, next <= targetMs {
                nowMs = max(nowMs, next)
                asked += hub.timersDue(at: nowMs)
            }
            nowMs = targetMs
        }

        /// The code of the room that was just made.
        mutating func create(from id: ConnectionID) -> String? {
            send(.create(name: "A", client: "app/1"), from: id)
            guard case .send(.joined(let joined), _)? = asked.first else { return nil }
            return joined.code
        }

        var errors: [String] {
            asked.compactMap { effect in
                guard case .send(.error(let error), _) = effect else { return nil }
                return error.code
            }
        }

        var closes: [Int] {
            asked.compactMap { if case .close(_, let code) = $0 { code } else { nil } }
        }
    }

    private func join(_ code: String, create: Bool = false) -> ClientMessage {
        .join(code: code, name: "B", client: "app/1", create: create)
    }

    @Test("Codes begin with the relay's prefixes, and differ")
    func codes() {
        var harness = Harness {
            $0.prefixes = "7"
            $0.maxRoomsPerIP = 100
        }
        let codes = (0..<50).compactMap { _ in harness.create(from: harness.open()) }
        #expect(codes.allSatisfy { isRoomCode($0) && $0.hasPrefix("7") })
        #expect(Set(codes).count == 50)
    }

    @Test("Join with create makes a room whose first symbol is the relay's, and only such a one")
    func joinCreates() {
        var harness = Harness { $0.prefixes = "7A" }
        harness.send(join("BBBBBB", create: true), from: harness.open())
        #expect(harness.errors == ["room_not_found"])
        harness.send(join("ABBBBB", create: false), from: harness.open())
        #expect(harness.errors == ["room_not_found"])
        harness.send(join("abb-bbb", create: true), from: harness.open())
        #expect(harness.hub.rooms["ABBBBB"] != nil)
        harness.send(join("ABBBBB", create: true), from: harness.open())
        #expect(harness.hub.rooms["ABBBBB"]?.members.count == 2)
    }

    @Test("In a room, no second one; outside, no commands")
    func inAndOut() {
        var harness = Harness()
        let id = harness.open()
        harness.send(.play, from: id)
        #expect(harness.errors == ["not_in_room"])
        let code = harness.create(from: id) ?? ""
        harness.send(join(code), from: id)
        #expect(harness.errors == ["already_in_room"])
        harness.send(.leave, from: id)
        #expect(harness.hub.rooms.isEmpty)
        #expect(harness.create(from: id) != nil)
    }

    @Test("A malformed message is answered, an unknown type is unsupported")
    func malformed() {
        var harness = Harness()
        let id = harness.open()
        for (text, code, re) in [
            ("[]", "invalid_message", nil), ("{\"type\":5}", "invalid_message", nil),
            ("{\"type\":\"seek\"}", "invalid_message", "seek"), ("{\"type\":\"dance\"}", "unsupported", "dance"),
        ] as [(String, String, String?)] {
            harness.send(text: text, from: id)
            guard case .send(.error(let error), _)? = harness.asked.first else {
                Issue.record("no error for \(text)")
                continue
            }
            #expect((error.code, error.re) == (code, re))
        }
    }

    @Test("Rooms are limited for an address and in all")
    func roomLimits() {
        var harness = Harness { $0.maxRooms = 4 }
        for _ in 0..<3 { #expect(harness.create(from: harness.open()) != nil) }
        let fourth = harness.open()
        #expect(harness.create(from: fourth) == nil)
        #expect(harness.errors == ["rate_limited"])
        #expect(harness.create(from: harness.open(from: 2)) != nil)
        #expect(harness.create(from: harness.open(from: 2)) == nil)
        #expect(harness.errors == ["relay_full"])
        let first = ConnectionID(1)
        harness.send(.leave, from: first)
        #expect(harness.create(from: fourth) != nil)
    }

    @Test("Connections are limited for an address and in all")
    func connectionLimits() {
        var harness = Harness { $0.maxConnections = 12 }
        let here = NetworkAddress([127, 0, 0, 1]) ?? .unknown
        let there = NetworkAddress([127, 0, 0, 2]) ?? .unknown
        let ids = (0..<10).map { _ in harness.open() }
        #expect(harness.hub.refusalStatus(for: here) == 429)
        #expect(harness.hub.refusalStatus(for: there) == nil)
        _ = harness.hub.closed(ids[0], at: harness.nowMs)
        #expect(harness.hub.refusalStatus(for: here) == nil)
        for _ in 0..<3 { _ = harness.open(from: 2) }
        #expect(harness.hub.refusalStatus(for: there) == 503)
    }

    @Test("An IPv6 address counts by its /64, a mapped one as its IPv4 address")
    func addresses() {
        let network: [UInt8] = [0x20, 1, 0xD, 0xB8, 0, 0, 0, 1]
        let one = NetworkAddress(network + [0, 0, 0, 0, 0, 0, 0, 1])
        #expect(one == NetworkAddress(network + [9, 9, 9, 9, 9, 9, 9, 9]))
        #expect(one != NetworkAddress([0x20, 1, 0xD, 0xB8, 0, 0, 0, 2] + [0, 0, 0, 0, 0, 0, 0, 1]))
        let mapped = NetworkAddress([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 10, 0, 0, 1])
        #expect(mapped == NetworkAddress([10, 0, 0, 1]))
        #expect(Sockets.address(parsing: "10.0.0.1") == mapped)
        #expect(Sockets.address(parsing: "10.0.0.1:80") == mapped)
        #expect(Sockets.address(parsing: "[2001:db8:0:1::5]:80") == one)
        #expect(Sockets.address(parsing: "2001:db8:0:1::5") == one)
        #expect(Sockets.address(parsing: "someone") == nil)
    }

    @Test("60 messages at once, then 20 a second; a status is counted but never refused")
    func messageRate() {
        var harness = Harness()
        let id = harness.open()
        for number in 1...60 {
            harness.send(.ping(id: Int64(number)), from: id)
            #expect(harness.errors == [])
        }
        harness.send(.ping(id: 61), from: id)
        #expect(harness.errors == ["rate_limited"])
        harness.send(.status(StatusMessage(epoch: 0, player: .idle, match: nil, offsetMs: 0)), from: id)
        #expect(harness.errors == ["not_in_room"])
        harness.nowMs += 49
        harness.send(.ping(id: 62), from: id)
        #expect(harness.errors == ["rate_limited"])
        harness.nowMs += 1
        harness.send(.ping(id: 63), from: id)
        #expect(harness.errors == [])
        harness.send(.status(StatusMessage(epoch: 0, player: .idle, match: nil, offsetMs: 0)), from: id)
        harness.nowMs += 50
        harness.send(.ping(id: 64), from: id)
        #expect(harness.errors == [])
    }

    @Test("A client that goes on for 10 s is closed with 1008")
    func flood() {
        var harness = Harness()
        let id = harness.open()
        let startMs = harness.nowMs
        while harness.closes.isEmpty, harness.nowMs < startMs + 30_000 {
            harness.nowMs += 10
            harness.send(.ping(id: 1), from: id)
        }
        #expect(harness.closes == [1008])
        #expect((10_500...11_500).contains(harness.nowMs - startMs))
        #expect(harness.hub.sessions.isEmpty)
    }

    @Test("30 failed joins or resumes a minute; the answer then tells nothing of a code")
    func failedJoins() {
        var harness = Harness { $0.maxConnectionsPerIP = 100 }
        let code = harness.create(from: harness.open(from: 2)) ?? ""
        for number in 0..<30 {
            let id = harness.open()
            if number.isMultiple(of: 2) {
                harness.send(join("222222"), from: id)
                #expect(harness.errors == ["room_not_found"])
            } else {
                let token = String(repeating: "x", count: 43)
                harness.send(.resume(code: code, peerId: "p1", token: token), from: id)
                #expect(harness.errors == ["resume_failed"])
            }
        }
        for wanted in ["222222", code] {
            harness.send(join(wanted), from: harness.open())
            #expect(harness.errors == ["rate_limited"])
        }
        harness.send(join(code), from: harness.open(from: 3))
        #expect(harness.errors == [])
        harness.nowMs += 2000
        harness.send(join(code), from: harness.open())
        #expect(harness.errors == [])
    }

    @Test("A blocked app is refused on every way in")
    func blocked() {
        var harness = Harness { $0.blockedClients = ["bad"] }
        harness.send(.create(name: "A", client: "bad/2"), from: harness.open())
        #expect(harness.errors == ["client_blocked"])
        harness.send(.join(code: "222222", name: "A", client: "bad/2", create: true), from: harness.open())
        #expect(harness.errors == ["client_blocked"])
        harness.send(.create(name: "A", client: "badly/2"), from: harness.open())
        #expect(harness.errors == [])
    }

    @Test("30 s without any message, or without joining, close a connection")
    func silence() {
        var harness = Harness()
        let roomless = harness.open()
        let member = harness.open()
        _ = harness.create(from: member)
        harness.nowMs += 20_000
        harness.send(.ping(id: 1), from: roomless)
        harness.send(.ping(id: 1), from: member)
        harness.advance(to: 31_000 - 1)
        #expect(harness.closes == [])
        harness.advance(to: 31_000)
        #expect(harness.asked == [.close(roomless, code: 1008)])
        harness.advance(to: 50_999)
        #expect(harness.closes == [])
        harness.advance(to: 51_000)
        #expect(harness.closes == [1008])
        #expect(harness.hub.rooms.first?.value.members[0].isConnected == false)
    }

    @Test("After closed a connection is left open 5 s, and may join again")
    func dismissal() {
        var harness = Harness()
        let host = harness.open()
        let code = harness.create(from: host) ?? ""
        let guest = harness.open()
        harness.send(join(code), from: guest)
        harness.send(.kick(peerId: "p2"), from: host)
        harness.send(join(code), from: guest)
        #expect(harness.errors == [])
        harness.advance(to: 10_000)
        #expect(harness.closes == [])
        harness.send(.end, from: host)
        harness.send(.ping(id: 1), from: guest)
        harness.advance(to: 14_999)
        #expect(harness.closes == [])
        harness.advance(to: 15_000)
        #expect(harness.closes == [1000, 1000])
    }

    @Test("Deadlines that count no more take no room, and the others come out in order")
    func deadlines() {
        var queue = DeadlineQueue<Int>()
        for key in 0..<10 { queue.set(key, dueMs: 1_000_000) }
        for dueMs in (1...100_000).reversed() { queue.set(dueMs % 10, dueMs: Int64(dueMs)) }
        for key in 100..<10_000 {
            queue.set(key, dueMs: 86_400_000)
            queue.set(key, dueMs: nil)
        }
        #expect(queue.entryCount < 200)
        var order: [Int] = []
        while let key = queue.next(at: 100) { order.append(key) }
        #expect(order == [1, 2, 3, 4, 5, 6, 7, 8, 9, 0])
        #expect(queue.next(at: .max) == nil)
    }
}
