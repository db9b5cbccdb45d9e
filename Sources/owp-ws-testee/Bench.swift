// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OWPTransportFoundation

/// Measures an echo server: prints the median round trip in µs, and the messages a second with 64 under way.
@MainActor
func bench(_ url: String, size: Int, seconds: Double) async throws {
    let connection = try await SocketConnection.open(url, messageLimit: messageLimit)
    let text = String(repeating: "x", count: size)
    let clock = ContinuousClock()

    var roundTrips: [Duration] = []
    let end = clock.now + .seconds(seconds)
    while clock.now < end {
        let start = clock.now
        try await connection.send(text)
        _ = try await connection.receive()
        roundTrips.append(clock.now - start)
    }
    let median = roundTrips.sorted()[roundTrips.count / 2] / .microseconds(1)

    var count = 0
    let start = clock.now
    for _ in 0..<64 { try await connection.send(text) }
    while clock.now < start + .seconds(seconds) {
        _ = try await connection.receive()
        count += 1
        try await connection.send(text)
    }
    let rate = Double(count) / ((clock.now - start) / .seconds(1))
    print(String(format: "%.1f %.0f", median, rate))
    connection.close(code: 1000)
}
