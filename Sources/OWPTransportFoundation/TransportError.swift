// OpenWatchParty for Swift. See LICENSE.

/// Why a connection did not open or has ended, or why a GET failed.
public struct TransportError: Error, Hashable, Sendable {
    /// A stable reason; new ones may appear in a minor release.
    public struct Code: Hashable, Sendable {
        private enum Base {
            case invalidURL, noLibrary, nameNotFound, notConnected, tls, timedOut, refused, protocolBroken
            case closedByPeer, closed, lost, badAnswer
        }
        private let base: Base

        /// The URL cannot be opened.
        public static let invalidURL = Code(base: .invalidURL)
        /// The system's libcurl is missing or too old (Linux).
        public static let noLibrary = Code(base: .noLibrary)
        /// The host's name, or a proxy's, has no address.
        public static let nameNotFound = Code(base: .nameNotFound)
        /// No connection to the host could be made.
        public static let notConnected = Code(base: .notConnected)
        /// The TLS handshake failed, or the host's certificate is not trusted.
        public static let tls = Code(base: .tls)
        /// The time was over.
        public static let timedOut = Code(base: .timedOut)
        /// The server refused the upgrade; ``TransportError/httpStatus`` tells its answer.
        public static let refused = Code(base: .refused)
        /// The peer broke RFC 6455 or a limit.
        public static let protocolBroken = Code(base: .protocolBroken)
        /// The peer sent a close frame.
        public static let closedByPeer = Code(base: .closedByPeer)
        /// The connection was closed on this side.
        public static let closed = Code(base: .closed)
        /// The connection ended without a close frame.
        public static let lost = Code(base: .lost)
        /// A GET's answer has a status other than 200, is too large, or is not UTF-8.
        public static let badAnswer = Code(base: .badAnswer)
    }

    /// The reason.
    public let code: Code
    /// English text for logs, which says what is wrong.
    public let message: String
    /// The status of the server's answer, when there was one that is not the wanted one.
    public let httpStatus: Int?

    /// Makes an error.
    package init(_ code: Code, _ message: String, httpStatus: Int? = nil) {
        self.code = code
        self.message = message
        self.httpStatus = httpStatus
    }
}

extension TransportError: CustomStringConvertible {
    /// The message.
    public var description: String { message }
}
