// OpenWatchParty for Swift. See LICENSE.

public import Foundation

/// A program of this package, which was built with the tests: it stands beside their bundle.
///
/// - Parameter name: The product's name, such as `owp`.
/// - Returns: The program's file.
/// - Throws: `CocoaError` with `fileNoSuchFile` when it was not built.
public func builtProgram(_ name: String) throws -> URL {
    var folder = Bundle.main.executableURL ?? URL(fileURLWithPath: CommandLine.arguments[0])
    for _ in 0..<5 {
        folder.deleteLastPathComponent()
        let program = folder.appendingPathComponent(name)
        if FileManager.default.isExecutableFile(atPath: program.path) { return program }
    }
    throw CocoaError(.fileNoSuchFile)
}
