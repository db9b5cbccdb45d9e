// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OWPTransportFoundation

/// Runs all cases of Autobahn's fuzzing server, and then has it write its report.
@MainActor
func runCases(base: String, agent: String) async throws {
    let counting = try await SocketConnection.open(base + "/getCaseCount", messageLimit: messageLimit)
    guard let count = Int(try await counting.receive()) else { fail("the server gave no count of cases") }
    counting.close(code: 1000)
    for number in stride(from: 1, through: count, by: 1) {
        let url = "\(base)/runCase?case=\(number)&agent=\(agent)"
        await echo(try await SocketConnection.open(url, messageLimit: messageLimit))
    }
    await echo(try await SocketConnection.open("\(base)/updateReports?agent=\(agent)", messageLimit: messageLimit))
    print("\(count) cases run")
}

/// Sends back what comes, until the connection ends, however it ends.
@MainActor
private func echo(_ connection: SocketConnection) async {
    while let message = try? await connection.receiveMessage() {
        try? await connection.send(message)
    }
}

/// Opens connections one after the other, and says what is left of them in the process.
@MainActor
func probe(_ url: String, count: Int) async throws {
    // The library and the runtime open descriptors of their own at the first use.
    try await exchange(url)
    let (descriptors, threads) = try await settled()
    for _ in 1..<max(1, count) { try await exchange(url) }
    let (descriptorsAfter, threadsAfter) = try await settled(to: descriptors, threads)
    print("descriptors \(descriptors) then \(descriptorsAfter), threads \(threads) then \(threadsAfter)")
    if descriptorsAfter > descriptors { fail("\(descriptorsAfter - descriptors) descriptors were left behind") }
    if threadsAfter > threads + 2 { fail("\(threadsAfter - threads) threads were left behind") }
}

@MainActor
private func exchange(_ url: String) async throws {
    let connection = try await urlSessionConnect(url)
    try await connection.send("probe")
    guard try await connection.receive() == "probe" else { fail("the echo differs") }
    connection.close(code: 1000)
}

/// The descriptors and threads of this process, once they have fallen to the given numbers, or after 5 s.
private func settled(to descriptors: Int = 0, _ threads: Int = 0) async throws -> (Int, Int) {
    func count(_ folder: String) -> Int { (try? FileManager.default.contentsOfDirectory(atPath: folder).count) ?? 0 }
    var now = (0, 0)
    for _ in 0..<50 {
        now = (count("/proc/self/fd"), count("/proc/self/task"))
        if descriptors > 0, now.0 <= descriptors, now.1 <= threads { break }
        try await Task.sleep(for: .milliseconds(100))
    }
    return now
}

/// Makes a room on a relay and leaves it, on the wire alone.
@MainActor
func makeRoom(_ url: String) async throws {
    let connection = try await urlSessionConnect(url)
    try await connection.send(#"{"type":"create","name":"Testee","client":"owp-ws-testee/1"}"#)
    let answer = try await connection.receive()
    guard answer.contains(#""type":"joined""#) else { fail("the relay answered \(answer)") }
    try await connection.send(#"{"type":"leave"}"#)
    connection.close(code: 1000)
}
