// OpenWatchParty for Swift. See LICENSE.

import Foundation
import Testing

@Suite("The integration guide")
struct IntegrationGuideTests {
    @Test("Every piece of code in Docs/Integration.md is compiled with these tests")
    func code() throws {
        let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let root = here.deletingLastPathComponent().deletingLastPathComponent()
        let guide = try String(contentsOf: root.appendingPathComponent("Docs/Integration.md"), encoding: .utf8)
        let source = try String(contentsOf: here.appendingPathComponent("IntegrationGuide.swift"), encoding: .utf8)
        let pieces = guide.components(separatedBy: "```swift\n").dropFirst().compactMap {
            $0.components(separatedBy: "```").first
        }
        #expect(pieces.count == 11)
        for piece in pieces { #expect(source.contains(piece), "\(piece)") }
    }
}
