// OpenWatchParty for Swift. See LICENSE.

import Foundation

/// A local file as a player's input that can be held back, so that the player runs out of cache by itself.
///
/// A small HTTP server on 127.0.0.1 with ranges. While it is held it sends nothing more, as a slow network would.
package final class HoldableInput: @unchecked Sendable {  // `condition` guards what changes.
    /// Words for mpv's command line that keep its cache to about a second, so that a hold is soon felt.
    package static let arguments = [
        "--cache=yes", "--cache-secs=1", "--demuxer-readahead-secs=1", "--stream-buffer-size=16KiB",
        "--stream-lavf-o=recv_buffer_size=16384",
        // Else a seek back plays from what was kept, and no hold is felt there.
        "--demuxer-seekable-cache=no", "--demuxer-max-back-bytes=0",
    ]

    /// What the player is to open.
    package let url: String

    private let file: String
    private let size: Int64
    private let listener: Int32
    private let condition = NSCondition()
    private var isHeld = false
    private var isStopped = false

    /// Begins to serve a file.
    ///
    /// - Parameter file: The file's path.
    /// - Throws: ``MPVError/cannotPlay(reason:)`` when the file cannot be read or no port is free.
    package init(file: String) throws(MPVError) {
        guard let handle = FileHandle(forReadingAtPath: file), let end = try? handle.seekToEnd() else {
            throw .cannotPlay(reason: "it cannot be read")
        }
        self.file = file
        size = Int64(end)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let listener = tcpSocket()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listens = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 8) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard listens else {
            close(listener)
            throw .cannotPlay(reason: "no port is free to serve it")
        }
        self.listener = listener
        url = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))/film"
        let thread = Thread { [self] in acceptAll() }
        thread.name = "holdable input"
        thread.start()
    }

    /// Sends nothing more until ``release()``.
    package func hold() { change { isHeld = true } }

    /// Sends on.
    package func release() { change { isHeld = false } }

    /// Ends the server and its connections.
    package func stop() {
        change { isStopped = true }
        shutdown(listener, Int32(SHUT_RDWR))
    }

    private func change(_ apply: () -> Void) {
        condition.lock()
        apply()
        condition.broadcast()
        condition.unlock()
    }

    /// Waits while it is held; false once it is stopped.
    private func maySend() -> Bool {
        condition.lock()
        defer { condition.unlock() }
        while isHeld, !isStopped { condition.wait() }
        return !isStopped
    }

    private func acceptAll() {
        while true {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { break }
            let thread = Thread { [self] in
                serve(connection)
                close(connection)
            }
            thread.start()
        }
        close(listener)
    }

    /// Answers one request, since a player opens a connection for each place it reads from.
    private func serve(_ connection: Int32) {
        // As little as possible under way, so that a hold is felt at once.
        var small: Int32 = 8192
        setsockopt(connection, SOL_SOCKET, SO_SNDBUF, &small, socklen_t(MemoryLayout<Int32>.size))
        guard let head = readHead(connection), let handle = FileHandle(forReadingAtPath: file) else { return }
        let start = min(rangeStart(head), size)
        var answer = start > 0 ? "HTTP/1.1 206 Partial Content\r\n" : "HTTP/1.1 200 OK\r\n"
        if start > 0 { answer += "Content-Range: bytes \(start)-\(size - 1)/\(size)\r\n" }
        answer += "Accept-Ranges: bytes\r\nContent-Length: \(size - start)\r\nConnection: close\r\n\r\n"
        guard maySend(), sendAll(Array(answer.utf8), to: connection), !head.hasPrefix("HEAD") else { return }
        guard (try? handle.seek(toOffset: UInt64(start))) != nil else { return }
        while maySend(), let chunk = try? handle.read(upToCount: 4096), !chunk.isEmpty {
            guard sendAll(Array(chunk), to: connection) else { return }
        }
    }

    private func readHead(_ connection: Int32) -> String? {
        var head: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while head.count < 16_384 {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            head += buffer[..<count]
            let text = String(decoding: head, as: UTF8.self)
            if text.contains("\r\n\r\n") { return text }
        }
        return nil
    }

    private func rangeStart(_ head: String) -> Int64 {
        for line in head.split(separator: "\r\n") where line.lowercased().hasPrefix("range: bytes=") {
            let digits = line.dropFirst("range: bytes=".count).prefix { $0.isASCII && $0.isNumber }
            return Int64(digits) ?? 0
        }
        return 0
    }
}

/// A TCP socket that no child process inherits.
private func tcpSocket() -> Int32 {
    #if canImport(Glibc)
        socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    #else
        socket(AF_INET, SOCK_STREAM, 0)
    #endif
}

/// Sends all bytes; false once the connection has ended.
private func sendAll(_ bytes: [UInt8], to connection: Int32) -> Bool {
    var sent = 0
    while sent < bytes.count {
        let count = bytes.withUnsafeBytes {
            send(connection, $0.baseAddress?.advanced(by: sent), $0.count - sent, noSignal)
        }
        guard count > 0 else { return false }
        sent += count
    }
    return true
}

/// The flag with which a send to a connection that has ended fails instead of raising a signal.
#if canImport(Darwin)
    let noSignal: Int32 = 0
#else
    let noSignal = Int32(MSG_NOSIGNAL)
#endif

extension MPVPlayer {
    /// Starts an mpv with a file open whose input can be held back.
    ///
    /// A hold is felt within some seconds of playing, when what was sent before has been played: wait for
    /// ``MPVPlayer/buffering``. After ``HoldableInput/release()`` mpv goes on by itself.
    ///
    /// - Parameters:
    ///   - file: The file's path.
    ///   - options: How mpv is started; the words for a small cache are added.
    /// - Returns: The player, and its input, to be stopped after the player was closed.
    /// - Throws: ``MPVError``.
    package static func start(
        withHoldable file: String,
        options: Options = Options()
    ) async throws -> (player: MPVPlayer, input: HoldableInput) {
        let input = try HoldableInput(file: file)
        var options = options
        options.arguments += HoldableInput.arguments
        do {
            let player = try await MPVPlayer.start(options)
            do {
                try await player.open(input.url)
            } catch {
                await player.close()
                throw error
            }
            return (player, input)
        } catch {
            input.stop()
            throw error
        }
    }
}
