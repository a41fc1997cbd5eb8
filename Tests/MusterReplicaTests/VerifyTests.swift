import MusterModel
import MusterReplica
import Testing

@testable import MusterStore

@Suite("Verification")
struct VerifyTests {
  /// A valley in which Ada's disk contains writes of two people.
  private func valley() throws -> Valley {
    var valley = try Valley.with("Ada", "Ben")
    let id = try valley.at("Ben") {
      try $0.write(ReportRequests.add(ReportDraft(title: "Smoke")), now: $1)
    }
    try valley.at("Ben") {
      try $0.write(ReportRequests.edit(id, ReportChanges(title: "Fire")), now: $1)
    }
    try valley.at("Ada") {
      try $0.write(
        FenceRequests.add(FenceDraft(name: "School", kind: .muster, geometry: circle(metres: 100))),
        now: $1)
    }
    try valley.converge()
    try valley.at("Ben") { try $0.ingest(fix(metresNorth: 0, second: 0), now: $1) }
    try valley.converge()
    valley.checksInvariants = false
    return valley
  }

  private func problems(after damage: String...) throws -> [String] {
    var valley = try valley()
    #expect(try valley.ask("Ada") { replica, _ in try replica.verify() }.problems == [])
    for sql in damage { try valley.laptops[0].store.execute(unchecked: sql) }
    return try valley.ask("Ada") { replica, _ in try replica.verify() }.problems
  }

  /// Selects a frame of Ben in the middle of his state log.
  private static let victim = """
    (SELECT (ref << 32) + 2 FROM logs WHERE lane = 3 AND head_sequence >= 3
      ORDER BY head_sequence DESC LIMIT 1)
    """

  @Test func `a flipped byte in a stored body is found`() throws {
    let problems = try problems(
      after: """
        UPDATE frames SET body = CAST(substr(body, 1, 50) || x'00' || substr(body, 52) AS BLOB)
        WHERE place = \(Self.victim)
        """)

    #expect(problems.contains { $0.hasSuffix("its hash does not match its contents") })
    #expect(problems.contains { $0.hasPrefix("the view differs from the log") })
  }

  @Test func `a missing frame is found, and the rest is checked nevertheless`() throws {
    let problems = try problems(
      after: "PRAGMA foreign_keys = OFF", "DELETE FROM frames WHERE place = \(Self.victim)")

    #expect(problems.contains { $0.contains("is missing frames") })
    #expect(problems.contains { $0.contains("missing") })
  }

  @Test func `a rewritten hash breaks the chain`() throws {
    let problems = try problems(
      after: "UPDATE frames SET rest = randomblob(16) WHERE place = \(Self.victim)")

    #expect(problems.contains { $0.hasSuffix("its hash does not match its contents") })
  }

  @Test func `an invalid signature is found`() throws {
    let problems = try problems(
      after: "UPDATE frames SET signature = zeroblob(64) WHERE place = \(Self.victim)")
    #expect(problems.count == 1)
    #expect(problems.allSatisfy { $0.hasSuffix("its signature is invalid") })
  }

  @Test func `a log that ends without a signature is found`() throws {
    let problems = try problems(
      after: """
        UPDATE frames SET signature = NULL WHERE place =
          (SELECT (ref << 32) + head_sequence FROM logs WHERE lane = 3 LIMIT 1)
        """)
    #expect(problems.contains { $0.hasSuffix("no signature proves it") })
  }

  @Test(arguments: [
    "DELETE FROM rows WHERE kind = 2",
    "DELETE FROM crossings",
    "UPDATE crossings SET type = 3 - type",
    "UPDATE crossings SET latitude_e7 = latitude_e7 + 1",
  ])
  func `a view that was tampered with is found, and rebuilt at the next start`(
    damage: String
  ) throws {
    var valley = try valley()
    let hash = try valley.hashes()
    try valley.laptops[0].store.execute(unchecked: damage)
    #expect(
      try valley.ask("Ada") { replica, _ in try replica.verify() }.problems
        == ["the view differs from the log: restart the node to rebuild it"])

    try valley.restart("Ada")
    #expect(try valley.ask("Ada") { replica, _ in try replica.verify() }.problems == [])
    #expect(try valley.hashes() == hash)
  }

  @Test func `an opening that was given to another device is found`() throws {
    let problems = try problems(
      after: """
        UPDATE logs SET certificate = (SELECT certificate FROM logs WHERE lane = 1 LIMIT 1)
        WHERE lane = 3
        """)
    #expect(problems.contains { $0.hasSuffix("its opening does not belong to its log") })
  }
}
