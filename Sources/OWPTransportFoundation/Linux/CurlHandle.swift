// OpenWatchParty for Swift. See LICENSE.

#if !canImport(Darwin)
    import COWPSystem
    import Foundation

    /// One transfer of libcurl's: an easy handle in a multi handle of its own; it belongs to the thread that made it.
    final class CurlHandle {
        /// What a read gave.
        enum Received {
            case bytes(Int)
            case nothingYet
            case end
        }

        /// Options and results by their numbers in libcurl's stable ABI.
        private enum Number {
            static let url: Int32 = 10002
            static let errorText: Int32 = 10010
            static let caFile: Int32 = 10065
            static let caPath: Int32 = 10097
            static let connectOnly: Int32 = 141
            static let noSignal: Int32 = 99
            static let httpVersion: Int32 = 84
            static let tcpNoDelay: Int32 = 121
            static let proxyTunnel: Int32 = 61
            static let connectTimeoutMs: Int32 = 156
            static let again: Int32 = 81
        }

        private let library: CurlLibrary
        private let waker: Waker
        private let easy: UnsafeMutableRawPointer
        private let multi: UnsafeMutableRawPointer
        private let errorText: UnsafeMutablePointer<CChar>
        private let place: String
        private var socket: Int32 = -1

        /// Makes a transfer.
        ///
        /// - Parameters:
        ///   - url: An `http://` or `https://` URL.
        ///   - place: What error messages begin with.
        ///   - library: The loaded libcurl.
        ///   - waker: Ends the handle's waits.
        ///   - environment: Where `SSL_CERT_FILE` and `SSL_CERT_DIR` are looked up, which libcurl itself does not read.
        /// - Throws: ``TransportError``, `noLibrary`.
        init(
            url: String,
            place: String,
            library: CurlLibrary,
            waker: Waker,
            environment: [String: String] = ProcessInfo.processInfo.environment
        ) throws(TransportError) {
            guard let easy = library.api.pointee.easy_init() else {
                throw TransportError(.noLibrary, "libcurl gave no handle")
            }
            guard let multi = library.api.pointee.multi_init() else {
                library.api.pointee.easy_cleanup(easy)
                throw TransportError(.noLibrary, "libcurl gave no handle")
            }
            (self.library, self.waker, self.easy, self.multi, self.place) = (library, waker, easy, multi, place)
            errorText = .allocate(capacity: 256)
            errorText.initialize(repeating: 0, count: 256)
            waker.attach(library, multi: multi)
            _ = owp_curl_set_pointer(library.api, easy, Number.errorText, errorText)
            _ = owp_curl_keep_from_children(library.api, easy)
            set(Number.url, url)
            set(Number.noSignal, 1)
            set(Number.httpVersion, 2)  // HTTP/1.1.
            set(Number.tcpNoDelay, 1)
            if let file = environment["SSL_CERT_FILE"], !file.isEmpty { set(Number.caFile, file) }
            if let folder = environment["SSL_CERT_DIR"], !folder.isEmpty { set(Number.caPath, folder) }
        }

        deinit {
            waker.detach()
            _ = library.api.pointee.multi_remove_handle(multi, easy)
            library.api.pointee.easy_cleanup(easy)
            _ = library.api.pointee.multi_cleanup(multi)
            errorText.deallocate()
        }

        /// Connects, TLS and a proxy's tunnel included; the bytes on the socket are then the caller's.
        ///
        /// - Parameters:
        ///   - limitMs: The time it may take, in ms.
        ///   - isCancelled: Asked after each wait.
        /// - Throws: ``TransportError``.
        func connect(limitMs: Int, isCancelled: () -> Bool) throws(TransportError) {
            set(Number.connectOnly, 1)
            set(Number.proxyTunnel, 1)
            set(Number.connectTimeoutMs, limitMs)
            try perform(isCancelled: isCancelled)
            socket = owp_curl_socket(library.api, easy)
            guard socket >= 0 else { throw TransportError(.notConnected, "\(place): libcurl gave no socket") }
        }

        /// Makes a GET.
        ///
        /// - Parameters:
        ///   - body: Takes the body's pieces; kept alive by the caller.
        ///   - isCancelled: Asked after each wait.
        /// - Throws: ``TransportError``.
        func get(into body: GetBody, isCancelled: () -> Bool) throws(TransportError) {
            let write: owp_curl_write = { bytes, size, count, user in
                guard let bytes, let user else { return 0 }
                let piece = UnsafeRawBufferPointer(start: bytes, count: size * count)
                return Unmanaged<GetBody>.fromOpaque(user).takeUnretainedValue().take(piece) ? piece.count : 0
            }
            _ = owp_curl_set_write(library.api, easy, write, Unmanaged.passUnretained(body).toOpaque())
            try perform(isCancelled: isCancelled)
        }

        /// The status of the answer; 0 when none has come.
        var status: Int { owp_curl_status(library.api, easy) }

        /// Runs the transfer to its end.
        private func perform(isCancelled: () -> Bool) throws(TransportError) {
            _ = library.api.pointee.multi_add_handle(multi, easy)
            while true {
                var running: Int32 = 0
                let state = library.api.pointee.multi_perform(multi, &running)
                var result: Int32 = 0
                if owp_curl_done(library.api, multi, &result) != 0 {
                    if result == 0 { return }
                    throw failure(result)
                }
                guard state == 0 else { throw TransportError(.notConnected, "\(place): libcurl failed (\(state))") }
                if isCancelled() { throw TransportError(.closed, "\(place): cancelled") }
                wait(forWriting: false, timeoutMs: 1000)
            }
        }

        /// Sends bytes on the socket.
        ///
        /// - Parameter bytes: At least one byte.
        /// - Returns: How many were sent; 0 when the socket takes none now.
        /// - Throws: ``TransportError``, `lost`.
        func send(_ bytes: UnsafeRawBufferPointer) throws(TransportError) -> Int {
            var count = 0
            switch library.api.pointee.easy_send(easy, bytes.baseAddress, bytes.count, &count) {
            case 0: return count
            case Number.again: return 0
            default: throw TransportError(.lost, "\(place): the connection was lost")
            }
        }

        /// Reads bytes from the socket; until there is `nothingYet`, waiting for the socket could miss decrypted bytes.
        ///
        /// - Parameter bytes: Where they go.
        /// - Returns: How many came, or that the connection has ended.
        func receive(into bytes: UnsafeMutableRawBufferPointer) -> Received {
            var count = 0
            switch library.api.pointee.easy_recv(easy, bytes.baseAddress, bytes.count, &count) {
            case 0: return count > 0 ? .bytes(count) : .end
            case Number.again: return .nothingYet
            default: return .end
            }
        }

        /// Waits for the socket, a wake-up or the end of the time.
        func wait(forReading: Bool = true, forWriting: Bool, timeoutMs: Int) {
            let limited = Int32(clamping: timeoutMs)
            _ = owp_curl_wait(library.api, multi, socket, forReading ? 1 : 0, forWriting ? 1 : 0, limited)
        }

        private func set(_ option: Int32, _ value: Int) { _ = owp_curl_set_long(library.api, easy, option, value) }
        private func set(_ option: Int32, _ value: String) { _ = owp_curl_set_string(library.api, easy, option, value) }

        /// What a result of libcurl's means, with libcurl's own words.
        private func failure(_ result: Int32) -> TransportError {
            let general =
                library.api.pointee.easy_strerror(result).map { String(cString: $0) } ?? "libcurl error \(result)"
            let own = String(cString: errorText)
            let text = own.isEmpty ? general : own
            return switch result {
            case 3: TransportError(.invalidURL, "\(place): \(text)")
            case 5, 6: TransportError(.nameNotFound, "\(place): \(text)")
            case 28: TransportError(.timedOut, "\(place): \(text)")
            case 35, 51, 53, 54, 58, 59, 60, 64, 66, 77, 80, 82, 83, 90, 91:
                TransportError(.tls, "\(place): TLS: \(text)")
            default: TransportError(.notConnected, "\(place): \(text)")
            }
        }
    }
#endif
