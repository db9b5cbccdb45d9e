// swift-tools-version: 6.0
// OpenWatchParty for Swift. See LICENSE.

import PackageDescription

/// Settings of every target; none opts out.
let strict: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// The C library's mathematics, for rounding: a tool on one layer alone has no Foundation to bring it.
let mathematics: [LinkerSetting] = [.linkedLibrary("m", .when(platforms: [.linux]))]
/// One layer together with its tests; `on` names every layer its sources import, `tests` what its tests need beyond that.
func layer(_ name: String, on lower: [String] = [], tests more: [String] = []) -> [Target] {
    let imports = lower.map { Target.Dependency(stringLiteral: $0) }
    let tested = Set(lower + more + [name, "OWPTestSupport"]).sorted().map { Target.Dependency(stringLiteral: $0) }
    return [
        .target(name: name, dependencies: imports, swiftSettings: strict, linkerSettings: mathematics),
        .testTarget(name: name + "Tests", dependencies: tested, swiftSettings: strict),
    ]
}

/// Arrows go down only: a layer stands under whatever imports it.
let layers: [[Target]] = [
    layer("OWPCore"),
    layer("OWPWire", on: ["OWPCore"]),
    layer("OWPMatching", on: ["OWPCore"]),
    layer("OWPSync", on: ["OWPCore"]),
    layer("OWPWebSocket"),
    layer("OWPTransportFoundation", on: ["OWPCore", "OWPWebSocket", "COWPSystem"]),
    layer("OWPParty", on: ["OWPCore", "OWPWire", "OWPMatching", "OWPSync"]),
    layer(
        "OpenWatchParty",
        on: ["OWPCore", "OWPWire", "OWPMatching", "OWPSync", "OWPParty", "OWPTransportFoundation"],
        tests: ["OWPConformance", "OWPRelay", "OWPWebSocket"]
    ),
    layer(
        "OWPRelay",
        on: ["OWPCore", "OWPWire", "OWPSync", "OWPWebSocket", "COWPSystem"],
        tests: ["OWPRelayCheck"]
    ),
    layer("OWPRelayCheck", on: ["OWPCore", "OWPWire", "OWPWebSocket"], tests: ["OWPRelay"]),
    layer("OWPExploration", on: ["OWPCore", "OWPWire", "OWPRelay"]),
    layer("OWPPlayerMPV", on: ["OWPCore", "OWPWire"], tests: ["OpenWatchParty", "OWPRelay"]),
    layer("OWPSimulation", on: ["OWPCore", "OWPWire", "OWPSync", "OWPParty", "OWPRelay", "OWPPlayerMPV"]),
    layer(
        "OWPConformance",
        on: [
            "OWPCore", "OWPWire", "OWPMatching", "OWPSync", "OWPParty", "OpenWatchParty", "OWPTestSupport",
        ]
    ),
    layer(
        "OWPCommand",
        on: [
            "OWPCore", "OWPWire", "OWPMatching", "OWPSync", "OWPTransportFoundation", "OpenWatchParty", "OWPRelay",
            "OWPRelayCheck",
            "OWPPlayerMPV", "OWPConformance", "OWPSimulation",
        ]
    ),
]

let package = Package(
    name: "openwatchparty",
    platforms: [.iOS(.v16), .macOS(.v13), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .library(name: "OpenWatchParty", targets: ["OpenWatchParty"]),
        .library(name: "OWPCore", targets: ["OWPCore"]),
        .library(name: "OWPWire", targets: ["OWPWire"]),
        .library(name: "OWPMatching", targets: ["OWPMatching"]),
        .library(name: "OWPSync", targets: ["OWPSync"]),
        .library(name: "OWPWebSocket", targets: ["OWPWebSocket"]),
        .library(name: "OWPTransportFoundation", targets: ["OWPTransportFoundation"]),
        .library(name: "OWPRelay", targets: ["OWPRelay"]),
        .library(name: "OWPPlayerMPV", targets: ["OWPPlayerMPV"]),
        .executable(name: "owp", targets: ["owp"]),
    ],
    targets: layers.flatMap { $0 } + [
        .target(name: "COWPSystem"),
        .target(name: "OWPTestSupport", dependencies: ["OWPCore", "OWPWire", "OWPWebSocket"], swiftSettings: strict),
        .executableTarget(name: "owp", dependencies: ["OWPCommand"], swiftSettings: strict),
        .executableTarget(
            name: "owp-ws-testee",
            dependencies: ["OWPTransportFoundation", "OWPWebSocket", "OWPRelay"],
            swiftSettings: strict
        ),
        .executableTarget(name: "explore-relay", dependencies: ["OWPExploration"], swiftSettings: strict),
    ]
)
