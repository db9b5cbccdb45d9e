// OpenWatchParty for Swift. See LICENSE.

import Foundation

/// The largest message of either side, in bytes.
let messageLimit = 16 * 1024 * 1024

let usage = """
    A WebSocket peer for test suites, on the package's own client and server.

    owp-ws-testee client ws://HOST:PORT NAME   runs the cases of Autobahn's fuzzing server
    owp-ws-testee server HOST:PORT             echoes, for Autobahn's fuzzing client; port 0 takes any free one
    owp-ws-testee probe URL [COUNT]            opens COUNT connections one after the other, each with an echo
    owp-ws-testee room URL                     makes a room on a relay and leaves it
    owp-ws-testee bench URL SIZE SECONDS       measures an echo server: median round trip in us, messages a second

    """

/// Ends the program with a message.
func fail(_ text: String, status: Int32 = 1) -> Never {
    FileHandle.standardError.write(Data("owp-ws-testee: \(text)\n".utf8))
    exit(status)
}

let arguments = Array(CommandLine.arguments.dropFirst())
do {
    switch (arguments.first, arguments.count) {
    case ("client", 3): try await runCases(base: arguments[1], agent: arguments[2])
    case ("server", 2): try serve(at: arguments[1])
    case ("probe", 2): try await probe(arguments[1], count: 1)
    case ("probe", 3): try await probe(arguments[1], count: Int(arguments[2]) ?? 1)
    case ("room", 2): try await makeRoom(arguments[1])
    case ("bench", 4):
        guard let size = Int(arguments[2]), let seconds = Double(arguments[3]) else {
            fail("usage:\n" + usage, status: 2)
        }
        try await bench(arguments[1], size: size, seconds: seconds)
    default: fail("usage:\n" + usage, status: 2)
    }
} catch {
    fail("\(error)")
}
