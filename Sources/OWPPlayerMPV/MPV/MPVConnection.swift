// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OWPWire

/// mpv's JSON IPC: one JSON object a line, both ways.
///
/// A thread of its own reads without pause, whatever the main actor does, so mpv never waits for a reader. Requests
/// are written in order by a queue of their own, so the main actor never waits for mpv.
@MainActor
final class MPVConnection {
    /// Takes what mpv said, in order and in batches; called on the main actor.
    var onNotices: (@MainActor ([TimedNotice]) -> Void)?
    /// Called once when the connection has ended, after all that came before.
    var onEnd: (@MainActor () -> Void)?

    private let socket: UnixSocket
    private let inbox = NoticeInbox()
    private let writer = DispatchQueue(label: "mpv requests")
    private var lastId: Int64 = 0
    private var answers: [Int64: @MainActor (Result<JSONValue, MPVError>) -> Void] = [:]
    private var hasEnded = false

    /// Takes a connected socket over; ``start()`` begins to read.
    init(_ socket: UnixSocket) {
        self.socket = socket
    }

    deinit {
        socket.end()
    }

    /// Begins to read.
    func start() {
        let socket = socket
        let inbox = inbox
        let reader = Thread { [weak self] in
            readLines(of: socket) { notices in
                guard inbox.put(notices) else { return }
                Task { @MainActor in self?.handOn() }
            }
            inbox.end()
            Task { @MainActor in self?.handOn() }
        }
        reader.name = "mpv replies"
        reader.start()
    }

    /// Sends a request without waiting; its answer is handed to `then` before the notices that came after it.
    func send(_ words: [JSONValue], then: @escaping @MainActor (Result<JSONValue, MPVError>) -> Void = { _ in }) {
        guard !hasEnded else { return then(.failure(.ended)) }
        lastId += 1
        let request: JSONValue = ["command": .array(words), "request_id": .number(Double(lastId))]
        guard let text = try? request.text else { return then(.failure(.refused(reason: "not JSON"))) }
        answers[lastId] = then
        let bytes = Array((text + "\n").utf8)
        let socket = socket
        writer.async {
            if !socket.write(bytes) { socket.end() }
        }
    }

    /// Ends the connection; every open request fails.
    func end() {
        socket.end()
    }

    private func handOn() {
        let (notices, ended) = inbox.take()
        var batch: [TimedNotice] = []
        for notice in notices {
            guard case .reply(let id, let error, let data) = notice.notice else {
                batch.append(notice)
                continue
            }
            // In mpv's order: what came before the answer is known when the answer is.
            if !batch.isEmpty { onNotices?(batch) }
            batch = []
            answers.removeValue(forKey: id)?(error.map { .failure(.refused(reason: $0)) } ?? .success(data))
        }
        if !batch.isEmpty { onNotices?(batch) }
        guard ended, !hasEnded else { return }
        hasEnded = true
        let open = answers.sorted { $0.key < $1.key }
        answers = [:]
        for (_, answer) in open { answer(.failure(.ended)) }
        onEnd?()
    }
}

/// What the reading thread has read and the main actor has not yet taken.
final class NoticeInbox: @unchecked Sendable {  // `lock` guards all of it.
    private let lock = NSLock()
    private var waiting: [TimedNotice] = []
    private var hasEnded = false

    /// Adds notices; true when nobody is on the way to take them yet.
    func put(_ notices: [TimedNotice]) -> Bool {
        lock.withLock {
            let wasEmpty = waiting.isEmpty
            for notice in notices {
                // Positions come in floods; of some in a row only the last counts.
                if notice.isPosition, let last = waiting.last, last.isPosition { waiting.removeLast() }
                waiting.append(notice)
            }
            return wasEmpty && !waiting.isEmpty
        }
    }

    /// Says that nothing more will come.
    func end() { lock.withLock { hasEnded = true } }

    /// Takes everything, and whether that was all.
    func take() -> ([TimedNotice], ended: Bool) {
        lock.withLock {
            defer { waiting = [] }
            return (waiting, hasEnded)
        }
    }
}

/// Reads lines until the connection ends and hands on what they say; a line of more than a megabyte is skipped.
private func readLines(of socket: UnixSocket, handOn: ([TimedNotice]) -> Void) {
    let longest = 1 << 20
    var line: [UInt8] = []
    var isTooLong = false
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 1)
    defer { buffer.deallocate() }
    while let count = socket.read(into: buffer) {
        let now = monotonicMs()
        var notices: [TimedNotice] = []
        for byte in buffer.prefix(count) {
            if byte != UInt8(ascii: "\n") {
                if line.count < longest { line.append(byte) } else { isTooLong = true }
                continue
            }
            if !isTooLong, let text = String(validatingUTF8Bytes: line), let notice = MPVNotice(line: text) {
                notices.append(TimedNotice(notice: notice, atMs: now))
            }
            line.removeAll(keepingCapacity: true)
            isTooLong = false
        }
        if !notices.isEmpty { handOn(notices) }
    }
}

extension String {
    /// A text of UTF-8 bytes; nil when they are none.
    fileprivate init?(validatingUTF8Bytes bytes: [UInt8]) {
        self.init(bytes: bytes, encoding: .utf8)
    }
}

/// Monotonic time in ms.
func monotonicMs() -> Double {
    Double(DispatchTime.now().uptimeNanoseconds) / 1_000_000
}
