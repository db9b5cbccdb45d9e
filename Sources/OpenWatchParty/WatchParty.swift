// OpenWatchParty for Swift. See LICENSE.

public import OWPCore
import OWPParty
public import OWPTransportFoundation

/// One participant's session: it keeps the room's state, matches its media and drives the app's player (section 16.2).
///
/// `Ref` is what the app opens a file by; refs are compared with `==`. Everything runs on the main actor. Call
/// ``close()`` when done with the party: until then one that is in a room stays there, also when nothing refers to it.
@MainActor
public final class WatchParty<Ref: Equatable & Sendable> {
    let driver: PartyDriver<Ref>

    /// Makes a party that is in no room.
    ///
    /// - Parameters:
    ///   - relays: The app's relay list.
    ///   - client: The app and its version, as `<app>/<version>`, of 1 to 64 code points.
    ///   - name: The user's display name, of 1 to 32 code points.
    ///   - resolver: The search for the user's own files; without one, other participants' media is unavailable.
    ///   - connect: Opens the WebSockets; nil for `urlSessionConnect`.
    ///   - clock: Local time and timers.
    ///   - random: Spreads the attempts to reconnect.
    /// - Throws: ``PartyError`` with `invalid_message` for a bad client or name (section 7.1).
    public init(
        relays: Relays,
        client: String,
        name: String,
        resolver: Resolver<Ref>? = nil,
        connect: WebSocketConnect? = nil,
        clock: any PartyClock = SystemClock(),
        random: any RandomNumberGenerator = SystemRandomNumberGenerator()
    ) throws {
        let machine: PartyMachine
        do {
            machine = try PartyMachine(client: client, name: name, hasResolver: resolver != nil)
        } catch {
            throw PartyError(error.code, error.message)
        }
        driver = PartyDriver(
            machine: machine,
            relays: relays,
            resolver: resolver,
            connect: connect ?? urlSessionConnect,
            clock: clock,
            random: random
        )
    }

    // MARK: State and session

    /// Everything the user interface shows, as one value.
    public var state: PartyState<Ref> { driver.state }

    /// A new stream of every state published from now on, in order; equal states are not published again.
    ///
    /// It holds what is not read yet without limit, and ends with ``close()``.
    public func states() -> AsyncStream<PartyState<Ref>> { driver.states.stream() }

    /// A new stream of every event from now on, in order (section 15).
    ///
    /// It holds what is not read yet without limit, and ends with ``close()``. Ignore events that are not known.
    public func events() -> AsyncStream<any PartyEvent> { driver.events.stream() }

    /// Creates a room and joins it as its host (sections 6 and 7.2).
    ///
    /// Cancelling the calling task cancels the attempt.
    ///
    /// - Returns: The room's code, 6 symbols; `formatCode` makes it readable.
    /// - Throws: ``PartyError`` with the relay's code, or with `already_in_room`, `unreachable`, `invalid_message` or
    ///   `cancelled` (by ``leave()`` or ``close()``); `CancellationError`; ``PartyClosedError`` after ``close()``.
    public func create() async throws -> String {
        try Task.checkCancellation()
        return try await startCreate().value()
    }

    /// Joins a room by its code (section 7.2).
    ///
    /// Cancelling the calling task cancels the attempt.
    ///
    /// - Parameters:
    ///   - code: The code as typed or pasted, such as `k7m-q2x`.
    ///   - create: Whether to make the room, with this party as its host, when no room has the code.
    /// - Throws: As ``create()``, and ``PartyError`` with `invalid_code` or `room_not_found`.
    public func join(_ code: String, create: Bool = false) async throws {
        try Task.checkCancellation()
        try await startJoin(code, create: create).value()
    }

    /// Leaves the room, or gives up a `create` or `join` that is under way (section 7.4).
    public func leave() { driver.handle(.leave) }

    /// Leaves the room and releases everything; the party cannot be used again (section 7.4).
    ///
    /// - Returns: A completion for ``detachPlayer(_:)``'s purpose: await its value before disposing of a player.
    @discardableResult
    public func close() -> Task<Void, Never> { startClose().completion }

    /// The room's position now in ms, without the offset; nil without media or before relay time is known.
    public func roomPositionMs() -> Int64? { driver.roomPositionMs }

    // MARK: Matching and the player

    /// Lets the party drive a player that has the file of `ref` open (section 10.2).
    ///
    /// Call it once for each file that is opened, with the ref that was opened: that of `state.choice`, or as host the
    /// one given to ``setMedia(_:ref:positionMs:)``. Another attached player is released.
    public func attachPlayer(_ player: any PlayerAdapter, ref: Ref) { driver.attach(player, ref: ref) }

    /// Stops driving the player, and takes the user out of what the room waits for (sections 10.2 and 11.2).
    ///
    /// - Parameter player: The player to detach; nothing happens when it is not the one attached. nil is any.
    /// - Returns: A completion, which ends once no released player has a command running: await its value before
    ///   disposing of a player.
    @discardableResult
    public func detachPlayer(_ player: (any PlayerAdapter)? = nil) -> Task<Void, Never> {
        startDetach(player).completion
    }

