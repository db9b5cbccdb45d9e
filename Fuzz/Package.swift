// swift-tools-version: 6.0
// OpenWatchParty for Swift. See LICENSE.

import PackageDescription

/// One libFuzzer target, a program of its own; `layers` are the products it fuzzes.
///
/// libFuzzer brings `main`, so these programs link only with `--sanitize=fuzzer`: see `run`.
func fuzz(_ name: String, _ layers: String...) -> Target {
    .executableTarget(
        name: name,
        dependencies: ["FuzzSupport"] + layers.map { .product(name: $0, package: "openwatchparty") },
        swiftSettings: [.unsafeFlags(["-parse-as-library"])]
    )
}

let package = Package(
    name: "Fuzz",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "openwatchparty", path: "..")],
    targets: [
        .target(name: "FuzzSupport"),
        fuzz("FuzzJSON", "OWPWire"),
        fuzz("FuzzMedia", "OWPWire"),
        fuzz("FuzzMessages", "OWPWire"),
        fuzz("FuzzReconcile", "OWPSync"),
        fuzz("FuzzClock", "OWPSync"),
        fuzz("FuzzWalk", "OWPMatching"),
        fuzz("FuzzFrames", "OWPWebSocket"),
        fuzz("FuzzClosePayload", "OWPWebSocket"),
        fuzz("FuzzHTTPHead", "OWPWebSocket"),
        fuzz("FuzzHandshake", "OWPWebSocket"),
    ]
)
