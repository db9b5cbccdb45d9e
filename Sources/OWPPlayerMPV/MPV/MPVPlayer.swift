// OpenWatchParty for Swift. See LICENSE.

import Foundation
public import OWPCore
import OWPWire

/// The mpv player as a party's player, over mpv's JSON IPC.
///
/// Reads answer from what mpv last said; the position between two of its reports is worked out from the time. Seeks are
/// exact, and land the seek lead of 250 ms after they were asked (``seek(to:)``). What a person does in mpv's own window is
/// told to ``onAct``, apart from what the party does to it.
@MainActor
public final class MPVPlayer: PlayerAdapter {
    /// How an mpv is started.
    public struct Options: Hashable, Sendable {
        /// What is started as mpv: a path, or a name to look up in `PATH`.
        public var program = "mpv"
        /// Whether it has neither window nor sound, and reads no settings of its user.
        public var isHeadless = false
        /// Where its IPC socket is to be, for others to read; nil for a path in a folder of its own.
        public var socketPath: String?
        /// More words of the command line, after ours.
        public var arguments: [String] = []
        /// How long it may take until it answers on its socket, in ms.
        public var answersWithinMs = 10_000
        /// How long a seek or another command may take, in ms.
        public var commandWithinMs = 10_000

        /// Makes the usual options.
        public init() {}
    }

    /// Called after something changed that the party should know at once: call its `playerChanged()`.
    public var onChange: (@MainActor () -> Void)?
    /// Takes what a person did with mpv's own controls.
    ///
    /// While it is set, a person's act shows in the reads only once it was told, so that a party cannot undo it before.
    /// Without it, such a change stands until the party corrects it.
    public var onAct: (@MainActor (PersonAct) -> Void)? {
        didSet { state.tellsActs = onAct != nil }
    }
    /// Called once mpv has ended, by whatever cause; the number is its exit status, or nil for one not started here.
    public var onEnd: (@MainActor (Int32?) -> Void)?
    /// Where mpv listens; others may connect there too.
    public let socketPath: String
    /// Whether mpv has ended, or its connection has.
    public private(set) var hasEnded = false

    let options: Options
    let waiters = Waiters()
    var state = MPVState()
    var landing = SeekLanding()
    var startGauge = StartGauge()
    var aim: Aim?
    /// How many seeks have landed or files have shown their first frame.
    private(set) var restarts = 0
    private(set) var loads = 0
    private(set) var loadFailure: String?
    private let connection: MPVConnection
    private let process: MPVProcess?
    private let ownPath: MPVSocketPath?
    private var settling: Task<Void, Never>?
    private var closing: Task<Void, Never>?

    /// Starts an mpv, paused and without a file, and connects to it.
    ///
    /// - Parameter options: How it is started.
    /// - Returns: The player, whose program ends with ``close()``.
    /// - Throws: ``MPVError``; no process is left behind then.
    public static func start(_ options: Options = Options()) async throws -> MPVPlayer {
        let path = if let asked = options.socketPath { try MPVSocketPath(asked) } else { try MPVSocketPath() }
        let process: MPVProcess
        do {
            process = try MPVProcess(program: options.program, arguments: words(options, path.path))
        } catch {
            path.remove()
            throw error
        }
        do {
            let socket = try await connect(to: path.path, of: process, withinMs: options.answersWithinMs)
            let player = MPVPlayer(socket, process: process, path: path, options: options)
            do {
                try await player.observe()
            } catch {
                await player.close()
                throw Task.isCancelled ? error : MPVError.noAnswer(afterMs: options.answersWithinMs)
            }
            return player
        } catch {
            process.signal(SIGKILL)
            path.remove()
            throw error
        }
    }

    /// Connects to an mpv that already runs, and plays what it is told to from then on.
    ///
    /// - Parameters:
    ///   - socketPath: Where it listens, as its option `--input-ipc-server` says.
    ///   - options: The times are used, the rest is the running mpv's own.
    /// - Returns: The player; ``close()`` only leaves it.
    /// - Throws: ``MPVError``.
    public static func attach(to socketPath: String, options: Options = Options()) async throws -> MPVPlayer {
        let player = MPVPlayer(try UnixSocket(connectingTo: socketPath), at: socketPath, options: options)
        // At its end a file must stay open, and unpaused.
        for (name, value) in [("keep-open", "always"), ("keep-open-pause", "no"), ("loop-file", "no")] {
            _ = try await player.request(["set_property", .string(name), .string(value)])
        }
        try await player.observe()
        return player
    }