    /// Tells the party that the player's state changed, so that it reads it now instead of at the next tick.
    public func playerChanged() { driver.handle(.playerChanged) }

    /// Plays the offered file, though its duration differs; does nothing without an offer (section 9.6).
    public func acceptMismatch() { driver.handle(.acceptMismatch) }

    /// Declines the offered file; does nothing without an offer (section 9.6).
    public func declineMismatch() { driver.handle(.declineMismatch) }

    /// Takes a file that the user picked, from the candidates or from anywhere else (section 9.6).
    ///
    /// A candidate without a counting duration is probed, without a deadline. Cancelling the calling task cancels that.
    ///
    /// - Returns: Whether the party took it; false without media, without a duration, or when another choice or media
    ///   came meanwhile.
    public func choose(_ candidate: Candidate<Ref>) async -> Bool {
        (try? await startChoose(candidate).value()) ?? false
    }

    /// Searches again for the current media; with a file chosen, for the list of candidates alone (section 9.1).
    ///
    /// Does nothing without media, or for the party's own.
    public func resolveAgain() { driver.handle(.resolveAgain) }

    // MARK: Playback

    /// Asks the room to play (section 12).
    ///
    /// - Throws: ``PartyError`` with `not_in_room`, `invalid_message` (no media) or `forbidden` (no controller).
    public func play() throws { try driver.command(.play) }

    /// Pauses the room, and the own player at once (section 12).
    ///
    /// - Throws: As ``play()``.
    public func pause() throws { try driver.command(.pause) }

    /// Moves the room, and the own player at once (section 12).
    ///
    /// - Parameter positionMs: Where to, in ms of the user's own file, at least 0.
    /// - Throws: As ``play()``, and `invalid_message` for a position out of bounds.
    public func seek(to positionMs: Int64) throws { try driver.command(.seek(positionMs)) }

    /// Sets the room's rate, and the own player's at once when it can (section 12).
    ///
    /// - Parameter rate: From 0.5 to 2.0.
    /// - Throws: As ``play()``, and `invalid_message` for a rate out of bounds.
    public func setRate(_ rate: Double) throws { try driver.command(.setRate(rate)) }

    /// Sets how far the user's file is ahead of the room, such as by a longer intro (section 13).
    ///
    /// It needs no room; a new epoch sets it back to 0.
    ///
    /// - Parameter offsetMs: In ms, within ±604800000.
    /// - Throws: ``PartyError`` with `invalid_message` for an offset out of bounds.
    public func setOffset(_ offsetMs: Int64) throws { try driver.command(.setOffset(offsetMs)) }

    // MARK: Host controls

    /// Shares a title; call ``attachPlayer(_:ref:)`` with the same `ref` before or after (sections 10.2 and 12).
    ///
    /// - Parameters:
    ///   - media: The descriptor; `checkMedia` names the first rule it breaks.
    ///   - ref: The user's own file of it.
    ///   - positionMs: Where the room starts, in ms, at least 0.
    /// - Throws: ``PartyError`` with `not_in_room`, `forbidden` (not the host) or `invalid_message`.
    public func setMedia(_ media: Media, ref: Ref, positionMs: Int64 = 0) throws {
        let own = driver.offer(Candidate(id: "", ref: ref, durationMs: media.durationMs))
        try driver.command(.setMedia(media, own.key, own.ref, positionMs: positionMs))
    }

    /// Stops the media.
    ///
    /// - Throws: ``PartyError`` with `not_in_room` or `forbidden` (not the host).
    public func clearMedia() throws { try driver.command(.clearMedia) }

    /// Sets who may play, pause, seek and set the rate.
    ///
    /// - Throws: As ``clearMedia()``.
    public func setControl(_ mode: Control) throws { try driver.command(.setControl(mode)) }

    /// Makes another participant the host.
    ///
    /// - Throws: As ``clearMedia()``, and `invalid_message` for a peer ID that is not in the room.
    public func transferHost(_ peerId: String) throws { try driver.command(.transferHost(peerId)) }

    /// Removes a participant from the room.
    ///
    /// - Throws: As ``transferHost(_:)``.
    public func kick(_ peerId: String) throws { try driver.command(.kick(peerId)) }

    /// Refuses new joins, or allows them again.
    ///
    /// - Throws: As ``clearMedia()``.
    public func lock(_ locked: Bool) throws { try driver.command(.lock(locked)) }

    /// Ends the room for everyone.
    ///
    /// - Throws: As ``clearMedia()``.
    public func end() throws { try driver.command(.end) }
}

/// The party was closed before: a mistake of the app, and no `PartyError` (section 7.4).
public struct PartyClosedError: Error, Hashable, Sendable {
    /// Makes the error.
    public init() {}
}
