// swift-tools-version: 6.0
// OpenWatchParty for Swift. See LICENSE.

import PackageDescription

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "openwatchparty", path: "..")],
    targets: [
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                .product(name: "OWPMatching", package: "openwatchparty"),
                .product(name: "OWPSync", package: "openwatchparty"),
                .product(name: "OWPWire", package: "openwatchparty"),
            ]
        )
    ]
)
