// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPParty
import Testing

@Suite("The relay list (section 3)")
struct RelayDirectoryTests {
    static let url = "https://openwatch.party/relays.json"
    static let valid =
        #"{"relays":[{"id":"b","name":"B","url":"wss://b.example/v1/ws","prefixes":"23","new":1}],"more":[]}"#

    @Test("a forced refresh is one GET, aborted after 5 s; a valid list replaces the old one (sections 3.3 and 3.4)")
    func forced() {
        var directory = RelayDirectory(list: [relayA])
        #expect(directory.refresh(waiter: 1) == [.get(1, url: Self.url), .startTimer(1, afterMs: 5000)])
        #expect(directory.refresh(waiter: 2) == [], "two at once share one GET")
        #expect(
            directory.got(1, Self.valid, atLocalMs: 10) == [
                .cancelTimer(1), .finish(waiter: 1, true), .finish(waiter: 2, true),
            ]
        )
        #expect(directory.list == [Relay(id: "b", name: "B", url: "wss://b.example/v1/ws", prefixes: "23")])
        #expect(directory.relay(forTypedCode: " 2bc-def")?.id == "b")
        #expect(directory.relay(forTypedCode: "4BCDEF") == nil)
        #expect(directory.relay(forTypedCode: "2B") == nil)
    }

    @Test("an invalid list, a long body, a failure and a timeout change nothing (sections 3.2 to 3.4)")
    func failing() {
        var directory = RelayDirectory(list: [relayA])
        _ = directory.refresh(waiter: 1)
        #expect(directory.got(1, #"{"relays":[]}"#, atLocalMs: 0) == [.cancelTimer(1), .finish(waiter: 1, false)])
        _ = directory.refresh(waiter: 2)
        let long = Self.valid + String(repeating: " ", count: 65_537 - Self.valid.utf8.count)
        #expect(directory.got(2, long, atLocalMs: 0) == [.cancelTimer(2), .finish(waiter: 2, false)])
        _ = directory.refresh(waiter: 3)
        #expect(directory.getFailed(3) == [.cancelTimer(3), .finish(waiter: 3, false)])
        _ = directory.refresh(waiter: 4)
        #expect(directory.timedOut(4) == [.cancelGet(4), .finish(waiter: 4, false)])
        #expect(directory.got(4, Self.valid, atLocalMs: 0) == [], "a late answer is dropped")
        #expect(directory.getFailed(4) == [], "and so is a late failure")
        #expect(directory.timedOut(3) == [], "or a late timer")
        #expect(directory.list == [relayA])
        _ = directory.refresh(waiter: 5)
        #expect(directory.got(5, String(long.dropLast()), atLocalMs: 0).last == .finish(waiter: 5, true))
    }

    @Test("joined refreshes in the background: without a success yet, or 24 h after it, one at a time (section 3.3)")
    func background() {
        var directory = RelayDirectory(list: [relayA])
        #expect(directory.joined(atLocalMs: 0) == [.get(1, url: Self.url), .startTimer(1, afterMs: 5000)])
        #expect(directory.joined(atLocalMs: 1) == [])
        #expect(directory.getFailed(1) == [.cancelTimer(1)])
        #expect(directory.joined(atLocalMs: 2).first == .get(2, url: Self.url), "failed refreshes do not count")
        #expect(directory.got(2, Self.valid, atLocalMs: 1000) == [.cancelTimer(2)])
        #expect(directory.joined(atLocalMs: 1000 + 86_399_999) == [])
        #expect(directory.joined(atLocalMs: 1000 + 86_400_000).first == .get(3, url: Self.url))
    }

    @Test("one self-hosted relay fetches nothing; its refresh is true (section 3.1)")
    func only() {
        var directory = RelayDirectory(only: relayA)
        #expect(directory.joined(atLocalMs: 0) == [])
        #expect(directory.refresh(waiter: 1) == [.finish(waiter: 1, true)])
    }
}
