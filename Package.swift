// swift-tools-version: 6.1
import PackageDescription

#if canImport(Glibc)
  import Glibc
#endif

// `MUSTER_STRICT=1` turns warnings into errors for our own targets only (used by `make check`).
let strict = Context.environment["MUSTER_STRICT"] == "1"

let settings: [SwiftSetting] =
  [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
  ] + (strict ? [.unsafeFlags(["-warnings-as-errors"])] : [])

/// Whether a module is optimized for speed, or for size where it waits for sockets, disks and
/// people. Only release builds differ (decision 0077).
enum Optimization {
  case speed
  case size

  var settings: [SwiftSetting] {
    guard self == .size else { return [] }
    // With a section for each function, the linker drops those that are never called.
    return [
      .unsafeFlags(
        ["-Osize", "-Xfrontend", "-function-sections"], .when(configuration: .release))
    ]
  }
}

/// Whether the C library is glibc 2.36 or later, which reads packed relative relocations. Ubuntu
/// 22.04 has 2.35.
var readsPackedRelocations: Bool {
  #if canImport(Glibc)
    var name = [UInt8](repeating: 0, count: 32)
    let length = name.withUnsafeMutableBytes {
      confstr(Int32(_CS_GNU_LIBC_VERSION), $0.baseAddress, $0.count)
    }
    let version = String(decoding: name.prefix(max(length, 1) - 1), as: UTF8.self)
      .drop { !$0.isNumber }.split(separator: ".").compactMap { Int($0) }
    return !version.lexicographicallyPrecedes([2, 36])
  #else
    return false
  #endif
}

/// What the linker leaves out of the programs that are installed. Backtraces follow frame pointers,
/// so unwind tables serve nothing. Relative relocations are packed where the C library can read
/// them.
let compact: LinkerSetting = .unsafeFlags(
  ["-use-ld=lld", "-Xlinker", "--no-eh-frame-hdr"]
    + ["-Xlinker", "-T\(Context.packageDirectory)/Packaging/no-unwind-tables.ld"]
    + (readsPackedRelocations ? ["-Xlinker", "-z", "-Xlinker", "pack-relative-relocs"] : []),
  .when(platforms: [.linux], configuration: .release))

let sqlite: LinkerSetting = .linkedLibrary("sqlite3")

/// A target of ours. The names it may depend on are the table of `docs/architecture.md`,
/// which the tidy test compares with each file's imports.
func layer(
  _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = [],
  resources: [Resource] = [], for optimization: Optimization = .speed
) -> Target {
  .target(
    name: name, dependencies: dependencies, exclude: exclude, resources: resources,
    swiftSettings: settings + optimization.settings)
}

func program(
  _ name: String, path: String? = nil, _ dependencies: [Target.Dependency],
  for optimization: Optimization = .speed
) -> Target {
  .executableTarget(
    name: name, dependencies: dependencies, path: path,
    swiftSettings: settings + optimization.settings,
    linkerSettings: optimization == .size ? [compact] : [])
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
  .testTarget(name: name, dependencies: dependencies, swiftSettings: settings)
}

let asyncHTTPClient: Target.Dependency = .product(
  name: "AsyncHTTPClient", package: "async-http-client")
let argumentParser: Target.Dependency = .product(
  name: "ArgumentParser", package: "swift-argument-parser")
let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let grdbSQLite: Target.Dependency = .product(name: "GRDBSQLite", package: "GRDB.swift")
let hummingbird: Target.Dependency = .product(name: "Hummingbird", package: "hummingbird")
let hummingbirdCore: Target.Dependency = .product(name: "HummingbirdCore", package: "hummingbird")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let nioEmbedded: Target.Dependency = .product(name: "NIOEmbedded", package: "swift-nio")
let nioHTTP1: Target.Dependency = .product(name: "NIOHTTP1", package: "swift-nio")
let nioPosix: Target.Dependency = .product(name: "NIOPosix", package: "swift-nio")
let nioSSL: Target.Dependency = .product(name: "NIOSSL", package: "swift-nio-ssl")
let protobuf: Target.Dependency = .product(name: "SwiftProtobuf", package: "swift-protobuf")
let lifecycle: Target.Dependency = .product(
  name: "ServiceLifecycle", package: "swift-service-lifecycle")
let yams: Target.Dependency = .product(name: "Yams", package: "Yams")
let unixSignals: Target.Dependency = .product(
  name: "UnixSignals", package: "swift-service-lifecycle")

