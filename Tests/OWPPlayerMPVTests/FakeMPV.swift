// OpenWatchParty for Swift. See LICENSE.

import Foundation
import OWPWire

/// A scripted mpv: listens on a socket, answers requests as its script says, and says whatever a test wants.
final class FakeMPV: @unchecked Sendable {  // `lock` guards everything that changes.
    /// One request as it came: its words and its ID.
    struct Request: Sendable {
        let words: [JSONValue]
        let id: Int64
        /// The first word.
        var name: String { if case .string(let name)? = words.first { name } else { "" } }
    }

    typealias Script = @Sendable (FakeMPV, Request) -> Void

    let path: String
    private let lock = NSLock()
    private let script: Script
    private var listener: Int32 = -1
    private var connection: Int32 = -1
    private var log: [Request] = []

    /// Makes a fake that does not listen yet; without a script it does whatever it is asked, at once.
    init(path: String? = nil, script: @escaping Script = { fake, request in fake.obey(request) }) {
        self.path = path ?? "/tmp/owp-fake-\(UUID().uuidString.prefix(8)).sock"
        self.script = script
    }

    deinit {
        unlink(path)
    }

    /// Everything it was asked.
    var requests: [Request] { lock.withLock { log } }

    /// The requests that change what plays: everything but observing and setting up.
    var commands: [Request] {
        requests.filter { request in
            if request.name == "observe_property" { return false }
            return
                !(request.name == "set_property"
                && ["keep-open", "keep-open-pause", "loop-file"].contains(request.words[1]))
        }
    }

    /// Begins to listen.
    func listen(sendBuffer: Int32? = nil) {
        unlink(path)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        #if canImport(Glibc)
            let fd = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let fd = socket(AF_UNIX, SOCK_STREAM, 0)
        #endif
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(fd, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        precondition(bound == 0 && Foundation.listen(fd, 4) == 0, "cannot listen on \(path)")
        lock.withLock { listener = fd }
        Thread { [self] in
            let accepted = accept(fd, nil, nil)
            guard accepted >= 0 else { return }
            if var size = sendBuffer {
                setsockopt(accepted, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
            }
            lock.withLock { connection = accepted }
            serve(accepted)
        }.start()
    }

    /// Ends the connection and the listener.
    func stop() {
        lock.withLock {
            if connection >= 0 { shutdown(connection, Int32(SHUT_RDWR)) }
            if listener >= 0 { shutdown(listener, Int32(SHUT_RDWR)) }
        }
    }

    /// Says a line.
    func say(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        let fd = lock.withLock { connection }
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                send(fd, $0.baseAddress?.advanced(by: sent), $0.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return }
            sent += count
        }
    }

    /// Says that a property has a value, given as JSON.
    func say(_ property: String, _ value: String) {
        say(#"{"event":"property-change","id":1,"name":"\#(property)","data":\#(value)}"#)
    }

    /// Says an event.
    func say(event: String) { say(#"{"event":"\#(event)"}"#) }

    /// Answers a request.
    func answer(_ request: Request, _ error: String = "success") {
        say(#"{"request_id":\#(request.id),"error":"\#(error)"}"#)
    }

    /// Does what mpv does: answers, then reports what changed.
    func obey(_ request: Request) {
        answer(request)
        switch request.name {
        case "set_property":
            guard case .string(let name) = request.words[1] else { return }
            switch request.words[2] {
            case .bool(let value): say(name, "\(value)")
            case .number(let value): say(name, "\(value)")
            default: break
            }
        case "seek":
            guard case .number(let target) = request.words[1] else { return }
            say(event: "seek")
            say("seeking", "true")
            say("time-pos", "\(target)")
            say(event: "playback-restart")
            say("seeking", "false")
        default: break
        }
    }

    /// Says what mpv says when a file has been opened, paused.
    func sayLoaded(duration: String = "600.0") {
        say(event: "file-loaded")
        say("pause", "true")
        say("duration", duration)
        say("time-pos", "0.0")
        say("vo-configured", "true")
        say(event: "playback-restart")
        say("seeking", "false")
    }

    private func serve(_ fd: Int32) {
        var pending: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = recv(fd, &buffer, buffer.count, 0)
            guard count > 0 else { break }
            pending += buffer[..<count]
            while let end = pending.firstIndex(of: 10) {
                let line = String(decoding: pending[..<end], as: UTF8.self)
                pending.removeSubrange(...end)
                guard let message = try? JSONValue(parsing: line), case .array(let words)? = message["command"],
                    let id = message["request_id"]?.wireInt
                else { continue }
                let request = Request(words: words, id: id)
                lock.withLock { log.append(request) }
                script(self, request)
            }
        }
        close(fd)
        lock.withLock { connection = -1 }
    }
}

/// Waits until something is so; false when it is not within the limit.
@MainActor
func eventually(withinMs limitMs: Int = 60_000, _ isMet: @MainActor () -> Bool) async -> Bool {
    let end = ContinuousClock.now + .milliseconds(limitMs)
    while !isMet() {
        if ContinuousClock.now > end { return false }
        try? await Task.sleep(for: .milliseconds(2))
    }
    return true
}

/// Lets real time pass, where what must not happen in it is the subject.
@MainActor
func pass(ms: Int) async {
    try? await Task.sleep(for: .milliseconds(ms))
}
