// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OWPRelay
import OWPWire
import OpenWatchParty
import Testing

@testable import OWPPlayerMPV

/// FR-27 as it was reported: a party, its relay and its player, while mpv floods its socket.
extension FakeMPVTests {
    @Test("FR-27: ten seconds of a thousand positions a second delay neither mpv, nor commands, nor the party")
    func partyInFlood() async throws {
        let mpv = FloodingMPV()
        let relay = try EmbeddedRelay.start()
        let wire = WireLog()
        let party = try WatchParty<String>(
            relays: Relays.at(relay.baseURL),
            client: "test/1",
            name: "Anna",
            connect: { LoggedConnection(try await urlSessionConnect($0), wire) }
        )
        mpv.fake.listen(sendBuffer: 65_536)
        let player = try await MPVPlayer.attach(to: mpv.fake.path)
        player.onChange = { party.playerChanged() }
        mpv.fake.sayLoaded()
        #expect(await eventually { player.firstFrameShown })
        let opened = monotonicMs()
        _ = try await party.create()
        try party.setMedia(Media(kind: .video, title: "Flood", durationMs: 600_000), ref: "x")
        party.attachPlayer(player, ref: "x")
        #expect(await eventually { party.state.me?.player == .ready })
        try party.play()
        #expect(await eventually { party.state.room?.phase == .playing && !player.paused })

        let machine = Lateness()
        mpv.flood(forMs: 10_000)
        var asked = 0
        while !mpv.hasFlooded {
            asked += 1
            let name = JSONValue.string("p\(asked)")
            #expect(try await player.request(["get_property", name]) == name)
            if asked % 40 == 0 { try party.setRate(asked % 80 == 0 ? 1 : 1.25) }
            if asked % 150 == 0 { try party.seek(to: Int64(asked) * 100) }
            await pass(ms: 25)
        }
        let lateMs = machine.stop()
        print(
            "FR-27: the longest write took \(Int(mpv.longestWriteMs)) ms, the machine was up to \(Int(lateMs)) ms late"
        )
        #expect(asked > 200)
        #expect(mpv.lines >= 9000)
        #expect(mpv.longestWriteMs < 100 + lateMs)
        #expect(party.state.connection == .connected)
        #expect(party.state.room?.phase == .playing)

        // Section 5: at 0, 500 and 1000 ms after the open, and then at every multiple of 5 s.
        let pings = wire.times(of: "ping")
        let first = try #require(pings.first)
        #expect(first - opened < 1000 + lateMs)
        for (ping, due) in zip(pings, [0.0, 500, 1000, 5000, 10_000]) {
            #expect((-5...100 + lateMs).contains(ping - first - due), "a ping due at \(due) left at \(ping - first)")
        }
        #expect(pings.count >= 5)
        let statuses = wire.times(of: "status")
        for time in statuses { #expect(statuses.filter { (time..<time + 990).contains($0) }.count <= 4) }
        await party.close().value
        await player.close()
        relay.stop()
    }

    @Test("FR-27: positions that nobody takes are one, and what else came keeps its order")
    func inbox() {
        let inbox = NoticeInbox()
        for index in 0..<100_000 {
            let position = MPVNotice.property(.position, .number(Double(index)))
            #expect(inbox.put([TimedNotice(notice: position, atMs: 0)]) == (index == 0))
        }
        _ = inbox.put([TimedNotice(notice: .seek, atMs: 0)])
        _ = inbox.put([TimedNotice(notice: .property(.position, 7), atMs: 0)])
        let taken = inbox.take()
        #expect(!taken.ended)
        #expect(taken.0.map(\.notice) == [.property(.position, 99_999), .seek, .property(.position, 7)])
    }
}

/// An mpv that plays, and says where it is a thousand times a second.
private final class FloodingMPV: @unchecked Sendable {  // `lock` guards what changes.
    /// What listens; it does as it is told.
    private(set) lazy var fake = FakeMPV { [unowned self] fake, request in obey(fake, request) }

    private let lock = NSLock()
    private var plays = false
    private var speed = 1.0
    private var origin = (seconds: 0.0, atMs: monotonicMs())
    private var longest = 0.0
    private var written = 0
    private var isDone = false

    var longestWriteMs: Double { lock.withLock { longest } }
    var lines: Int { lock.withLock { written } }
    var hasFlooded: Bool { lock.withLock { isDone } }

    /// Floods for a time, on a thread of its own.
    func flood(forMs durationMs: Int) {
        let fake = fake
        Thread { [self] in
            let start = monotonicMs()
            for index in 0..<durationMs {
                while monotonicMs() < start + Double(index) { usleep(200) }
                let before = monotonicMs()
                fake.say("time-pos", "\(lock.withLock { position })")
                let took = monotonicMs() - before
                lock.withLock { (longest, written) = (max(longest, took), written + 1) }
            }
            lock.withLock { isDone = true }
        }.start()
    }

    private var position: Double {
        plays ? origin.seconds + (monotonicMs() - origin.atMs) / 1000 * speed : origin.seconds
    }

    private func obey(_ fake: FakeMPV, _ request: FakeMPV.Request) {
        if request.name == "get_property", case .string(let name) = request.words[1] {
            return fake.say(#"{"request_id":\#(request.id),"error":"success","data":"\#(name)"}"#)
        }
        lock.withLock {
            origin = (position, monotonicMs())
            switch (request.name, request.words.dropFirst().first, request.words.last) {
            case ("set_property", "pause", .bool(let paused)): plays = !paused
            case ("set_property", "speed", .number(let value)): speed = value
            case ("seek", .number(let target), _): origin.seconds = target
            default: break
            }
        }
        fake.obey(request)
        if request.name == "set_property", request.words[1] == "pause" {
            fake.say("core-idle", request.words[2] == true ? "true" : "false")
        }
    }
}

/// How late this machine wakes a thread, whatever the main actor does: what no program could do better.
private final class Lateness: @unchecked Sendable {  // `lock` guards what changes.
    private let lock = NSLock()
    private var worstMs = 0.0
    private var isStopped = false

    init() {
        Thread { [self] in
            while !lock.withLock({ isStopped }) {
                let due = monotonicMs() + 10
                usleep(10_000)
                lock.withLock { worstMs = max(worstMs, monotonicMs() - due) }
            }
        }.start()
    }

    /// Ends the measurement; answers with the largest lateness in ms.
    func stop() -> Double {
        lock.withLock {
            isStopped = true
            return worstMs
        }
    }
}

/// When the party sent what.
@MainActor
private final class WireLog {
    private var sent: [(type: JSONValue?, atMs: Double)] = []

    func add(_ text: String) {
        sent.append(((try? JSONValue(parsing: text))?["type"], monotonicMs()))
    }

    func times(of type: String) -> [Double] { sent.filter { $0.type == .string(type) }.map(\.atMs) }
}

/// A connection whose messages are noted as they leave.
@MainActor
private final class LoggedConnection: WebSocketConnection {
    private let connection: any WebSocketConnection
    private let log: WireLog

    init(_ connection: any WebSocketConnection, _ log: WireLog) {
        (self.connection, self.log) = (connection, log)
    }

    var closeCode: Int? { connection.closeCode }
    func receive() async throws -> String { try await connection.receive() }
    func send(_ text: String) async throws {
        log.add(text)
        try await connection.send(text)
    }
    func close(code: Int) { connection.close(code: code) }
}
