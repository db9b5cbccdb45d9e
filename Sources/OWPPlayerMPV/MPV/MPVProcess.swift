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

    /// The process's ID.
    var id: Int32 { process.processIdentifier }

    /// Starts a program: a path when it has a slash, else a name looked up in `PATH`.
    ///
    /// It inherits the environment, reads nothing, prints nothing, and is in a process group of its own, so that a
    /// Ctrl-C meant for us does not end it before the room has been left.
    init(program: String, arguments: [String]) throws(MPVError) {
        guard let path = Self.find(program) else { throw .programNotFound(program) }
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
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
