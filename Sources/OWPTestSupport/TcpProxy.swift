// OpenWatchParty for Swift. See LICENSE.

import Foundation

/// A TCP proxy on 127.0.0.1 that does to its connections what networks do.
///
/// Faults may be changed while connections stand; what is under way keeps its order.
public final class TcpProxy: Sendable {
    /// What happens to the bytes on their way.
    public struct Faults: Hashable, Sendable {
        /// How long each piece is under way in each direction, in ms.
        public var delayMs = 0
        /// What is added to that at most, drawn for each piece, in ms; pieces never overtake each other.
        public var jitterMs = 0
        /// Whether each byte is sent by itself.
        public var isBytewise = false
        /// Whether nothing gets through any more in either direction, not even an end, while both sides stay connected.
        public var isHalfOpen = false
        /// The index of the byte, in what the server sends on a connection, whose lowest bit is flipped.
        public var corruptedByte: Int?

        /// After how long without a byte in a direction a connection is cut, in ms; 0 for never.
        public var idleLimitMs = 0

        /// Makes a proxy's faults: none.
        public init() {}
    }

    /// The port it listens on.
    public let port: Int
    private let listener: Int32
    private let shared = ProxyState()

    /// Starts a proxy.
    ///
    /// - Parameters:
    ///   - target: The server's port on 127.0.0.1.
    ///   - faults: What happens from the start.
    ///   - seed: Fixes the jitter.
    public init(to target: Int, faults: Faults = Faults(), seed: UInt64 = 1) {
        (listener, port) = LoopbackSocket.listen()
        shared.with { $0.faults = faults }
        let (listener, shared) = (listener, shared)
        LoopbackSocket.startThread {
            var random = SeededRandom(seed: seed)
            while let client = LoopbackSocket.accept(listener) {
                guard shared.with({ $0.isAccepting }), let server = LoopbackSocket.connect(to: target) else {
                    LoopbackSocket.close(client, reset: true)
                    continue
                }
                let pair = SocketPair(client: client, server: server)
                shared.with { $0.pairs.append(pair) }
                for direction in [SocketPair.Direction.up, .down] {
                    let seed = random.next()
                    LoopbackSocket.startThread {
                        ProxyPump(pair, direction, shared, SeededRandom(seed: seed)).run()
                        if pair.ended() { shared.with { $0.pairs.removeAll { $0 === pair } } }
                    }
                }
            }
            LoopbackSocket.close(listener)
        }
    }

    /// Changes what happens, also on the connections that stand.
    public var faults: Faults {
        get { shared.with { $0.faults } }
        set { shared.with { $0.faults = newValue } }
    }

    /// Whether new connections get through; else they are reset.
    public var isAccepting: Bool {
        get { shared.with { $0.isAccepting } }
        set { shared.with { $0.isAccepting = newValue } }
    }

    /// How many connections stand.
    public var connectionCount: Int { shared.with { $0.pairs.count } }

    /// Ends all connections at both sides, in order: each side reads an end.
    public func cut() { end(reset: false) }

    /// Ends all connections at both sides with a RST.
    public func reset() { end(reset: true) }

    /// Ends all connections, and listens no more.
    public func stop() {
        LoopbackSocket.shutdown(listener)
        cut()
    }

    private func end(reset: Bool) {
        for pair in shared.with({ $0.pairs }) { pair.end(reset: reset) }
    }
}

/// What the proxy's threads share.
final class ProxyState: @unchecked Sendable {  // `values` is only touched under `lock`.
    struct Values {
        var faults = TcpProxy.Faults()
        var isAccepting = true
        var pairs: [SocketPair] = []
    }
    private let lock = NSLock()
    private var values = Values()

    func with<Result>(_ body: (inout Values) -> Result) -> Result { lock.withLock { body(&values) } }
}

/// The two sockets of one connection; the last of its two pumps closes them.
final class SocketPair: @unchecked Sendable {  // The variables are only touched under `lock`.
    enum Direction: Sendable { case up, down }