let package = Package(
  name: "muster",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "muster", targets: ["muster"]),
    .executable(name: "muster-image", targets: ["muster-image"]),
    .executable(name: "muster-file", targets: ["muster-file"]),
    // What the package of fuzz targets throws bytes at.
    .library(
      name: "MusterCore",
      targets: [
        "MusterModel", "MusterCrypto", "MusterProximity", "MusterSync", "MusterLocation",
        "MusterInterchange",
      ]),
  ],
  traits: [
    .trait(name: "Canary", description: "Planted bugs, that prove the simulator. Never to ship.")
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
    .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
  ],
  targets: [
    .systemLibrary(
      name: "CSodium", pkgConfig: "libsodium",
      providers: [.apt(["libsodium-dev"]), .brew(["libsodium"])]),
    .systemLibrary(
      name: "CQREncode", pkgConfig: "libqrencode",
      providers: [.apt(["libqrencode-dev"]), .brew(["qrencode"])]),
    .systemLibrary(
      name: "COpenSSL", pkgConfig: "libcrypto",
      providers: [.apt(["libssl-dev"]), .brew(["openssl@3"])]),
    .systemLibrary(
      name: "CVips", pkgConfig: "vips", providers: [.apt(["libvips-dev"]), .brew(["vips"])]),
    .systemLibrary(
      name: "CDBus", pkgConfig: "dbus-1",
      providers: [.apt(["libdbus-1-dev"]), .brew(["dbus"])]),
    .systemLibrary(
      name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"]), .brew(["zlib"])]),
    .systemLibrary(
      name: "CPostgreSQL", pkgConfig: "libpq",
      providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
    layer("MusterModel", []),
    layer("MusterCRDT", ["MusterModel"]),
    layer("MusterGeo", ["MusterModel"]),
    layer("MusterStatus", ["MusterModel", "MusterGeo"]),
    layer("MusterCrypto", ["MusterModel", "CSodium"]),
    layer("MusterProximity", ["MusterModel", "COpenSSL"]),
    layer(
      "MusterSync", ["MusterModel", "MusterCRDT", "MusterCrypto", protobuf],
      exclude: ["Wire/Proto"]),
    layer("SQLiteSeal", ["MusterModel", "MusterCrypto", grdbSQLite], exclude: ["README.md"]),
    layer(
      "MusterStore",
      ["MusterModel", "MusterCRDT", "MusterCrypto", "SQLiteSeal", grdb, grdbSQLite]),
    layer(
      "MusterReplica",
      [
        "MusterModel", "MusterCRDT", "MusterGeo", "MusterStatus", "MusterCrypto", "MusterSync",
        "SQLiteSeal", "MusterStore",
      ]),
    layer(
      "MusterAttackers",
      ["MusterModel", "MusterCrypto", "MusterSync", "MusterReplica"]),
    .target(name: "CCrashVFS", linkerSettings: [sqlite]),
    layer(
      "MusterSimulator",
      [
        "MusterModel", "MusterCRDT", "MusterGeo", "MusterCrypto", "MusterSync", "MusterStore",
        "MusterReplica", "MusterAttackers", "CCrashVFS", yams,
      ]),
    program("muster-sim", ["MusterModel", "MusterSimulator", argumentParser]),
    layer("MusterInterchange", ["MusterModel", "MusterGeo", grdbSQLite], for: .size),
    layer(
      "MusterTransport",
      [
        "MusterModel", "COpenSSL", asyncHTTPClient, nioCore, nioHTTP1, nioPosix, nioSSL, logging,
        lifecycle,
      ], for: .size),
    layer(
      "MusterLocation",
      ["MusterModel", "MusterGeo", "MusterTransport", nioCore, nioPosix, logging, lifecycle],
      for: .size),
    layer(
      "MusterNode",
      [
        "MusterModel", "MusterGeo", "MusterProximity", "MusterReplica", "MusterTransport",
        "MusterLocation", logging, lifecycle,
      ], for: .size),
    layer(
      "MusterBluetooth", ["MusterModel", "MusterNode", "CDBus", logging, lifecycle], for: .size),
    layer(
      "MusterAmazon",
      [
        "MusterModel", "MusterGeo", "MusterCrypto", "MusterInterchange", "MusterTransport",
        "MusterLocation", "MusterNode",
      ], for: .size),
    layer("MusterControl", ["MusterModel", "MusterNode", nioCore, nioHTTP1, nioPosix], for: .size),
    layer(
      "MusterHTTP",
      [
        "MusterModel", "MusterCrypto", "MusterInterchange", "MusterLocation", "MusterTransport",
        "MusterNode", "MusterAmazon", "MusterControl", "CZlib", hummingbird,
        hummingbirdCore, nioCore, nioHTTP1, nioSSL, logging, lifecycle,
      ], resources: [.copy("Resources/dashboard"), .copy("Resources/world.pmtiles")], for: .size),
    program(
      "muster",
      [
        "MusterModel", "MusterGeo", "MusterInterchange", "MusterLocation", "MusterTransport",
        "MusterNode", "MusterBluetooth", "MusterAmazon", "MusterControl", "MusterHTTP", "CQREncode",
        argumentParser, logging, lifecycle,
      ], for: .size),
    // Only the archive's program links libpq: a node has no use for it.
    layer(
      "MusterArchive",
      [
        "MusterModel", "MusterCrypto", "MusterSync", "MusterReplica", "MusterInterchange",
        "MusterTransport", "MusterNode", "MusterControl", "MusterHTTP", "CPostgreSQL", logging,
        lifecycle,
      ], for: .size),
    program(
      "muster-archive",
      [
        "MusterModel", "MusterInterchange", "MusterTransport", "MusterNode", "MusterHTTP",
        "MusterArchive", argumentParser, logging, lifecycle,
      ], for: .size),
    .target(name: "CConfinement"),
    layer("ConfinedHelper", ["CConfinement"], for: .size),
    // Decodes pictures for a node, in a process of its own. Nothing else may link libvips.
    program("muster-image", ["ConfinedHelper", "CVips"], for: .size),
    // Runs SQLite and zlib on files of strangers for a node, in a process of its own.
    program("muster-file", ["ConfinedHelper", "CZlib", grdbSQLite], for: .size),
    program(
      "muster-bench", path: "Benchmarks/muster-bench",
      [
        "MusterModel", "MusterGeo", "MusterStatus", "MusterCrypto", "MusterProximity", "MusterSync",
        "MusterStore", "MusterReplica", "MusterTransport", "MusterNode", "MusterAttackers",
        "CSodium",
        argumentParser, grdb, logging,
      ]),
    // The demo runs the program: building one builds both.
    program("muster-demo", ["muster", argumentParser, nioCore, nioPosix, unixSignals]),
    .target(name: "MusterTestKit", path: "Tests/MusterTestKit", swiftSettings: settings),
    tests("MusterModelTests", ["MusterModel", "MusterTestKit"]),
    tests("MusterCRDTTests", ["MusterCRDT", "MusterTestKit"]),
    tests("MusterGeoTests", ["MusterGeo", "MusterTestKit"]),
    tests("MusterStatusTests", ["MusterStatus", "MusterGeo", "MusterTestKit"]),
    tests("MusterCryptoTests", ["MusterCrypto", "MusterTestKit"]),
    tests("MusterProximityTests", ["MusterProximity", "MusterModel"]),
    tests("MusterSyncTests", ["MusterSync", "MusterTestKit"]),
    tests("SQLiteSealTests", ["SQLiteSeal", "MusterModel", "MusterCrypto"]),
    tests("MusterStoreTests", ["MusterStore", "SQLiteSeal", "MusterCrypto", "MusterTestKit"]),
    tests("MusterReplicaTests", ["MusterReplica", "MusterAttackers", "MusterTestKit"]),
    tests("MusterSimulatorTests", ["MusterSimulator", "MusterTestKit"]),
    tests("MusterInterchangeTests", ["MusterInterchange", "MusterTestKit"]),
    tests("MusterTransportTests", ["MusterTransport", "MusterTestKit"]),
    tests(
      "MusterLocationTests",
      ["MusterLocation", "MusterGeo", "MusterTestKit", nioCore, nioPosix, logging]),
    tests(
      "MusterNodeTests",
      ["MusterNode", "MusterModel", "MusterProximity", "MusterTestKit", lifecycle]),
    tests(
      "MusterBluetoothTests",
      ["MusterBluetooth", "MusterNode", "MusterModel", "MusterTestKit", "CDBus", logging]),
    tests(
      "MusterAmazonTests",
      ["MusterAmazon", "MusterModel", "MusterInterchange", "MusterTestKit"]),
    tests(
      "MusterArchiveTests",
      [
        "muster-archive", "MusterArchive", "MusterModel", "MusterCrypto", "MusterSync",
        "MusterReplica", "MusterNode", "MusterTestKit",
      ]),
    tests("MusterControlTests", ["MusterControl", "MusterHTTP", nioCore, nioPosix]),
    tests(
      "MusterHTTPTests",
      ["MusterHTTP", "MusterTestKit", grdbSQLite, hummingbird, nioCore, nioEmbedded, nioPosix]),
    tests("CommandLineTests", ["muster", "MusterCrypto"]),
    tests("TidyTests", []),
    tests(
      "ProcessTests",
      ["muster", "muster-archive", "muster-demo", "muster-sim", "MusterTestKit"]),
    tests("NetworkTests", ["muster", "MusterTestKit"]),
  ],
  swiftLanguageModes: [.v6]
)
