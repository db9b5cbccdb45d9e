// OpenWatchParty for Swift. See LICENSE.

// Explores the states of a relay's room. Usage: explore-relay [STATES], a million each by default.

import Foundation
import OWPExploration

let limit = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 1_000_000
var failed = false

func describe(_ fault: RoomExplorer.Fault) {
    print("  \(fault.invariant), after:")
    for event in fault.events { print("    \(event)") }
}

for size in [2, 3] {
    let start = ContinuousClock.now
    var explorer = RoomExplorer(size: size, limit: limit)
    let outcome = explorer.run()
    let seconds = (ContinuousClock.now - start).components.seconds
    print(
        """
        \(size) participants: \(outcome.states) distinct states and \(outcome.steps) steps, \
        up to \(outcome.depth) events deep, in \(seconds) s
        """
    )
    if let fault = outcome.fault {
        describe(fault)
        failed = true
    } else if outcome.states < limit {
        print("  fewer states than the \(limit) asked for")
        failed = true
    }
}
for planted in PlantedFault.allCases {
    var explorer = RoomExplorer(size: 2, limit: limit, times: planted.times)
    let outcome = explorer.run()
    if let fault = outcome.fault {
        print("planted fault '\(planted.rawValue)' found after \(outcome.states) states")
        describe(fault)
    } else {
        print("planted fault '\(planted.rawValue)' NOT found in \(outcome.states) states")
        failed = true
    }
}
exit(failed ? 1 : 0)
