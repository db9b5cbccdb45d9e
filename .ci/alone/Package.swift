// swift-tools-version: 6.0
// OpenWatchParty for Swift. See LICENSE.

import PackageDescription

/// A tool that uses one layer and nothing else.
func tool(_ name: String, on layer: String) -> Target {
    .executableTarget(name: name, dependencies: [.product(name: layer, package: "openwatchparty")])
}

let package = Package(
    name: "alone",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "openwatchparty", path: "../..")],
    targets: [
        tool("WireAlone", on: "OWPWire"),
        tool("MatchingAlone", on: "OWPMatching"),
        tool("SyncAlone", on: "OWPSync"),
    ]
)
