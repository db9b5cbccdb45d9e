// OpenWatchParty for Swift. See LICENSE.

/// A text WebSocket, as the party uses it (section 16.8).
@MainActor
public protocol WebSocketConnection: AnyObject {
    /// Waits for the next text message, of 16384 bytes and more; throws once the connection has ended.
    func receive() async throws -> String
    /// The peer's close status, when one came; set before ``receive()`` throws.
    var closeCode: Int? { get }
    /// Hands a message on; returns once that is done, and calls keep their order.
    func send(_ text: String) async throws
    /// Closes after what was sent before; never fails, and a second call does nothing.
    func close(code: Int)
}

/// A WebSocket that takes a message without waiting.
///
/// What it was given is on its way once the call has returned, also when the process ends right after that.
@MainActor
package protocol PromptWebSocketConnection: WebSocketConnection {
    /// Hands a message on, after those before it; does nothing once the connection has ended.
    func post(_ text: String)
}

/// Opens a WebSocket to a `ws://` or `wss://` URL, or throws; stops when its task is cancelled (section 16.8).
public typealias WebSocketConnect = @MainActor (String) async throws -> any WebSocketConnection

/// Gets the text of a URL (section 3.4).
///
/// Only status 200 with a UTF-8 body of at most 65536 bytes succeeds; redirects are not followed, and the GET stops
/// when its task is cancelled.
public typealias HTTPGet = @MainActor (String) async throws -> String
