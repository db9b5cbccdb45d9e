// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPTestSupport
import Testing

@testable import OpenWatchParty

@Suite("One connection", .serialized)
@MainActor
final class LinkTests {
    let clock = VirtualClock(nowMs: 0)
    let relay: FakeRelay
    var log: [String] = []

    init() { relay = FakeRelay(clock: clock) }

    func link() -> Link {
        Link(to: "ws://relay/v1/ws", connect: relay.connect, work: Work(clock: clock)) { [unowned self] in
            if case .ended(let code, _) = $0 { log.append("ended \(code ?? 0)") } else { log.append("\($0)") }
        }
    }

    @Test("It reports its opening, every text in order, and its end with the peer's status")
    func reports() async {
        _ = link()
        await clock.settle()
        for text in ["a", "", "b"] { relay.connections[0].push(text) }
        relay.connections[0].drop(code: 4000)
        await clock.settle()
        #expect(log == ["opened", "message(\"a\")", "message(\"\")", "message(\"b\")", "ended 4000"])
    }

    @Test("Texts keep their order, and a close comes after them, also when sending is stuck")
    func order() async {
        let link = link()
        await clock.settle()
        let connection = relay.connections[0]
        connection.holdsSends = true
        for number in 0..<50 { link.send("\(number)") }
        link.close(code: 1000)
        link.send("too late")
        await clock.settle()
        #expect(connection.sent == (0..<50).map(String.init))
        #expect(connection.closedWith == 1000)
        #expect(log == ["opened"])
    }

    @Test("Closed while it opens, it stops, and a connect that ignores its cancellation is closed with 1000")
    func closedWhileOpening() async {
        relay.opening = { _ in .hangs }
        let hanging = link()
        await clock.settle()
        hanging.close(code: 1000)
        await clock.settle()

        let gate = Gate<Void>(on: clock, heedsCancellation: false)
        let late = Link(
            to: "ws://relay/v1/ws",
            connect: { [relay] url in
                try await gate.wait()
                relay.opening = { _ in .opens(afterMs: 0) }
                return try await relay.connect(url)
            },
            work: Work(clock: clock)
        ) { [unowned self] in log.append("\($0)") }
        await clock.settle()
        late.close(code: 1000)
        gate.open()
        await clock.settle()
        #expect(relay.connections.map(\.closedWith) == [1000])
        #expect(log.isEmpty)
    }

    @Test("A refused connection is reported with its error")
    func refused() async {
        relay.opening = { _ in .fails(afterMs: 20) }
        _ = link()
        await clock.advance(by: 19)
        #expect(log.isEmpty)
        await clock.advance(by: 1)
        #expect(log.count == 1)
        #expect(log[0].contains("Refused"))
    }
}
