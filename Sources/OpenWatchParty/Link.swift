// OpenWatchParty for Swift. See LICENSE.

import OWPCore

/// One connection of a party: opens it, hands on what arrives, and keeps the order of what goes out.
@MainActor
final class Link {
    /// What happens on a connection that the party has not closed.
    enum Event {
        case opened
        case failed(any Error)
        case message(String)
        case ended(code: Int?, any Error)
    }

    private enum Outgoing {
        case text(String)
        case close(code: Int)
    }

    private let work: Work
    private let report: @MainActor (Event) -> Void
    private var opening: Work.Handle?
    private var connection: (any WebSocketConnection)?
    private var outgoing: [Outgoing] = []
    private var isStarting = false
    private var isClosed = false

    /// Makes a link and starts to open it.
    init(
        to url: String,
        connect: @escaping WebSocketConnect,
        work: Work,
        report: @escaping @MainActor (Event) -> Void
    ) {
        self.work = work
        self.report = report
        opening = work.run({ [self] in
            let connection = try await connect(url)
            // A connect that missed its cancellation must not leave a connection behind.
            if isClosed { connection.close(code: 1000) }
            return connection
        }) { [self] outcome in
            opening = nil
            switch outcome {
            case .success(let connection):
                self.connection = connection
                report(.opened)
                receive(on: connection)
            case .failure(let error):
                report(.failed(error))
            }
        }
    }

    /// Sends a text after those before it.
    func send(_ text: String) {
        guard !isClosed else { return }
        outgoing.append(.text(text))
        startNext()
    }

    /// Closes after what was sent, or gives up opening; nothing is reported any more.
    func close(code: Int) {
        guard !isClosed else { return }
        isClosed = true
        opening?.cancel()
        opening = nil
        guard connection != nil else { return }
        outgoing.append(.close(code: code))
        startNext()
    }

    private func receive(on connection: any WebSocketConnection) {
        guard !isClosed else { return }
        work.run({ try await connection.receive() }) { [self] outcome in
            guard !isClosed else { return }
            switch outcome {
            case .success(let text):
                report(.message(text))
                receive(on: connection)
            case .failure(let error):
                report(.ended(code: connection.closeCode, error))
            }
        }
    }

    /// Starts the next call on the connection once the one before it has been made.
    ///
    /// It does not wait for a send to return: the connection keeps the order of its calls, and one that is stuck must
    /// not hold up the close.
    private func startNext() {
        guard !isStarting, !outgoing.isEmpty, let connection else { return }
        if let prompt = connection as? any PromptWebSocketConnection { return post(on: prompt) }
        isStarting = true
        work.run({ [self] in
            let next = outgoing.removeFirst()
            isStarting = false
            // The next call has a task of its own, which runs when this one suspends or ends.
            startNext()
            switch next {
            case .text(let text): try await connection.send(text)
            case .close(let code): connection.close(code: code)
            }
        }) { _ in
            // A connection that cannot send ends, and receiving reports it.
        }
    }

    /// Makes all calls at once, so that a `leave` is on its way when the party's `leave` or `close` returns.
    private func post(on connection: any PromptWebSocketConnection) {
        let calls = outgoing
        outgoing = []
        for call in calls {
            switch call {
            case .text(let text): connection.post(text)
            case .close(let code): connection.close(code: code)
            }
        }
    }
}
