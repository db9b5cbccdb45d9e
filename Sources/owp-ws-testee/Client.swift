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

/// Opens connections one after the other, and says what is left of them in the process: nothing.
@MainActor
func probe(_ url: String, count: Int) async throws {
    let before = Set(ownResources())
    for _ in 0..<max(1, count) { try await exchange(url) }
    var left = Set(ownResources()).subtracting(before)
    let end = ContinuousClock.now + .seconds(5)
    while !left.isEmpty, ContinuousClock.now < end {
        try await Task.sleep(for: .milliseconds(20))
        left = Set(ownResources()).subtracting(before)
    }
    print(
        "\(max(1, count)) connections; left of them: \(left.isEmpty ? "nothing" : left.sorted().joined(separator: ", "))"
    )
    if !left.isEmpty { fail("\(left.count) descriptors or threads were left behind") }
}

@MainActor
private func exchange(_ url: String) async throws {
    let connection = try await urlSessionConnect(url)
    try await connection.send("probe")
    guard try await connection.receive() == "probe" else { fail("the echo differs") }
    connection.close(code: 1000)
}

/// The descriptors of this process and the threads that the package started, each with what it is.
///
/// The runtime's own are left out: its pool threads, and what its event loop waits with.
private func ownResources() -> [String] {
    func names(_ folder: String) -> [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] }
    let descriptors = names("/proc/self/fd").compactMap { number in
        let kind = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
        return kind.flatMap { $0.hasPrefix("anon_inode:") ? nil : "descriptor \(number) \($0)" }
    }
    let threads = names("/proc/self/task").compactMap { number in
        let name = try? String(contentsOfFile: "/proc/self/task/\(number)/comm", encoding: .utf8)
        return name.flatMap { $0.hasPrefix("OWP") ? "thread \(number) \($0.dropLast())" : nil }
    }
    return descriptors + threads
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
