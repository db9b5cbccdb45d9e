// OpenWatchParty for Swift. See LICENSE.

import Foundation

/// A program that was started as mpv.
@MainActor
final class MPVProcess {
    /// Called once it has ended.
    var onExit: (@MainActor () -> Void)?
    /// The exit status, or the signal that ended it as a negative number; nil while it runs.
    private(set) var status: Int32?

    private let process = Process()
    private let lifeline: Lifeline

    /// The process's ID.
    var id: Int32 { process.processIdentifier }

    /// Starts a program: a path when it has a slash, else a name looked up in `PATH`.
    ///
    /// It inherits the environment, prints nothing, has a ``Lifeline`` as its standard input, and is in a process group of
    /// its own, so that a Ctrl-C meant for us does not end it before the room has been left.
    init(program: String, arguments: [String]) throws(MPVError) {
        guard let path = Self.find(program) else { throw .programNotFound(program) }
        lifeline = try Lifeline()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.standardInput = lifeline.farEnd
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        process.terminationHandler = { [weak self] process in
            let code = process.terminationStatus
            let status = process.terminationReason == .exit ? code : -code
            Task { @MainActor in
                self?.status = status
                self?.onExit?()
            }
        }
        do { try process.run() } catch { throw .programNotFound(program) }
        // Held by the program alone from now on, so that we see nothing open when it has ended.
        try? lifeline.farEnd.close()
    }

    /// Asks it to end, or makes it.
    func signal(_ number: Int32) {
        guard status == nil else { return }
        kill(process.processIdentifier, number)
    }

    /// The path that a program's name stands for; nil when there is none that can be run.
    nonisolated static func find(_ program: String) -> String? {
        let files = FileManager.default
        if program.contains("/") { return files.isExecutableFile(atPath: program) ? program : nil }
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"
        return path.split(separator: ":").map { "\($0)/\(program)" }.first { files.isExecutableFile(atPath: $0) }
    }
}
