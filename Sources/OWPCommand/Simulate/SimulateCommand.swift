// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OWPSimulation
import OWPTransportFoundation

/// `owp simulate`: many parties in virtual time.
enum SimulateCommand: Subcommand {
    static let name = "simulate"
    static let summary = "Simulate many watch parties on bad networks, faster than time"
    static let usage = ["simulate [OPTIONS]", "simulate --profile NAME|all [OPTIONS]"]
    static let discussion = """
        Every party is made of the real parts: the machine behind WatchParty for each person, the relay's room, and
        players like those of the demo. Networks, clocks and people are drawn from the seed, so the same command prints
        the same figures, however many cores it runs on. People come, press pause, play and seek, change the speed, share
        another title, and leave; inputs run dry, networks drop.

          owp simulate                                  100 parties of 4, on fibre
          owp simulate --profile hotel --parties 1000   on hotel Wi-Fi that drops
          owp simulate --profile all                    one line for each network
          owp simulate --seek-cost 3000 --hide-seek-cost --stalls 0
                                                        players whose slow seeks are repeated for ever

        What is printed:
          distance       between the two players furthest apart, looked at every 100 ms while the room plays: of all
                         that are connected and show a picture, and of the settled ones. A player is settled when for
                         5 s on end the room has been playing at one speed, its picture has moved (no stall, no seek,
                         no pause) and its network has been there. One that is being nudged is settled.
                         Somebody who just came, or comes back from an outage, is not: the greatest distance of
                         all is theirs, up to the whole film before their first seek has landed.
          common start   from the press, or the stop for a stalled player, until the pictures of all whom the room
                         waits for move: after a new title, a play, a seek, a stall
          corrections    seeks and speed changes (x 0.96, x 1.04) that the SDK asks of a player in a playing room,
                         for each hour that it plays; a late comer's first seek counts
          stalls         how often the room stops for a player, for each hour that it plays
          stood still    rooms in which no picture moved for 10 s longer than a room may wait (30 s, or 120 s before
                         a title's first start) though somebody's could; and players that stood still for 20 s in a
                         playing room for no reason. Both must be 0, or the exit status is 1.

        Networks (one way, what is added to each message on average, lost messages, drops an hour):
        \(NetworkProfile.all.map { "  " + $0.line }.joined(separator: "\n"))
        """
    static let options = SimulateOption.all

    static func run(_ arguments: Arguments, console: Console) async throws -> Int32 {
        let job = try SimulateJob(arguments)
        let signals = await Signals.watch()
        let work = Task { await simulate(job, console: console) }
        let ending = Task {
            var interruptions = Interruptions()
            let clock = SystemClock()
            for await _ in signals {
                if interruptions.take(atMs: clock.nowMs()) == .endAtOnce { exit(130) }
                work.cancel()
            }
        }
        // Nor simulated for nobody.
        let unread = Task {
            for await _ in console.outputState.failures { work.cancel() }
        }
        defer {
            ending.cancel()
            unread.cancel()
        }
        let status = await work.value
        // As if the closed pipe had ended it.
        return console.outputState.hasNoReader ? 128 + SIGPIPE : status
    }

    private static func simulate(_ job: SimulateJob, console: Console) async -> Int32 {
        var isSound = true
        if job.plans.count > 1, !job.isJSON {
            for line in SimulateReport.tableHead(job.plans[0]) { console.line(line) }
        }
        for plan in job.plans {
            let begin = ContinuousClock.now
            let title = job.plans.count > 1 ? "\(plan.network.name): " : ""
            let log: (@Sendable (String) -> Void)? = job.isLogging ? { @Sendable in console.line($0) } : nil
            let outcome = await Simulation.run(plan, threads: job.threads, log: log) { done in
                console.progress("\(title)\(done) of \(plan.parties) parties")
            }
            console.progress(nil)
            let report = SimulateReport(
                plan: plan,
                figures: outcome.figures,
                parties: outcome.parties,
                took: ContinuousClock.now - begin,
                threads: job.threads
            )
            if outcome.parties == 0 {
                // Stopped before there was anything to report.
            } else if job.isJSON {
                console.line(report.json)
            } else if job.plans.count > 1 {
                console.line(report.tableLine(color: console.hasColor))
            } else {
                for line in report.lines(color: console.hasColor) { console.line(line) }
            }
            for line in report.faultLines { console.errorLine(line) }
            if report.isCut {
                if console.outputState.hasNoReader { return 1 }
                console.errorLine("owp simulate: stopped after \(outcome.parties) of \(plan.parties) parties")
                return 1
            }
            isSound = isSound && report.isSound
        }
        return isSound ? 0 : 1
    }
}
