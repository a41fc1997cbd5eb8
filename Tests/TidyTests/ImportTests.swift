import Testing

/// The layering of `docs/architecture.md`. The build's own check accepts transitive imports, so
/// the imports of each file are compared here.
@Suite struct ImportTests {
  private static let allowed: [String: Set<String>] = [
    "MusterModel": [],
    "MusterCRDT": ["MusterModel"],
    "MusterGeo": ["MusterModel", "Glibc", "Musl", "Darwin"],
    "MusterStatus": ["MusterModel", "MusterGeo"],
    "MusterCrypto": ["MusterModel", "CSodium"],
    "MusterSync": ["MusterModel", "MusterCRDT", "MusterCrypto", "SwiftProtobuf"],
    "MusterStore": [
      "MusterModel", "MusterCRDT", "MusterCrypto", "GRDB", "GRDBSQLite", "Foundation",
      "Synchronization",
    ],
    "MusterReplica": [
      "MusterModel", "MusterCRDT", "MusterGeo", "MusterStatus", "MusterCrypto", "MusterSync",
      "MusterStore",
    ],
    "MusterSimulator": [
      "MusterModel", "MusterCRDT", "MusterGeo", "MusterCrypto", "MusterSync", "MusterStore",
      "MusterReplica", "CCrashVFS", "Yams", "Foundation",
    ],
    "MusterInterchange": ["MusterModel", "MusterGeo", "Foundation"],
    "MusterTransport": [
      "MusterModel", "AsyncHTTPClient", "NIOCore", "NIOHTTP1", "NIOPosix", "NIOSSL", "Crypto",
      "X509", "SwiftASN1", "Logging", "ServiceLifecycle", "Foundation", "Glibc", "Musl", "Darwin",
      "Synchronization",
    ],
    "MusterLocation": [
      "MusterModel", "MusterGeo", "NIOCore", "NIOPosix", "Logging", "ServiceLifecycle",
      "Foundation", "FoundationXML", "Glibc", "Musl", "Darwin",
    ],
    "MusterNode": [
      "MusterModel", "MusterGeo", "MusterReplica", "MusterTransport", "MusterLocation", "Logging",
      "ServiceLifecycle", "Foundation", "Dispatch", "Synchronization", "Glibc",
      "Musl", "Darwin",
    ],
    "MusterHTTP": [
      "MusterModel", "MusterCrypto", "MusterInterchange", "MusterLocation", "MusterTransport",
      "MusterNode", "MusterControl", "Dispatch", "GRDBSQLite", "Hummingbird", "HummingbirdTLS",
      "NIOCore", "NIOSSL", "Logging", "ServiceLifecycle", "Foundation", "Synchronization",
    ],
    "MusterControl": [
      "MusterModel", "MusterNode", "NIOCore", "NIOHTTP1", "NIOPosix", "Foundation",
      "Glibc", "Musl", "Darwin",
    ],
  ]

  @Test("every file imports only what its layer may")
  func layering() throws {
    let tree = try SourceTree(below: ["Sources"])
    for file in tree.files where !file.isGenerated {
      guard let allowed = Self.allowed[file.target] else { continue }
      for (module, line) in imports(of: file) where !allowed.contains(module) {
        Issue.record("\(file.path):\(line) imports \(module), which \(file.target) may not")
      }
    }
  }

  @Test("every library target is in the table")
  func table() throws {
    let tree = try SourceTree(below: ["Sources"])
    let targets = Set(tree.files.map(\.target)).filter { $0.hasPrefix("Muster") }
    #expect(targets == Set(Self.allowed.keys))
  }

  private func imports(of file: SourceTree.File) -> [(module: String, line: Int)] {
    file.lines.enumerated().compactMap { index, line in
      let words = line.split(separator: " ")
      guard let place = words.firstIndex(of: "import"), words.count > place + 1,
        words[..<place].allSatisfy({
          ["public", "internal", "private", "@testable", "@preconcurrency"].contains($0)
        })
      else { return nil }
      return (String(words[place + 1]), index + 1)
    }
  }
}
