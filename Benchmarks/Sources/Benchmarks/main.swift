// OpenWatchParty for Swift. See LICENSE.

/// Every benchmark, in the order of the table; run with `swift run -c release --package-path Benchmarks`.
let benchmarks: [(name: String, run: () -> [Row])] = [
    ("room", readRoomMessage),
    ("pong", readPong),
    ("status", writeStatus),
    ("step", step),
    ("clock", clockSample),
    ("walk", walk),
    ("title", title),
]

// Names given as arguments choose among them.
let chosen = CommandLine.arguments.dropFirst()
printTable(benchmarks.filter { chosen.isEmpty || chosen.contains($0.name) }.flatMap { $0.run() })
