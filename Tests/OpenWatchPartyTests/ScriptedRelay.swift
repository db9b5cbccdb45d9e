// OpenWatchParty for Swift. See LICENSE.

#if canImport(Glibc)
    import Foundation
    import OWPCore
    import OWPTestSupport
    import OWPWebSocket
    import OWPWire

    /// A server that lets one party into a room of its own and then does what a test says, byte by byte.
    final class ScriptedRelay: Sendable {
        /// The room after `rev` changes.
        static func room(rev: Int64) -> Room {
            let host = Participant(
                peerId: "a1",
                name: "Anna",
                client: "Test/1",
                host: true,
                connected: true,
                player: .idle
            )
            return Room(
                rev: rev,
                code: "K7MQ2X",
                epoch: 0,
                phase: .idle,
                positionMs: 0,
                atMs: 0,
                rate: 1,
                control: .host,
                locked: false,
                waitingOn: [],
                participants: [host]
            )
        }

        private let server: TestServer
        /// The requests to enter, by type, in order.
        let requests = Requests()

        /// Starts it.
        ///
        /// - Parameter script: Runs on each connection's thread once it has answered `joined`, with the request's type.
        init(_ script: @escaping @Sendable (TestPeer, String) -> Void) {
            server = TestServer { [requests] peer in
                guard peer.open(), let type = Self.next(peer) else { return }
                requests.add(type)
                let joined = JoinedMessage(
                    code: "K7MQ2X",
                    peerId: "a1",
                    token: String(repeating: "t", count: 43),
                    serverTimeMs: 1000,
                    room: Self.room(rev: 1),
                    media: nil
                )
                peer.send(RelayMessage.joined(joined).text)
                script(peer, type)
            }
        }

        var baseURL: String { server.baseURL }
        func stop() { server.stop() }

        /// The type of the next message that is no ping, pings answered; nil when the party went away.
        static func next(_ peer: TestPeer) -> String? {
            while let event = peer.event() {
                guard case .text(let text) = event, let message = try? ClientMessage(parsing: text) else { continue }
                guard case .ping(let id) = message else { return message.type }
                peer.send(RelayMessage.pong(id: id, serverTimeMs: 1000).text)
            }
            return nil
        }

        /// Answers pings until the party goes away.
        static func serve(_ peer: TestPeer) { while next(peer) != nil {} }
    }

    /// What the threads of a scripted relay saw.
    final class Requests: @unchecked Sendable {  // `types` is only touched under `lock`.
        private let lock = NSLock()
        private var types: [String] = []

        func add(_ type: String) { lock.withLock { types.append(type) } }
        var all: [String] { lock.withLock { types } }
    }
#endif
