// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OWPCore
import OWPRelayCheck
import OWPTestSupport
import OWPWire
import Testing

@testable import OWPPlayerMPV

/// A C compiler for Linux, by name; nil without one.
private let compiler: String? = {
    #if os(Linux)
        for name in ["cc", "clang", "gcc"] where run([name, "--version"]) { return name }
    #endif
    print("SKIPPED: no C compiler for Linux here, so no program runs under a shifted wall clock")
    return nil
}()

private func run(_ words: [String]) -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
}

/// A library that, loaded before the C library's, shifts the wall clock of a program and leaves its monotonic ones alone.
///
/// Debian's faketime does that too, but changes the environment, behind which Swift looks for a program's arguments.
private struct ClockShift {
    private let path: String

    init(in folder: TestFolder) throws {
        path = folder.path + "/shift.so"
        try Self.source.write(toFile: path + ".c", atomically: true, encoding: .utf8)
        #expect(run([try #require(compiler), "-shared", "-fPIC", path + ".c", "-o", path, "-ldl"]))
    }

    /// The environment of a program whose wall clock is so many seconds ahead.
    func by(seconds: Int) -> [String: String] { ["LD_PRELOAD": path, "OWP_TEST_SHIFT": "\(seconds)"] }

    private static let source = """
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <stdlib.h>
        #include <sys/time.h>
        #include <time.h>
        int clock_gettime(clockid_t clock, struct timespec *time) {
            static int (*real)(clockid_t, struct timespec *);
            if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
            int status = real(clock, time);
            const char *shift = getenv("OWP_TEST_SHIFT");
            int is_wall = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
            if (status == 0 && is_wall && shift) time->tv_sec += atol(shift);
            return status;
        }
        int gettimeofday(struct timeval *time, void *zone) {
            struct timespec now;
            clock_gettime(CLOCK_REALTIME, &now);
            time->tv_sec = now.tv_sec;
            time->tv_usec = now.tv_nsec / 1000;
            return 0;
        }
        time_t time(time_t *to) {
            struct timespec now;
            clock_gettime(CLOCK_REALTIME, &now);
            if (to) *to = now.tv_sec;
            return now.tv_sec;
        }
        """
}

private let hasMPV = MPVPlayer.find("mpv") != nil

@Suite("Programs whose wall clocks differ", .serialized, .enabled(if: compiler != nil))
@MainActor
struct WallClockTests {
    /// What a relay takes for the time, less what this process does.
    private func aheadMs(_ relay: RelayProgram) throws -> Int64 {
        let client = try BlockingClient(webSocketAt: relay.port)
        try client.send(.ping(id: 1))
        return try client.nextPong().serverTimeMs - Int64(Date().timeIntervalSince1970 * 1000)
    }

    @Test("FR-20: two programs whose wall clocks are 10 s apart play within 350 ms of each other", .enabled(if: hasMPV))
    func watchers() async throws {
        let folder = try TestFolder()
        let shift = try ClockShift(in: folder)
        let film = folder.path + "/film.y4m"
        try writeTestFilm(film, seconds: 120)
        let relay = try await RelayProgram(environment: shift.by(seconds: -3600))
        let aheadMs = try aheadMs(relay)
        #expect((-3_610_000 ... -3_590_000).contains(aheadMs), "the shift works: \(aheadMs)")

        // The players are spared: they wait for points in the system's real time, which stays as it is.
        let player = folder.path + "/mpv"
        try "#!/bin/sh\nunset LD_PRELOAD\nexec mpv \"$@\"\n".write(toFile: player, atomically: true, encoding: .utf8)
        #expect(chmod(player, 0o700) == 0)
        let common = ["--headless", "--json", "--relay", relay.baseURL, "--player-path", player]
        let anna = try RunningProgram(
            ["watch", "--create", film, "--start-with", "2", "--ipc-socket", folder.path + "/anna"] + common,
            environment: shift.by(seconds: 5)
        )
        #expect(await eventually { anna.event("created") != nil }, "\(anna.output)")
        guard case .string(let code)? = anna.event("created")?["code"] else { return }
        let ben = try RunningProgram(
            ["watch", code, film, "--ipc-socket", folder.path + "/ben"] + common,
            environment: shift.by(seconds: -5)
        )
        #expect(await eventually { anna.event("opened") != nil && ben.event("opened") != nil }, "\(ben.output)")
        defer { for program in [anna, ben] where program.status == nil { program.signal(SIGKILL) } }
        let players = [
            try await MPVPlayer.attach(to: folder.path + "/anna"), try await MPVPlayer.attach(to: folder.path + "/ben"),
        ]
        let clock = ContinuousClock()
        let end = clock.now + .seconds(90)
        // Read one after the other, so only readings at nearly the same time tell anything. On a busy machine players start
        // apart, and are then nudged together; wall clocks that mattered would keep them 10 s apart for good.
        var latest: [Double] = []
        var median = Double.infinity
        while latest.count < 20 || abs(median) > 350, clock.now < end {
            let start = clock.now
            let first = try await players[0].request([.string("get_property"), .string("time-pos")])
            let between = clock.now
            let second = try await players[1].request([.string("get_property"), .string("time-pos")])
            if clock.now - start < .milliseconds(30), case .number(let one) = first, case .number(let other) = second,
                one > 1, other > 1
            {
                let laterMs = Double((between - start).components.attoseconds) / 1e15
                latest = latest.suffix(19) + [(other - one) * 1000 - laterMs]
                median = latest.sorted()[latest.count / 2]
            }
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(latest.count == 20 && abs(median) <= 350, "\(latest)\n\(anna.output)\n\(ben.output)")
        for player in players { await player.close() }
        #expect(await ben.end() == 0)
        #expect(await anna.end() == 0)
    }

    @Test(
        "FR-20: a room plays on where it was though the wall clock was set back an hour between two runs of the relay"
    )
    func setBack() async throws {
        let folder = try TestFolder()
        let shift = try ClockShift(in: folder)
        let options = ["--state-dir", folder.path + "/state"]
        let relay = try await RelayProgram(options)
        let host = try BlockingClient(webSocketAt: relay.port)
        let session = try host.create()
        let film = Media(kind: .movie, title: "Film", durationMs: 7_200_000)
        try host.send(.setMedia(media: film, positionMs: 60_000))
        _ = try host.nextRoom()
        try host.send(.status(StatusMessage(epoch: 1, player: .ready, match: nil, offsetMs: 0, rttMs: 1)))
        let playing = try host.nextRoom("a room that plays") { $0.room.phase == .playing }.room
        try host.send(.ping(id: 1))
        let beforeMs = try host.nextPong().serverTimeMs
        await relay.end()
        let again = try await RelayProgram(options, environment: shift.by(seconds: -3600))
        let client = try BlockingClient(webSocketAt: again.port)
        try client.send(.resume(code: session.code, peerId: session.peerId, token: session.token))
        let joined = try client.nextJoined()
        #expect(joined.serverTimeMs >= beforeMs)
        #expect((joined.room.phase, joined.room.positionMs, joined.room.atMs) == (.playing, 60_000, playing.atMs))
    }
}
