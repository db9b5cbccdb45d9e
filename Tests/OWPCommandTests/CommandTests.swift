// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OWPWire
import Testing

@testable import OWPCommand

/// Every subcommand with the words that are put into it.
private let subcommands = ["watch", "info", "demo", "simulate", "conformance", "json-check", "relay", "relay-check"]

@MainActor
@Suite("The command line of owp")
struct CommandTests {
    private func run(_ words: String...) async -> (status: Int32, output: String, errors: String) {
        let transcript = Transcript()
        let status = await runCommand(words, console: transcript.console())
        return (status, transcript.text, transcript.errors)
    }

    @Test("help COMMAND and COMMAND --help are the same text, with every option and its usage", arguments: subcommands)
    func help(name: String) async {
        let long = await run(name, "--help")
        #expect(long.status == 0)
        #expect(long.errors.isEmpty)
        #expect(long.output.hasPrefix("Usage: owp \(name)"))
        #expect(await run("help", name).output == long.output)
        #expect(await run(name, "-h", "--nonsense").output == long.output)
        #expect(long.output.split(separator: "\n").allSatisfy { $0.count <= 130 })
    }

    @Test("The overview names every command, the exit statuses and NO_COLOR")
    func overview() async {
        let overview = await run("--help")
        #expect(overview.status == 0)
        #expect(await run("help").output == overview.output)
        for name in subcommands { #expect(overview.output.contains("  \(name) ")) }
        for word in ["Exit status: 0", "130", "NO_COLOR", "owp help COMMAND", "--version"] {
            #expect(overview.output.contains(word))
        }
        #expect(await run().status == 2)
        #expect(await run().errors == overview.output)
    }

    @Test("The version", arguments: ["--version", "version"])
    func version(word: String) async {
        let version = await run(word)
        #expect(version.status == 0)
        #expect(version.output == "owp \(owpVersion)\n")
    }

    @Test(
        "A mistyped command or option names the nearest one",
        arguments: [
            (["wacth"], "'watch'"), (["rely"], "'relay'"), (["help", "watsh"], "'watch'"), (["inof", "x"], "'info'"),
            (["watch", "--creat", "x"], "--create"), (["watch", "--realy", "x"], "--relay"),
            (["relay", "--max-rom", "3"], "--max-rooms"), (["demo", "--headles"], "--headless"),
            (["info", "--helpp"], "--help"),
        ]
    )
    func nearest(words: [String], meant: String) async {
        let transcript = Transcript()
        #expect(await runCommand(words, console: transcript.console()) == 2)
        #expect(transcript.errors.contains("did you mean \(meant)?"), "\(transcript.errors)")
        #expect(transcript.errors.split(separator: "\n").count == 1)
        #expect(transcript.text.isEmpty)
    }

    @Test("What is like nothing gets no suggestion", arguments: [["xyzzy"], ["watch", "--frobnicate"], ["-x"], [""]])
    func nothingNear(words: [String]) async {
        let transcript = Transcript()
        #expect(await runCommand(words, console: transcript.console()) == 2)
        #expect(!transcript.errors.contains("did you mean"))
        #expect(transcript.errors.contains("--help"))
    }

    @Test("Nothing that steers a terminal comes back, wherever it was typed", arguments: subcommands)
    func escapes(name: String) async {
        let wild = "a\u{1B}[2J\u{9B}31m\u{202E}\r\u{7}b"
        let lines = [
            [wild], ["help", wild], [name, "--\(wild)"], [name, wild], [name, wild, wild, wild, wild],
            [name, "--create", wild], [name, "K7MQ2X", wild], [name, "K7MO2X\(wild)", "/"],
            [name, "--relay", wild, "--create", "/bin/sh"], [name, "--addr", wild], [name, "--prefixes", wild],
            [name, "--max-rooms", wild], [name, "--messages-per-second", wild], [name, "--timer-scale", wild],
            [name, "--plot", "/\(wild)/x.svg"], [name, "--break", wild], [name, "--seed", wild],
            [name, "--state-dir", "/dev/null/\(wild)"], [name, "--start", "echo '\(wild)'"],
            [name, "--player-path", wild, "/bin/sh"],
            [name, "--json", "--ipc-socket", "/\(wild)/s", "--create", "/bin/sh"],
            [name, "--json", wild],
        ]
        for words in lines {
            let transcript = Transcript()
            #expect(await runCommand(words, console: transcript.console()) != 0)
            for text in [transcript.text, transcript.errors] {
                #expect(
                    text.unicodeScalars.allSatisfy { $0 == "\n" || plainText(String($0)) == String($0) },
                    "\(words)"
                )
            }
        }
    }

    @Test(
        "What cannot be done says what is wrong and what to do, in a line",
        arguments: [
            (["relay-check", "http://127.0.0.1:1"], 1, "there is no relay to try at http://127.0.0.1:1"),
            (["relay-check", "http://127.0.0.1:1", "--only", "99"], 2, "--list"),
            (["relay", "--addr", "192.0.2.1:8080"], 1, "0.0.0.0"),
            (["watch", "/bin/sh"], 2, "--create"),
            (["watch", "--create", "/bin/sh", "--json", "--ipc-socket", "/nowhere/s"], 1, "--ipc-socket"),
            (["watch", "K7M-Q2X"], 2, "your file"), (["info"], 2, "name at least one file"),
            (["info", "/"], 2, "is a folder"), (["demo", "/"], 2, "is a folder"),
            (["demo", "--headless"], 2, "FILE"), (["conformance"], 2, "folder"),
        ]
    )
    func explained(words: [String], status: Int32, says: String) async {
        let transcript = Transcript()
        #expect(await runCommand(words, console: transcript.console()) == status)
        #expect(transcript.errors.contains(says), "\(transcript.errors)")
        #expect(transcript.errors.split(separator: "\n").count == 1)
    }

    @Test("With --json a failure is a line of JSON on standard output too", arguments: ["watch", "info"])
    func jsonFailure(name: String) async throws {
        for words in [[name, "--json"], [name, "--json", "--nonsense"], [name, "--nonsense", "--json", "x"]] {
            let transcript = Transcript()
            #expect(await runCommand(words, console: transcript.console()) == 2)
            let line = try JSONValue(parsing: transcript.text)
            #expect(line["event"] == "failed")
            #expect(line["status"] == 2)
            guard case .string(let text)? = line["text"] else {
                Issue.record("no text: \(line)")
                continue
            }
            #expect(transcript.errors.contains(text))
        }
    }

    @Test("Without --json, or behind --, nothing is written to standard output", arguments: ["watch", "info"])
    func plainFailure(name: String) async {
        for words in [[name, "--nonsense"], [name, "--", "--json"]] {
            let transcript = Transcript()
            #expect(await runCommand(words, console: transcript.console()) == 2)
            #expect(transcript.text.isEmpty)
        }
    }
}

@Suite("Two interruptions")
struct InterruptionsTests {
    @Test("An echo within half a second is none; one that comes later ends at once")
    func echo() {
        var interruptions = Interruptions()
        #expect(interruptions.take(atMs: 1000) == .end)
        #expect(interruptions.take(atMs: 1000) == .echo)
        #expect(interruptions.take(atMs: 1499) == .echo)
        #expect(interruptions.take(atMs: 1500) == .endAtOnce)
        #expect(interruptions.take(atMs: 9000) == .endAtOnce)
    }
}