    private init(
        _ socket: UnixSocket,
        process: MPVProcess? = nil,
        path: MPVSocketPath? = nil,
        at socketPath: String = "",
        options: Options
    ) {
        self.options = options
        self.process = process
        ownPath = path
        self.socketPath = path?.path ?? socketPath
        connection = MPVConnection(socket)
        connection.onNotices = { [weak self] in self?.take($0) }
        connection.onEnd = { [weak self] in self?.connectionEnded() }
        process?.onExit = { [weak self] in self?.connection.end() }
        connection.start()
    }

    /// Opens a file, paused at its start; returns once it is open.
    ///
    /// - Parameter file: The path of a file, or a URL that mpv can play.
    /// - Throws: ``MPVError/cannotPlay(reason:)`` for a file that it cannot play, or another ``MPVError``.
    public func open(_ file: String) async throws {
        try await setPaused(true)
        let before = loads
        loadFailure = nil
        aim = nil
        let place =
            file.contains("://") || file.hasPrefix("/") ? file : FileManager.default.currentDirectoryPath + "/" + file
        _ = try await request(["loadfile", .string(place), "replace"])
        try await wait { self.loads > before || self.loadFailure != nil }
        if let loadFailure { throw MPVError.cannotPlay(reason: loadFailure) }
        // Its properties follow at once.
        _ = await waiters.wait(atMostMs: 1000) { self.durationMs != nil || self.hasEnded }
    }

    /// Ends mpv and returns once it has ended; one that was attached to is only left.
    ///
    /// A second call waits for the same end.
    public func close() async {
        let closing = self.closing ?? Task { await self.endAll() }
        self.closing = closing
        await closing.value
    }

    /// Ends mpv at once, without waiting; for a process that ends itself then.
    public func kill() {
        process?.signal(SIGKILL)
        ownPath?.remove()
    }

    /// The path that would be started as a program: it, or a name looked up in `PATH`; nil when nothing can be run.
    public nonisolated static func find(_ program: String) -> String? { MPVProcess.find(program) }

    /// Checks that a player which is asked to can listen at a path, before there is one.
    ///
    /// - Parameter socketPath: The path.
    /// - Throws: ``MPVError``, `badSocketPath` or `socketInUse`.
    package nonisolated static func check(socketPath: String) throws(MPVError) { _ = try MPVSocketPath(socketPath) }

    // MARK: Reads

    /// The position in ms, between mpv's reports as time goes.
    public var positionMs: Int64 { state.positionMs(atMs: monotonicMs()) }
    /// The file's duration in ms, as mpv knows it.
    public var durationMs: Int64? { state.reads.durationMs }
    /// Whether mpv is paused; running out of cache is no pause.
    public var paused: Bool { state.reads.paused }
    /// Whether mpv ran out of cache and waits for more; also once it has been paused on top of that.
    public var buffering: Bool { state.reads.buffering }
    /// Whether the file is open and its first frame shows, or its first sound is there.
    public var firstFrameShown: Bool { state.reads.firstFrameShown && !hasEnded }
    /// mpv has rate control.
    public var canSetRate: Bool { true }
    /// The lateness of seeks that take so long that the party must know; 0 otherwise, since seeks are exact.
    public var seekAccuracyMs: Int64 { landing.accuracyMs(canSetRate: true) }

    // MARK: Talking to mpv

    /// Sends a request and waits for its answer.
    func request(_ words: [JSONValue]) async throws -> JSONValue {
        var answer: Result<JSONValue, MPVError>?
        send(words) { answer = $0 }
        try await wait { answer != nil }
        return try (answer ?? .failure(.timedOut)).get()
    }

    /// Sends a request without waiting; `then` takes its answer.
    func send(_ words: [JSONValue], then: @escaping @MainActor (Result<JSONValue, MPVError>) -> Void) {
        connection.send(words) { [weak self] in
            then($0)
            self?.waiters.check()
        }
    }