    let client: Int32
    let server: Int32
    private let lock = NSLock()
    private var pumps = 2
    private var isReset = false
    private var isOver = false

    init(client: Int32, server: Int32) { (self.client, self.server) = (client, server) }

    /// Whether the pumps shall stop.
    var isEnded: Bool { lock.withLock { isOver } }

    /// Stops the pumps.
    func end(reset: Bool) {
        lock.withLock {
            isReset = isReset || reset
            isOver = true
        }
    }

    /// Says that a pump has stopped; closes the sockets, and returns true, for the second.
    func ended() -> Bool {
        lock.withLock {
            pumps -= 1
            guard pumps == 0 else { return false }
            LoopbackSocket.close(client, reset: isReset)
            LoopbackSocket.close(server, reset: isReset)
            return true
        }
    }
}

/// Moves the bytes of one direction of a connection; it belongs to its thread.
final class ProxyPump {
    /// The bytes under way beyond which no more are read.
    private static let limit = 1 << 20

    private let pair: SocketPair
    private let shared: ProxyState
    private let source: Int32
    private let sink: Int32
    private let isDown: Bool
    private var random: SeededRandom
    /// What is under way, and when it arrives.
    private var pieces: [(due: ContinuousClock.Instant, bytes: [UInt8])] = []
    private var underWay = 0
    /// The bytes read so far.
    private var position = 0
    private var lastRead = ContinuousClock.now
    private var hasEnded = false

    init(_ pair: SocketPair, _ direction: SocketPair.Direction, _ shared: ProxyState, _ random: SeededRandom) {
        (self.pair, self.shared, self.random) = (pair, shared, random)
        isDown = direction == .down
        (source, sink) = isDown ? (pair.server, pair.client) : (pair.client, pair.server)
    }

    func run() {
        while !pair.isEnded {
            let faults = shared.with { $0.faults }
            var waitMs: Int64 = 20
            if let due = pieces.first?.due {
                waitMs = min(waitMs, max(0, Int64((due - .now) / .milliseconds(1)) + 1))
            }
            if faults.idleLimitMs > 0, ContinuousClock.now - lastRead > .milliseconds(faults.idleLimitMs) {
                return pair.end(reset: false)
            }
            let mayRead = !hasEnded && !faults.isHalfOpen && underWay < Self.limit
            if LoopbackSocket.waitToRead(mayRead ? source : -1, ms: Int32(waitMs)) { read(faults) }
            if faults.isHalfOpen { continue }
            while let first = pieces.first, first.due <= .now {
                pieces.removeFirst()
                underWay -= first.bytes.count
                guard write(first.bytes, faults) else { return pair.end(reset: true) }
            }
            if hasEnded && pieces.isEmpty {
                // An end goes through by itself: the other direction may go on.
                LoopbackSocket.finishWriting(sink)
                return
            }
        }
    }

    private func read(_ faults: TcpProxy.Faults) {
        guard var bytes = LoopbackSocket.read(source) else { return pair.end(reset: true) }
        if bytes.isEmpty { hasEnded = true }
        if isDown, let index = faults.corruptedByte, (position..<(position + bytes.count)).contains(index) {
            bytes[index - position] ^= 1
        }
        position += bytes.count
        lastRead = .now
        let jitterMs = faults.jitterMs > 0 ? Int.random(in: 0...faults.jitterMs, using: &random) : 0
        let due = ContinuousClock.now + .milliseconds(faults.delayMs + jitterMs)
        pieces.append((max(due, pieces.last?.due ?? due), bytes))
        underWay += bytes.count
    }

    private func write(_ bytes: [UInt8], _ faults: TcpProxy.Faults) -> Bool {
        guard faults.isBytewise else { return LoopbackSocket.write(sink, bytes) }
        return bytes.allSatisfy { LoopbackSocket.write(sink, [$0]) }
    }
}
