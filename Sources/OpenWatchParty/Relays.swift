// OpenWatchParty for Swift. See LICENSE.

public import OWPCore
package import OWPParty

/// The relays that parties use, and which of them owns a room code (section 3).
///
/// Make one for the whole app and give it to every party.
@MainActor
public final class Relays {
    private var directory: RelayDirectory

    private init(directory: RelayDirectory) {
        self.directory = directory
    }

    /// One self-hosted relay for every room (section 3.1).
    ///
    /// - Parameter baseURL: The relay's base, such as `https://relay.example.com` or `http://192.168.1.5:8080/owp`.
    /// - Returns: A list of that relay alone, which is never refreshed.
    /// - Throws: ``PartyError`` with `invalid_message` for a bad base URL.
    public static func at(_ baseURL: String) throws -> Relays {
        Relays(directory: RelayDirectory(only: try Relay.custom(baseURL: baseURL)))
    }

    /// The relays in use.
    public var list: [Relay] { directory.list }

    /// The relay that owns a room code, typed in any form; nil for an invalid code or a first symbol nobody owns.
    ///
    /// It looks at the list in use: it never waits and never refreshes.
    public func relayFor(_ code: String) -> Relay? { directory.relay(forTypedCode: code) }

    /// Where a party's calls find their relay now.
    package var source: RelaySource { directory.source }

    /// Forces a refresh.
    func refresh(then finish: @escaping @MainActor (Bool) -> Void) { finish(true) }

    /// Takes a `joined` of some party.
    func joined() {}
}
