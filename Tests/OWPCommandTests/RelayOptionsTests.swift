// OpenWatchParty for Swift. See LICENSE.

import OWPCore
import OWPRelay
import Testing

@testable import OWPCommand

@Suite("owp relay: options and environment")
struct RelayOptionsTests {
    private func configuration(
        _ words: [String],
        environment: [String: String] = [:]
    ) throws -> RelayConfiguration {
        let arguments = try Arguments(words, options: RelayCommand.options)
        return try RelayOption.configuration(arguments, environment: environment)
    }

    @Test("Without options, 127.0.0.1:8080 and the protocol's limits")
    func defaults() throws {
        let configuration = try configuration([])
        #expect((configuration.host, configuration.port) == ("127.0.0.1", 8080))
        #expect(configuration.adminHost == nil)
        #expect(configuration.maxConnections == 20_000)
        #expect(configuration.prefixes == codeAlphabet)
    }

    @Test("Each option sets its value")
    func options() throws {
        let configuration = try configuration([
            "--addr", "[::1]:9000", "--admin-addr=:9001", "--timer-scale", "0.1", "--max-connections-per-ip", "500",
            "--max-rooms-per-ip", "400", "--messages-per-second", "1000", "--trust-proxy", "--prefixes", "ab2",
            "--block-client", "bad,worse", "--state-dir", "/tmp/x",
        ])
        #expect((configuration.host, configuration.port) == ("::1", 9000))
        #expect(configuration.adminHost == "0.0.0.0")
        #expect(configuration.adminPort == 9001)
        #expect(configuration.timerScale == 0.1)
        #expect((configuration.maxConnectionsPerIP, configuration.maxRoomsPerIP) == (500, 400))
        #expect(configuration.messagesPerSecond == 1000)
        #expect(configuration.trustsProxy)
        #expect(configuration.prefixes == "AB2")
        #expect(configuration.blockedClients == ["bad", "worse"])
        #expect(configuration.stateDirectory == "/tmp/x")
    }

    @Test("The environment sets what is not typed")
    func environment() throws {
        let environment = ["OWP_MAX_ROOMS": "5", "OWP_ADDR": "127.0.0.1:1", "OWP_TRUST_PROXY": "1", "OWP_PREFIXES": ""]
        let configuration = try configuration(["--addr", "127.0.0.1:2"], environment: environment)
        #expect((configuration.port, configuration.maxRooms, configuration.trustsProxy) == (2, 5, true))
        #expect(configuration.prefixes == codeAlphabet)
    }

    @Test(
        "A bad value is a usage error that names its option",
        arguments: [
            ["--addr", "8080"], ["--addr", "::1:80"], ["--addr", "x:70000"], ["--max-rooms", "0"],
            ["--max-rooms", "many"], ["--timer-scale", "nan"], ["--timer-scale", "0"], ["--prefixes", "O0"],
            ["--messages-per-second", "-1"],
        ]
    )
    func bad(words: [String]) {
        let error = #expect(throws: UsageError.self) { try configuration(words) }
        #expect(error?.message.contains(words[0]) == true)
    }

    @Test("A bad value of the environment names its variable")
    func badEnvironment() {
        let error = #expect(throws: UsageError.self) { try configuration([], environment: ["OWP_MAX_ROOMS": "x"]) }
        #expect(error?.message.contains("OWP_MAX_ROOMS") == true)
    }
}
