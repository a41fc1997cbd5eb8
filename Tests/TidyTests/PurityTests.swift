import Testing

/// No clock, randomness, concurrency or global state from the model to the replica: the simulator
/// must be able to run the same code as the node.
@Suite struct PurityTests {
  private static let core = [
    "MusterModel", "MusterCRDT", "MusterGeo", "MusterCrypto", "MusterSync", "MusterStore",
    "MusterReplica", "MusterStatus", "MusterProximity", "SQLiteSeal",
  ]

  @Test(
    "the core reads no clock and draws no randomness",
    arguments: [
      "Date()", "Date.now", ".random(", "= .now", "(.now", ": .now", "Clock.now", "Clock().now",
      "UUID()", "SystemRandomNumberGenerator", "clock_gettime", "arc4random",
    ])
  func noAmbientInputs(banned: String) throws {
    try expectAbsent(banned, from: Self.core)
  }

  @Test(
    "the core does not suspend, lock or start tasks",
    arguments: ["Task {", " async ", " await ", "Mutex<", "DispatchQueue", "NSLock"])
  func noConcurrency(banned: String) throws {
    // SQLite calls the VFS on the threads of several connections.
    try expectAbsent(banned, from: Self.core.filter { $0 != "SQLiteSeal" })
  }

  @Test("nothing hides a failure", arguments: ["try?", "fatalError(", "try!"])
  func noHiddenFailure(banned: String) throws {
    try expectAbsent(
      banned,
      from: Self.core + [
        "MusterTransport", "MusterLocation", "MusterNode", "MusterBluetooth", "muster",
      ])
  }

  @Test("no file has more than 500 lines or lines over 100 columns")
  func sizes() throws {
    let tree = try SourceTree(below: ["Sources", "Benchmarks"])
    for file in tree.files where !file.isGenerated {
      if file.lines.count > 501 {
        Issue.record("\(file.path) has \(file.lines.count) lines: split it by topic")
      }
      for (index, line) in file.lines.enumerated() where line.count > 100 {
        Issue.record("\(file.path):\(index + 1) has \(line.count) columns")
      }
    }
  }

  @Test("a test that cannot run is skipped by a trait, never printed and counted as passed")
  func skips() throws {
    for file in try SourceTree(below: ["Tests"]).files {
      for (index, line) in file.lines.enumerated() where line.contains("print(\"skip") {
        Issue.record("\(file.path):\(index + 1) prints that it is skipped")
      }
    }
  }

  private func expectAbsent(_ banned: String, from targets: [String]) throws {
    let tree = try SourceTree(below: targets.map { "Sources/" + $0 })
    #expect(!tree.files.isEmpty)
    for file in tree.files where !file.isGenerated {
      for (index, line) in file.lines.enumerated() {
        let code = line.split(separator: "//", maxSplits: 1, omittingEmptySubsequences: false)[0]
        guard holds(code, banned), !isAllowed(banned, in: file) else { continue }
        Issue.record("\(file.path):\(index + 1) has \(banned)")
      }
    }
  }

  /// Patterns in lower case match whole words: `Geometry?` hides no failure.
  private func holds(_ code: Substring, _ banned: String) -> Bool {
    guard banned.first?.isLowercase == true else { return code.contains(banned) }
    return code.ranges(of: banned).contains { range in
      code[..<range.lowerBound].last.map { !$0.isLetter } ?? true
    }
  }

  /// The only source of the shell's seed.
  private func isAllowed(_ banned: String, in file: SourceTree.File) -> Bool {
    file.path.hasSuffix("MusterCrypto/Primitives/SystemRandom.swift")
  }
}
