// OpenWatchParty for Swift. See LICENSE.

import OWPExploration
import Testing

@Suite("The room, explored")
struct RoomExplorerTests {
    @Test("No state breaks an invariant", arguments: [1, 2, 3])
    func sound(size: Int) {
        var explorer = RoomExplorer(size: size, limit: 4000)
        let outcome = explorer.run()
        #expect(outcome.fault == nil, "\(String(describing: outcome.fault))")
        #expect(outcome.states >= 4000)
    }

    @Test("Each planted fault is found", arguments: PlantedFault.allCases)
    func planted(fault: PlantedFault) {
        var explorer = RoomExplorer(size: 2, limit: 20_000, times: fault.times)
        #expect(explorer.run().fault != nil)
    }
}
