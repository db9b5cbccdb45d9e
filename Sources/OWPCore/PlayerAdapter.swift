// OpenWatchParty for Swift. See LICENSE.

/// The app's player, as the party reads and commands it (section 16.4).
///
/// The reads are cheap and synchronous: the party reads them on every tick of 500 ms. A command returns when the
/// player has done it, and must finish or throw: a hung command holds its lane and the completions of
/// `detachPlayer` and `close`. Positions are in ms of the app's own file.
@MainActor
public protocol PlayerAdapter: AnyObject {
    /// The current position in ms.
    var positionMs: Int64 { get }
    /// The file's duration in ms; nil when unknown, and then the end of a shorter file is not protected.
    var durationMs: Int64? { get }
    /// Whether the player is paused.
    var paused: Bool { get }
    /// Whether the player stalled while trying to play.
    var buffering: Bool { get }
    /// Whether the file is open and shows a frame; the party reports `loading` until then.
    var firstFrameShown: Bool { get }
    /// Whether ``setRate(_:)`` works; may change while attached.
    ///
    /// False by default.
    var canSetRate: Bool { get }
    /// How far from its target a seek may land, in ms.
    ///
    /// 0 by default.
    ///
    /// A player that seeks to keyframes declares their distance. One whose seeks take longer than 2250 ms (1250 ms
    /// without rate control) lands so far behind a playing room that it is sought again at every landing, for ever: it
    /// measures its seeks and declares by how much they come late, the time beyond 250 ms with some to spare, once that
    /// has come twice. Then it is sought no more and caught up by rate (section 11.2). One that cannot seek declares a
    /// very large value and is followed by rate alone.
    var seekAccuracyMs: Int64 { get }

    /// Starts playing; throws when the player refuses to start.
    func play() async throws
    /// Pauses.
    func pause() async throws
    /// Seeks, and returns once the seek has landed.
    func seek(to positionMs: Int64) async throws
    /// Changes the speed; 1 is normal.
    ///
    /// Does nothing by default.
    func setRate(_ rate: Double) async throws
}

extension PlayerAdapter {
    /// No rate control.
    public var canSetRate: Bool { false }
    /// Exact seeks.
    public var seekAccuracyMs: Int64 { 0 }
    /// Does nothing.
    public func setRate(_ rate: Double) async throws {}
}
