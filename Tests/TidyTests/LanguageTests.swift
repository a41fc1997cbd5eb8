import Testing

/// Comments, messages and test names use the standard terms of the field.
///
/// A banned word is a whole word in a comment, a string literal or a test name. Code spans and
/// identifiers are exempt. A folder is added to the list once it is clean.
@Suite struct LanguageTests {
  static let banned: Set<String> = [
    "say", "says", "said", "saying", "tell", "tells", "told", "telling",
    "hear", "hears", "heard", "hearing", "somebody", "nobody", "whoever", "whom",
    "shelf", "shelves", "desk", "wreckage", "mend", "mends", "mended", "mending", "anew",
  ]

  private static let clean = [
    "Benchmarks", "Fuzz/Sources", "Sources/MusterAmazon", "Sources/MusterAttackers",
    "Sources/MusterCRDT", "Sources/MusterControl", "Tests/MusterAmazonTests",
    "Sources/MusterCrypto", "Sources/MusterGeo", "Sources/MusterHTTP", "Sources/MusterInterchange",
    "Sources/MusterLocation", "Sources/MusterModel", "Sources/MusterNode", "Sources/MusterReplica",
    "Sources/MusterStatus", "Sources/MusterStore", "Sources/MusterSync/Engine",
    "Sources/MusterSync/Session", "Sources/MusterSync/Wire", "Sources/MusterTransport",
    "Sources/muster", "Sources/muster-image", "Sources/muster-sim", "Tests/CommandLineTests",
    "Tests/MusterCRDTTests", "Tests/MusterControlTests", "Tests/MusterCryptoTests",
    "Tests/MusterGeoTests", "Tests/MusterHTTPTests", "Tests/MusterInterchangeTests",
    "Tests/MusterLocationTests", "Tests/MusterModelTests", "Tests/MusterNodeTests",
    "Tests/MusterReplicaTests", "Tests/MusterSimulatorTests", "Tests/MusterStatusTests",
    "Tests/MusterStoreTests", "Tests/MusterSyncTests", "Tests/MusterTransportTests",
    "Tests/NetworkTests", "Tests/ProcessTests", "Tests/MusterTestKit", "Sources/MusterSimulator",
    "Sources/muster-demo", "Sources/MusterProximity", "Tests/MusterProximityTests",
    "Sources/SQLiteSeal", "Tests/SQLiteSealTests", "Sources/MusterArchive",
    "Sources/muster-archive", "Tests/MusterArchiveTests", "Sources/MusterBluetooth",
    "Tests/MusterBluetoothTests",
  ]

  /// Literals that name a file on disk, a value in JSON or a login of a simulated attacker.
  /// Changing them would break homes, clients or recorded traces.
  private static let fixed: Set = [".mended", ".mending", "heard", "nobody"]

  @Test("comments, messages and test names have no banned words", arguments: clean)
  func words(folder: String) throws {
    let files = try SourceTree(below: [folder]).files
    #expect(!files.isEmpty)
    for file in files where !file.isGenerated {
      for (index, line) in file.lines.enumerated() {
        for word in words(of: line) where Self.banned.contains(word) {
          Issue.record("\(file.path):\(index + 1) has the banned word \"\(word)\"")
        }
      }
    }
  }

  @Test("code, code spans and interpolations are not searched")
  func exemptions() {
    #expect(words(of: "if heard { tell() }").isEmpty)
    #expect(words(of: "/// The `LogIndex` of a peer").allSatisfy { !Self.banned.contains($0) })
    #expect(words(of: #"note("is \(told) now")"#) == ["is", "now"])
    #expect(words(of: #"case .heard: "heard""#).isEmpty)
    #expect(words(of: #"note("not heard")"#) == ["not", "heard"])
    #expect(words(of: "@Test func `one two`() { // Three").sorted() == ["one", "three", "two"])
  }

  /// Returns the words of a line that people read, in lower case.
  private func words(of line: Substring) -> [String] {
    let halves = line.split(separator: "//", maxSplits: 1, omittingEmptySubsequences: false)
    let code = halves[0].replacing(/\\\([^)]*\)/, with: " ")
    let literals = code.matches(of: /"([^"]*)"/).map(\.output.1)
      .filter { !Self.fixed.contains(String($0)) }
    let names = code.matches(of: /`([^`]* [^`]*)`/).map(\.output.1)
    let comment = halves.count > 1 ? halves[1].replacing(/`[^`]*`/, with: " ") : ""
    return (literals + names + [comment[...]]).flatMap { text in
      text.matches(of: /[A-Za-z_]+/).map { $0.output.lowercased() }
    }
  }
}
