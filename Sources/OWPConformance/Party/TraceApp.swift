// OpenWatchParty for Swift. See LICENSE.

import OWPCore

/// What the party calls of a trace's app: its parts wait until the trace answers, also when they are cancelled.
@MainActor
final class TraceApp {
    weak var stage: FacadeStage?

    func resolve(_ media: Media) async throws -> [Candidate<String>] { try await stage?.wait(for: media) ?? [] }
    func probe(_ id: String) async throws -> Int64? { try await stage?.wait(forProbe: id) }
    func get(_ url: String) async throws -> String { try await stage?.wait(forURL: url) ?? "" }
}

/// Draws the numbers that a trace gives.
@MainActor
final class TraceRandom: @preconcurrency RandomNumberGenerator {
    private let world: TraceWorld

    init(world: TraceWorld) { self.world = world }

    // `Double.random(in: 0..<1, using:)` takes the low 53 bits as the fraction.
    func next() -> UInt64 { UInt64(world.draw() * 0x1p53) }
}