    /// Waits until something is so.
    func wait(until isMet: @escaping @MainActor () -> Bool) async throws {
        let met = await waiters.wait(atMostMs: Double(options.commandWithinMs)) { isMet() || self.hasEnded }
        if isMet() { return }
        if hasEnded { throw MPVError.ended }
        try Task.checkCancellation()
        if !met { throw MPVError.timedOut }
    }

    private func observe() async throws {
        for (index, property) in MPVProperty.allCases.enumerated() {
            _ = try await request(["observe_property", .number(Double(index + 1)), .string(property.rawValue)])
        }
    }

    private func take(_ notices: [TimedNotice]) {
        let before = state.reads
        for notice in notices {
            handle(state.take(notice))
            startGauge.take(state.line, atMs: notice.atMs)
        }
        scheduleSettling()
        waiters.check()
        if state.reads != before { onChange?() }
    }

    private func handle(_ outcomes: [MPVState.Outcome]) {
        for outcome in outcomes {
            switch outcome {
            case .loaded: loads += 1
            case .cannotPlay(let reason): loadFailure = reason
            case .restarted: restarts += 1
            case .act(let act):
                undo(act)
                onAct?(act)
            }
        }
    }

    private func scheduleSettling() {
        settling?.cancel()
        settling = nil
        guard let due = state.settlesAtMs else { return }
        settling = Task { [weak self] in
            await sleep(untilMs: due)
            guard !Task.isCancelled, let self else { return }
            handle(state.settle(atMs: monotonicMs()))
        }
    }

    private func connectionEnded() {
        hasEnded = true
        settling?.cancel()
        waiters.check()
        if let process, process.status == nil {
            // Its status follows; a program that lives on without its socket is of no use.
            process.onExit = { [weak self] in self?.tellEnd() }
            Task { [weak process] in
                try? await Task.sleep(nanoseconds: 3_000_000_000)
                process?.signal(SIGKILL)
            }
        } else {
            tellEnd()
        }
    }

    private func tellEnd() {
        ownPath?.remove()
        waiters.check()
        onChange?()
        onEnd?(process?.status)
    }

    private func endAll() async {
        onAct = nil
        guard let process else { return connection.end() }
        let hasExited: @MainActor () -> Bool = { process.status != nil }
        connection.send(["quit"])
        if await !waiters.wait(atMostMs: 2000, until: hasExited) { process.signal(SIGTERM) }
        if await !waiters.wait(atMostMs: 2000, until: hasExited) { process.signal(SIGKILL) }
        _ = await waiters.wait(atMostMs: 5000, until: hasExited)
        connection.end()
        ownPath?.remove()
    }
}

extension MPVPlayer {
    /// The command line of an mpv that stays open, paused, and takes its orders on a socket.
    private static func words(_ options: Options, _ socketPath: String) -> [String] {
        var words = ["--idle=yes", "--pause=yes", "--keep-open=always", "--keep-open-pause=no", "--no-terminal"]
        words += [
            Lifeline.argument, "--input-ipc-server=\(socketPath)", "--resume-playback=no", "--save-position-on-quit=no",
        ]
        words += ["--loop-file=no", "--loop-playlist=no", "--speed=1", "--start=none", "--ytdl=no"]
        if options.isHeadless { words += ["--no-config", "--load-scripts=no", "--vo=null", "--ao=null"] }
        return words + options.arguments
    }

    /// Connects as soon as the program listens.
    private static func connect(
        to path: String,
        of process: MPVProcess,
        withinMs limitMs: Int
    ) async throws -> UnixSocket {
        let end = monotonicMs() + Double(limitMs)
        while true {
            // Only a connection shows that somebody listens; the file alone may be another's, or a moment too early.
            if let socket = try? UnixSocket(connectingTo: path) { return socket }
            if let status = process.status { throw MPVError.exitedAtStart(status: status) }
            if monotonicMs() >= end { throw MPVError.noAnswer(afterMs: limitMs) }
            try await Task.sleep(nanoseconds: 20_000_000)
        }
    }
}

/// Sleeps until a monotonic time in ms, or until the task is cancelled.
func sleep(untilMs due: Double) async {
    while true {
        let rest = due - monotonicMs()
        if rest <= 0 || Task.isCancelled { return }
        try? await Task.sleep(nanoseconds: UInt64(rest * 1_000_000))
    }
}
