// OpenWatchParty for Swift. See LICENSE.

#if canImport(Darwin)
    import Foundation

    /// Gets the text of an `http://` or `https://` URL (section 3.4).
    ///
    /// Only status 200 with a body of at most 65536 bytes of UTF-8 succeeds, within 5000 ms; redirects are not followed.
    /// Cancelling the task ends it at once.
    ///
    /// - Parameter url: The URL.
    /// - Returns: The body.
    /// - Throws: ``TransportError``, or `CancellationError`.
    @MainActor
    public func urlSessionGet(_ url: String) async throws -> String {
        try Task.checkCancellation()
        guard let address = URL(string: url), ["http", "https"].contains(address.scheme?.lowercased()) else {
            throw TransportError(.invalidURL, "\(url) is not an http:// or https:// URL")
        }
        let events = GetEvents(url: url)
        let session = URLSession(configuration: .ephemeral, delegate: events, delegateQueue: nil)
        var request = URLRequest(url: address)
        request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
        let task = session.dataTask(with: request)
        session.finishTasksAndInvalidate()
        let limit = Task {
            try await Task.sleep(for: .milliseconds(Constants.httpTimeoutMs), clock: .continuous)
            let late = TransportError(.timedOut, "\(url): no whole answer within \(Constants.httpTimeoutMs) ms")
            if events.text.finish(.failure(late)) { task.cancel() }
        }
        defer { limit.cancel() }
        task.resume()
        return try await events.text.value { task.cancel() }
    }

    /// What the session tells of one GET.
    private final class GetEvents: NSObject, URLSessionDataDelegate {
        let url: String
        let text = Pending<String>()
        private let body = Locked(Data())

        init(url: String) { self.url = url }

        func urlSession(
            _ session: URLSession,
            task: URLSessionTask,
            willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest,
            completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) {
            completionHandler(nil)
        }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            let isTooLarge = body.withLock { body in
                if body.count + data.count > Constants.httpBodyBytes { return true }
                body.append(data)
                return false
            }
            guard isTooLarge else { return }
            text.finish(
                .failure(TransportError(.badAnswer, "\(url): the body is larger than \(Constants.httpBodyBytes) bytes"))
            )
            dataTask.cancel()
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            if let status = (task.response as? HTTPURLResponse)?.statusCode, status != 200 {
                let text = "\(url): the server answered with status \(status)"
                self.text.finish(.failure(TransportError(.badAnswer, text, httpStatus: status)))
            } else if let error {
                text.finish(.failure(transportError(error, url: url)))
            } else if let whole = String(data: body.withLock { $0 }, encoding: .utf8) {
                text.finish(.success(whole))
            } else {
                text.finish(.failure(TransportError(.badAnswer, "\(url): the body is not UTF-8")))
            }
        }
    }
#endif
