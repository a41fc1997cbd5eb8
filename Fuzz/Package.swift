// swift-tools-version: 6.1
import PackageDescription

// A package of its own, since libFuzzer brings a `main` that test builds cannot link. Each target
// is one entry point for bytes from outside; `make fuzz` builds and runs them one after the other.

let muster = "muster"
let core: Target.Dependency = .product(name: "MusterCore", package: muster)

func fuzz(_ name: String) -> Target {
  .executableTarget(
    name: "fuzz-\(name)", dependencies: ["FuzzStage", core],
    swiftSettings: [.unsafeFlags(["-parse-as-library"])])
}

let package = Package(
  name: "muster-fuzz",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: muster, path: "..")],
  targets: [
    .target(name: "FuzzStage", dependencies: [core]),
    fuzz("datagram"), fuzz("packet"), fuzz("frame-body"), fuzz("control-frame"), fuzz("joining"),
    fuzz("bundle"),
    fuzz("gpx"), fuzz("geojson"), fuzz("overlay"), fuzz("nmea"), fuzz("gpsd"), fuzz("osmand"),
    fuzz("owntracks"),
    fuzz("exposure"), fuzz("sighting"),
  ],
  swiftLanguageModes: [.v6]
)
