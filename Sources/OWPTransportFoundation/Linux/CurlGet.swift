// OpenWatchParty for Swift. See LICENSE.

#if !canImport(Darwin)
    import Foundation

    /// Gets the text of an `http://` or `https://` URL (section 3.4).
    ///
    /// Only status 200 with a body of at most 65536 bytes of UTF-8 succeeds, within 5000 ms; redirects are not followed,
    /// and nothing is decompressed. Cancelling the task ends it at once. On Apple platforms it stands on `URLSession`, on
    /// Linux on the system's libcurl, since `URLSession` has no limits there that hold; proxies come from the usual
    /// environment variables, and a private CA from `SSL_CERT_FILE`.
    ///
    /// - Parameter url: The URL.
    /// - Returns: The body.
    /// - Throws: ``TransportError``, or `CancellationError`.
    @MainActor
    public func urlSessionGet(_ url: String) async throws -> String {
        try Task.checkCancellation()
        return try await get(url, library: try CurlLibrary.shared.get())
    }

    /// Gets the text of a URL through a libcurl.
    @MainActor
    func get(_ url: String, library: CurlLibrary) async throws -> String {
        let lowercase = url.lowercased()
        guard lowercase.hasPrefix("https://") || lowercase.hasPrefix("http://"),
            url.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw TransportError(.invalidURL, "\(url) is not an http:// or https:// URL") }

        let waker = Waker()
        let pending = Pending<String>()
        // Not libcurl's own time limit: a hanging look-up of a name would outlast that.
        let limit = Task {
            try await Task.sleep(for: .milliseconds(Constants.httpTimeoutMs), clock: .continuous)
            let late = TransportError(.timedOut, "\(url): no whole answer within \(Constants.httpTimeoutMs) ms")
            if pending.finish(.failure(late)) { waker.wake() }
        }
        defer { limit.cancel() }
        Thread.start(named: "OWPGet") {
            // The handle is freed after the outcome is known, and on this thread.
            do throws(TransportError) {
                let handle = try CurlHandle(url: url, place: url, library: library, waker: waker)
                pending.finish(Result { try answer(of: handle, url: url) { pending.isFinished } })
            } catch {
                pending.finish(.failure(error))
            }
        }
        return try await pending.value { waker.wake() }
    }

    /// Makes the GET and judges the answer.
    private func answer(of handle: CurlHandle, url: String, isCancelled: () -> Bool) throws(TransportError) -> String {
        let body = GetBody(limit: Constants.httpBodyBytes)
        var failure: TransportError?
        do throws(TransportError) { try handle.get(into: body, isCancelled: isCancelled) } catch { failure = error }
        let status = handle.status
        guard status == 0 || status == 200 else {
            throw TransportError(.badAnswer, "\(url): the server answered with status \(status)", httpStatus: status)
        }
        if body.isTooLarge { throw TransportError(.badAnswer, "\(url): the body is larger than \(body.limit) bytes") }
        if let failure { throw failure }
        guard let text = String(bytes: body.bytes, encoding: .utf8) else {
            throw TransportError(.badAnswer, "\(url): the body is not UTF-8")
        }
        return text
    }

    /// The body of a GET while it comes, up to a limit; it belongs to one thread.
    final class GetBody {
        /// The largest body, in bytes.
        let limit: Int
        /// What has come.
        private(set) var bytes: [UInt8] = []
        /// Whether more has come than the limit.
        private(set) var isTooLarge = false

        init(limit: Int) { self.limit = limit }

        /// Takes a piece; false ends the transfer.
        func take(_ piece: UnsafeRawBufferPointer) -> Bool {
            isTooLarge = isTooLarge || piece.count > limit - bytes.count
            if !isTooLarge { bytes.append(contentsOf: piece) }
            return !isTooLarge
        }
    }
#endif
