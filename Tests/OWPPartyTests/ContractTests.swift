// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPParty
import OWPSync
import OWPWire
import Testing

@Suite("The machine's contract with its driver")
struct ContractTests {
    @Test("whatever happens, calls end once, lanes run one command, nothing is sent on a closed connection")
    func random() throws {
        var reached: Set<Connection> = []
        for seed in 1...100 {
            var contract = try Contract(seed: UInt64(seed))
            for _ in 0..<300 where contract.breaches.isEmpty {
                contract.act()
                reached.insert(contract.machine.state.connection)
            }
            contract.drain()
            #expect(contract.breaches.isEmpty, "seed \(seed): \(contract.breaches.first ?? "")")
        }
        #expect(reached == Set(Connection.allCases))
    }

    @Test("pings leave at the open + 0, 500, 1000, 5000 and then every 5000 ms (section 5)")
    func pings() throws {
        var stage = try Stage()
        stage.take(.create(1, onlyRelay))
        stage.advance(to: 70)
        stage.take(.opened(1))
        stage.receive(.joined(.sample(epoch: 0, phase: .idle)))
        stage.advance(to: 20_100)
        let times = stage.log.compactMap { if case .send(_, .ping) = $0.effect { $0.atMs } else { nil } }
        #expect(times == [0, 500, 1000, 5000, 10_000, 15_000, 20_000].map { $0 + 70 })
    }

    @Test("FR-15: an attempt that is answered just before the window's end resumes (section 14)")
    func lastAttempt() throws {
        var stage = try Stage.inRoom(.sample(guestAndHost), .sample())
        stage.opens = .refused
        stage.take(.ended(1, closeCode: nil, nil))
        stage.advance(to: 299_624)
        stage.opens = .byHand
        stage.advance(to: 299_700)
        stage.take(.opened(54))
        stage.receive(.joined(.sample(guestAndHost)), on: 54)
        stage.advance(to: 300_001)
        #expect(stage.machine.state.connection == .connected)
    }

    @Test("a start weeks away is waited for by one timer of its whole length (sections 2 and 11.2)")
    func longTimer() throws {
        let room = Room.sample(phase: .playing, positionMs: 0, atMs: 1_000_000 + 3_000_000_000, guestAndHost)
        let stage = try Stage.following(room)
        #expect(stage.log.contains { $0.effect == .startTimer(.play, afterMs: 3_000_000_000 - 500) })
        #expect(!stage.commands().contains(.play))
    }

    @Test("the driver may forget what the machine no longer names")
    func inUse() throws {
        var stage = try Stage.inRoom(.sample(epoch: 0, phase: .idle))
        #expect(stage.machine.candidatesInUse.isEmpty)
        #expect(stage.machine.refsInUse.isEmpty)
        stage.players[1] = StagePlayer()
        stage.take(.attachPlayer(1, 3))
        stage.take(.setMedia(.sample(), 9, 5, positionMs: 0))
        #expect(stage.machine.candidatesInUse == [9])
        #expect(stage.machine.refsInUse == [3, 5])
        stage.take(.leave)
        #expect(stage.machine.candidatesInUse.isEmpty)
        #expect(stage.machine.refsInUse.isEmpty)
    }
}
