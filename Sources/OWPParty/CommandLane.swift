// OpenWatchParty for Swift. See LICENSE.

import OWPSync

/// The commands of one adapter: one runs at a time, in order (section 11.1).
struct CommandLane: Sendable {
    /// A command, and whether the adapter was released since it was queued.
    struct Command: Hashable, Sendable {
        let action: PlayerAction
        var isReleased = false
    }

    private var running: Command?
    private var queued: [Command] = []

    /// Whether nothing runs.
    var isEmpty: Bool { running == nil }

    /// Whether a command from before a release has not ended.
    var hasReleasedWork: Bool { all.contains(where: \.isReleased) }

    /// Whether a seek is queued or running.
    var hasSeek: Bool {
        all.contains { if case .seek = $0.action { true } else { false } }
    }

    /// Queues a command.
    ///
    /// - Returns: The command to start now.
    mutating func add(_ action: PlayerAction) -> PlayerAction? {
        add(Command(action: action))
    }

    /// Takes the end of the running command.
    ///
    /// - Returns: What ended, and the command to start now; nil when none ran.
    mutating func ended() -> (ended: Command, next: PlayerAction?)? {
        guard let ended = running else { return nil }
        running = queued.isEmpty ? nil : queued.removeFirst()
        return (ended, running?.action)
    }

    /// Drops what has not started, and queues the rate that the player is left with.
    ///
    /// - Returns: The command to start now.
    mutating func release(restoring rate: Double?) -> PlayerAction? {
        running?.isReleased = true
        // What an earlier release owes the player stays.
        queued.removeAll { !$0.isReleased }
        guard let rate else { return nil }
        return add(Command(action: .setRate(rate), isReleased: true))
    }

    private var all: [Command] { (running.map { [$0] } ?? []) + queued }

    private mutating func add(_ command: Command) -> PlayerAction? {
        guard running == nil else {
            queued.append(command)
            return nil
        }
        running = command
        return command.action
    }
}
