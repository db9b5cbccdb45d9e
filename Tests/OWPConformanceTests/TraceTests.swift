// OpenWatchParty for Swift. See LICENSE.

import OWPConformance
import OWPCore
import OWPWire
import Testing

@MainActor
@Suite("The runner of traces (section 17)")
struct TraceTests {
    /// What running a trace's steps gives, after the beginning `asking`: a party that asked to join.
    private func run(
        _ steps: String...,
        given: String = "{}",
        begin: String = "asking",
        on run: TraceRun = .machine
    ) async throws -> [String] {
        let beginnings = """
            {"asking": {"steps": [
              {"call": "join", "code": "K7MQ2X", "opened": ["relay1"], "state": {"connection": "connecting"}},
              {"opens": "relay1", "sent": {"relay1": [
                {"type": "join", "code": "K7MQ2X", "name": "Anna", "client": "Test/1.0"}]}}]}}
            """
        let trace = #"{"begin": "\#(begin)", "given": \#(given), "steps": [\#(steps.joined(separator: ","))]}"#
        let both = #"{"trace": \#(trace), "beginnings": \#(beginnings)}"#
        let given = try CaseInput(JSONValue(parsing: both), path: "given")
        return try await partyTrace(TableCase(name: "a trace", given: given, expect: .null), on: run)
    }

    private let joined = """
        {"joined": {"epoch": 0, "phase": "idle"}, "returns": {"join": "done"},
         "sent": {"relay1": [
           {"type": "status", "epoch": 0, "player": "idle", "match": null, "offsetMs": 0, "rttMs": 0}]},
         "state": {"connection": "connected", "peerId": "a1", "room": 1}}
        """

    @Test("A trace that goes as it says has no differences", arguments: TraceRun.allCases)
    func right(run: TraceRun) async throws {
        #expect(try await self.run(joined, #"{"wait": 14000}"#, on: run) == [])
    }

    @Test(
        "What is missing, what is too much and what is otherwise is named with its step",
        arguments: TraceRun.allCases
    )
    func wrong(run: TraceRun) async throws {
        let missing = joined.replacing(
            #""returns": {"join": "done"},"#,
            with: #""returns": {"join": "done"}, "probed": ["x"],"#
        )
        #expect(
            try await self.run(missing, on: run) == [
                #"step 3 (joined), at 0 ms: probed: expected ["x"], got nothing"#
            ]
        )
        let extra = joined.replacing(#""returns": {"join": "done"},"#, with: "")
        #expect(
            try await self.run(extra, on: run) == [
                #"step 3 (joined), at 0 ms: returns: expected nothing, got {"join":"done"}"#
            ]
        )
        let other = joined.replacing(#""match": null, "#, with: "")
        #expect(
            try await self.run(other, on: run) == [
                "step 3 (joined), at 0 ms: sent.relay1[0].match: expected nothing, got null"
            ]
        )
    }

    @Test("What comes before the end of a wait is too early", arguments: TraceRun.allCases)
    func early(run: TraceRun) async throws {
        let late =
            #"{"wait": 10001, "closed": ["relay1"], "state": {"connection": "idle"}, "#
            + #""throws": {"join": {"code": "unreachable"}}}"#
        let early = #"["closed at 10000 ms","state at 10000 ms","throws at 10000 ms"]"#
        #expect(
            try await self.run(late, on: run) == [
                "step 3 (wait), at 0 ms: early: expected nothing, got \(early)"
            ]
        )
    }

    @Test("An error's message counts where the trace has one")
    func messages() async throws {
        let refusal =
            #"{"says": {"type": "error", "code": "room_full", "message": "12", "re": "join"}, "#
            + #""closed": ["relay1"], "state": {"connection": "idle"}, "throws": {"join": {"code": "room_full""#
        #expect(try await run(refusal + #", "re": "join"}}}"#) == [])
        #expect(
            try await run(refusal + #", "re": "join", "message": "13"}}}"#) == [
                #"step 3 (says), at 0 ms: throws.join.message: expected "13", got "12""#
            ]
        )
    }

    @Test("All the given random numbers must be drawn, and no others", arguments: TraceRun.allCases)
    func draws(run: TraceRun) async throws {
        #expect(
            try await self.run(joined, given: #"{"random": [0.5]}"#, on: run) == ["1 random numbers were not drawn"]
        )
        let drop = #"{"drops": "relay1", "state": {"connection": "reconnecting"}}"#
        #expect(
            try await self.run(joined, drop, on: run) == [
                "step 4 (drops), at 0 ms: drew a random number that the trace does not give"
            ]
        )
    }

    @Test(
        "A faulty trace is refused",
        arguments: [
            #"{"opens": "relay2"}"#, #"{"search": 1, "candidates": []}"#, #"{"probe": "x"}"#, #"{"command": "p"}"#,
            #"{"call": "dance"}"#, #"{"call": "leave", "sends": {}}"#, #"{"sent": {}}"#,
            #"{"wait": 1, "opens": "relay1"}"#,
            #"{"call": "attachPlayer", "player": "p", "ref": "x"}"#, #"{"player": "p", "paused": true}"#,
        ]
    )
    func faulty(step: String) async throws {
        for run in TraceRun.allCases {
            await #expect(throws: TableError.self) { try await self.run(step, on: run) }
        }
        await #expect(throws: TableError.self) { try await run(joined, begin: "nothing like that") }
        await #expect(throws: TableError.self) { try await run(joined, given: #"{"player": {}}"#) }
    }
}
