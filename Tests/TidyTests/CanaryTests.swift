import Foundation
import Testing

/// Planted bugs exist only in their place, and each has a seed that catches it.
@Suite struct CanaryTests {
  /// The names of the bugs, in code and in the record.
  private func bugs() throws -> [(name: String, record: String)] {
    let tree = try SourceTree(below: ["Sources/MusterModel"])
    let file = try #require(tree.files.first { $0.path.hasSuffix("/Canary.swift") })
    return file.lines.compactMap { line in
      let words = line.split(separator: " ")
      guard words.count == 4, words[0] == "case", words[2] == "=" else { return nil }
      return (String(words[1]), words[3].filter { $0 != "\"" })
    }
  }

  @Test("each planted bug exists in the product, and nowhere else")
  func planted() throws {
    let product = try SourceTree(below: [
      "Sources/MusterCRDT", "Sources/MusterCrypto", "Sources/MusterGeo", "Sources/MusterReplica",
      "Sources/MusterStatus", "Sources/MusterStore", "Sources/MusterSync",
    ])
    let bugs = try bugs()
    #expect(bugs.count >= 20)
    for bug in bugs {
      #expect(product.files.contains { $0.text.contains("Canary.\(bug.name).isPlanted") }, "\(bug)")
    }
  }

  @Test("each planted bug has a recorded seed that catches it")
  func recorded() throws {
    let root = try SourceTree(below: []).root
    let record = try String(
      contentsOf: root.appending(path: "simulations/canary/seeds.yml"), encoding: .utf8)
    for bug in try bugs() {
      #expect(record.contains("\n\(bug.record): {seed: "), "\(bug.record)")
    }
  }
}
