import Foundation
import MusterModel
import Testing

@testable import MusterNode

@Suite("Whether a database may continue its logs")
struct SentinelVerdictTests {
  private let incarnation = Incarnation(raw: Bytes16(high: 1, low: 1))
  private let identity = DatabaseIdentity(fileSystem: 1, fileNumber: 2)
  private let sequences: [Lane: UInt64] = [.control: 4, .urgent: 9, .state: 100]

  private var sentinel: Sentinel {
    Sentinel(
      incarnation: incarnation, generation: 1, sequences: sequences, database: identity)
  }

  private func verdict(
    _ found: Sentinel.Reading, incarnation: Incarnation? = nil, sequences: [Lane: UInt64]? = nil,
    identity: DatabaseIdentity? = nil
  ) -> Sentinel.Verdict {
    Sentinel.verdict(
      found, databaseIncarnation: incarnation ?? self.incarnation,
      databaseSequences: sequences ?? self.sequences, databaseIdentity: identity ?? self.identity)
  }

  private func expectNewIncarnation(
    _ verdict: Sentinel.Verdict, because words: String,
    at location: SourceLocation = #_sourceLocation
  ) {
    guard case .newIncarnation(let reason) = verdict else {
      Issue.record("it may continue, although \(words)", sourceLocation: location)
      return
    }
    #expect(reason.contains(words), sourceLocation: location)
    #expect(!reason.contains("\n"), sourceLocation: location)
  }

  @Test func `the database that it was written for continues its logs`() {
    #expect(verdict(.found(sentinel)) == .same)
  }

  @Test func `a sentinel behind the database is valid, in any lane`() {
    var ahead = sequences.mapValues { $0 + 1 }
    ahead[.history] = 0
    #expect(verdict(.found(sentinel), sequences: ahead) == .same)

    var empty = sentinel
    empty.sequences = [:]
    #expect(verdict(.found(empty)) == .same)
  }

  @Test func `a database to which the device never wrote starts an incarnation`() {
    let verdict = Sentinel.verdict(
      .missing, databaseIncarnation: nil, databaseSequences: [:], databaseIdentity: identity)
    expectNewIncarnation(verdict, because: "has not written into this database yet")

    // A lost database, with the sentinel of its last incarnation.
    let after = Sentinel.verdict(
      .found(sentinel), databaseIncarnation: nil, databaseSequences: [:],
      databaseIdentity: identity)
    expectNewIncarnation(after, because: "has not written into this database yet")
  }

  @Test func `a missing sentinel indicates a home from another computer`() {
    expectNewIncarnation(verdict(.missing), because: "it came from elsewhere")
  }

  @Test func `a damaged sentinel proves nothing`() {
    expectNewIncarnation(verdict(.damaged), because: "damaged")
  }

  @Test func `another incarnation indicates a restored database`() {
    let other = Incarnation(raw: Bytes16(high: 1, low: 2))
    expectNewIncarnation(
      verdict(.found(sentinel), incarnation: other), because: "an older copy was restored")
  }

  @Test(arguments: [
    DatabaseIdentity(fileSystem: 1, fileNumber: 3), DatabaseIdentity(fileSystem: 2, fileNumber: 2),
  ])
  func `another file indicates a copy`(identity: DatabaseIdentity) {
    expectNewIncarnation(
      verdict(.found(sentinel), identity: identity), because: "copied or restored")
  }

  @Test(arguments: [Lane.control, .urgent, .state])
  func `a sentinel ahead in one lane indicates an older copy in the same file`(lane: Lane) throws {
    // Given a database that is ahead in every other lane
    let newest = try #require(sequences[lane])
    var restored = sequences.mapValues { $0 + 10 }

    restored[lane] = newest - 1
    expectNewIncarnation(
      verdict(.found(sentinel), sequences: restored),
      because: "up to frame \(newest) of its \(lane) log, but the database ends at \(newest - 1)")

    restored[lane] = nil
    expectNewIncarnation(
      verdict(.found(sentinel), sequences: restored), because: "the database has none of it")
  }

  @Test func `a log with only its opening is ahead of a missing log`() {
    var opened = sentinel
    opened.sequences[.history] = 0
    expectNewIncarnation(verdict(.found(opened)), because: "its history log")
  }

  @Test func `a copied file is another file, and a renamed one is not`() throws {
    let scratch = try ScratchFolder()
    let original = try scratch.file("muster.sqlite", [1, 2, 3])
    let identity = try DatabaseIdentity.of(path: original)
    #expect(try DatabaseIdentity.of(path: original) == identity)

    try FileManager.default.copyItem(atPath: original, toPath: scratch.path + "/copy")
    #expect(try DatabaseIdentity.of(path: scratch.path + "/copy") != identity)

    // A write in place is not a restore.
    try OnDisk.overwrite(original, at: 0, [9])
    #expect(rename(original, scratch.path + "/renamed") == 0)
    #expect(try DatabaseIdentity.of(path: scratch.path + "/renamed") == identity)

    #expect(throws: HomeError.system(.read, path: original, code: ENOENT)) {
      try DatabaseIdentity.of(path: original)
    }
  }

  @Test func `a backup restored over a running database is detected at the next start`() throws {
    // Given a home whose database was copied, and written to after that
    let scratch = try ScratchFolder()
    let home = scratch.home()
    try home.create()
    let device = DeviceID(raw: .zero)
    _ = try scratch.file("home/data/muster.sqlite", [1])
    let file = SentinelFile(directory: home.stateDirectory, device: device)
    let identity = try DatabaseIdentity.of(path: home.databasePath)
    let backup: [Lane: UInt64] = [.state: 7]
    for sequence in UInt64(7)...9 {
      try file.write(
        Sentinel(
          incarnation: incarnation, generation: 1, sequences: [.state: sequence],
          database: identity))
    }

    // When the copy's contents are restored into the same file
    let found = try SentinelFile(directory: home.stateDirectory, device: device).read()
    expectNewIncarnation(
      verdict(found, sequences: backup, identity: identity), because: "an older copy was restored")
    // Then the database before would have continued
    #expect(verdict(found, sequences: [.state: 9], identity: identity) == .same)
  }
}
