// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPWire

/// Where a trace can run.
package enum TraceRun: String, CaseIterable, Sendable {
    /// On the machine alone.
    case machine
    /// Through `WatchParty`, with a fake relay.
    case facade
}

/// Runs a trace of a whole party in virtual time (sections 3–15).
///
/// - Parameters:
///   - item: The trace.
///   - run: Where.
/// - Returns: A line for each difference, none when the trace goes as it must.
/// - Throws: ``TableError`` when the trace is faulty.
@MainActor
package func partyTrace(_ item: TableCase, on run: TraceRun) async throws -> [String] {
    let trace = try Trace(item.given.object("trace"), beginnings: try item.given.value("beginnings") ?? [:])
    let stage: any TraceStage =
        switch run {
        case .machine: try MachineStage(trace.given)
        case .facade: try FacadeStage(trace.given)
        }
    var playback = TracePlayback(trace, on: stage)
    return try await playback.play()
}

/// Runs a trace in both ways.
@MainActor
func partyTrace(_ item: TableCase) async throws -> [String] {
    var lines: [String] = []
    for run in TraceRun.allCases {
        lines += try await partyTrace(item, on: run).map { "\(run.rawValue): \($0)" }
    }
    return lines
}
