// OpenWatchParty for Swift. See LICENSE.

import Foundation
import Testing

@Suite("The README")
struct ReadmeTests {
    @Test("Its example is the one that is compiled with these tests")
    func example() throws {
        let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let root = here.deletingLastPathComponent().deletingLastPathComponent()
        let readme = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
        let source = try String(contentsOf: here.appendingPathComponent("ReadmeExample.swift"), encoding: .utf8)
        let block = try #require(
            readme.components(separatedBy: "```swift\n").dropFirst().first { $0.hasPrefix("import Foundation") }
        )
        let example = try #require(block.components(separatedBy: "```").first)
        #expect(source.hasSuffix(example))
    }
}
