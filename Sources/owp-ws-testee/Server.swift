// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OWPRelay

/// Echoes on any path until the program is ended.
func serve(at address: String) throws {
    guard let colon = address.lastIndex(of: ":"), let port = Int(address[address.index(after: colon)...]) else {
        fail("\(address) is not HOST:PORT", status: 2)
    }
    var configuration = RelayConfiguration()
    (configuration.host, configuration.port) = (String(address[..<colon]), port)
    configuration.isEcho = true
    configuration.maxMessageBytes = messageLimit
    configuration.sendBufferBytes = 4 * messageLimit
    configuration.maxConnectionsPerIP = configuration.maxConnections
    let relay = try EmbeddedRelay.start(configuration)
    FileHandle.standardOutput.write(Data("listening \(configuration.host):\(relay.port)\n".utf8))
    withExtendedLifetime(relay) {
        while true { sleep(3600) }
    }
}
