import Foundation
import Logging
import MusterModel
import MusterReplica
import MusterTestKit
import Testing

@testable import MusterNode

/// Row I12 of the fault list: a device without a state folder must not open endless logs.
/// `MUSTER_VOLUME=1000` for the full volume.
///
/// The tests may run as root, which permissions do not restrict: a plain file at the state folder's
/// path makes it unwritable, and mode 0777 makes it readable and rejected.
@Suite("A state folder that cannot be written")
struct StateFolderTests {
  private static let volume = Volume.orUsual(12)

  private let scratch: ScratchFolder
  private let home: NodeHome

  init() throws {
    scratch = try ScratchFolder()
    home = scratch.home()
    _ = try Founding.found(operation: "Ridge", callsign: "Ada", home: home, passphrase: nil)
  }

  private func opened() throws -> OpenedHome { try OpenedHome(home, passphrase: { [] }) }

  private func blockStateFolder() throws {
    try FileManager.default.removeItem(atPath: home.stateDirectory)
    _ = try scratch.file("state")
  }

  private func freeStateFolder() throws {
    try FileManager.default.removeItem(atPath: home.stateDirectory)
  }

  private func node() throws -> Node {
    let opened = try OpenedHome(home, passphrase: { [] })
    return Node(opened, transport: nil, logger: Logger(label: "test"))
  }

  private func status(of node: Node) async throws -> StatusSummary {
    guard case .status(let status) = await node.perform(.status) else {
      throw NodeError.refused("no status")
    }
    return status
  }

  private func alerts(of node: Node) async throws -> [Alert] {
    guard case .alerts(let alerts) = await node.perform(.alerts) else {
      throw NodeError.refused("no alerts")
    }
    return alerts.filter { $0.id.kind == .stateFolder }
  }

  private func addReport(_ title: String) throws {
    var opened = try opened()
    _ = try opened.replica.write(
      ReportRequests.add(ReportDraft(title: title)), now: SystemClock.reading)
    try opened.writeSentinel()
    try opened.replica.close()
  }

  private func incarnationState() throws -> Replica.IncarnationState {
    let opened = try opened()
    try opened.replica.close()
    return opened.replica.incarnationState
  }

  private var substitutes: [String] {
    get throws {
      try FileManager.default.contentsOfDirectory(atPath: home.runDirectory)
        .filter { $0.hasSuffix(".sentinel") }
    }
  }

  @Test func `costs one incarnation, however often the node starts and writes`() async throws {
    try blockStateFolder()
    try addReport("Smoke")
    let first = try incarnationState()
    let logs = try await { () async throws -> Int in
      let node = try node()
      let status = try await status(of: node)
      await node.stop()
      return status.logs
    }()

    for number in 1...Self.volume {
      let node = try node()
      let reply = await node.perform(.addReport(ReportDraft(title: "Smoke \(number)")))
      guard case .created = reply else { throw NodeError.refused("\(reply)") }
      #expect(try await status(of: node).logs == logs)
      #expect(try await alerts(of: node).count == 1)
      await node.stop()
    }

    let last = try incarnationState()
    #expect(last.incarnation == first.incarnation && last.generation == first.generation)
  }

  @Test func `is named with the cause and the remedy until it can be written again`() async throws {
    try blockStateFolder()
    let node = try node()
    let problem = try #require(try await status(of: node).stateFolderProblem)
    #expect(problem.hasPrefix("cannot write the state folder \(home.stateDirectory) ("))
    #expect(
      problem.hasSuffix(
        "is not a folder), so a restored backup of this home may not be "
          + "detected: make it a folder that this user can write, or set MUSTER_STATE to one"))
    #expect(try await alerts(of: node).map(\.text) == [problem])

    try freeStateFolder()
    _ = await node.perform(.addReport(ReportDraft(title: "Smoke")))
    #expect(try await status(of: node).stateFolderProblem == nil)
    #expect(try await alerts(of: node).isEmpty)
    await node.stop()
  }

  @Test func `continues the same incarnation once it can be written again`() throws {
    try blockStateFolder()
    try addReport("Smoke 1")
    let first = try incarnationState()
    #expect(try substitutes.count == 1)
    try freeStateFolder()

    try addReport("Smoke 2")

    #expect(try incarnationState().incarnation == first.incarnation)
    #expect(try substitutes.isEmpty)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: home.stateDirectory)
        .contains { $0.hasSuffix(".sentinel") })
  }

  @Test func `starts no incarnation while the sentinel can still be read`() throws {
    let first = try incarnationState()
    try OnDisk.setMode(0o777, of: home.stateDirectory)
    for number in 1...Self.volume { try addReport("Smoke \(number)") }

    let last = try incarnationState()
    #expect(last.incarnation == first.incarnation)
    #expect(try #require(last.sequences[.state]) > first.sequences[.state] ?? 0)
  }

  @Test func `does not hide that the home was copied`() throws {
    try blockStateFolder()
    try addReport("Smoke")
    let first = try incarnationState()
    let copy = scratch.home("copy")
    try FileManager.default.copyItem(atPath: home.path, toPath: copy.path)

    let opened = try OpenedHome(copy, passphrase: { [] })

    #expect(opened.replica.incarnationState.incarnation != first.incarnation)
    #expect(opened.newIncarnationReason != nil)
    try opened.replica.close()
  }

  @Test func `does not hide that the home came from another computer`() throws {
    try blockStateFolder()
    try addReport("Smoke")
    let first = try incarnationState()
    let name = try #require(try substitutes.first)
    let parts = name.split(separator: ".")
    // As if it had been written on another computer, by a file with the same number
    try FileManager.default.moveItem(
      atPath: "\(home.runDirectory)/\(name)",
      toPath: "\(home.runDirectory)/\(parts[0]).00000000.sentinel")

    #expect(try incarnationState().incarnation != first.incarnation)
  }

  @Test func `does not hide that an older database was restored`() throws {
    try blockStateFolder()
    try addReport("Smoke 1")
    let first = try incarnationState()
    let backup = try OnDisk.bytes(at: home.databasePath)
    try addReport("Smoke 2")
    // In place, so that the file keeps its number.
    let file = try FileHandle(forUpdating: URL(fileURLWithPath: home.databasePath))
    try file.truncate(atOffset: 0)
    try file.write(contentsOf: Data(backup))
    try file.close()

    #expect(try incarnationState().incarnation != first.incarnation)
  }

  @Test func `read-only commands open no log and start no incarnation`() async throws {
    let before = try incarnationState()
    for _ in 1...Self.volume {
      let node = try node()
      _ = try await status(of: node)
      _ = try await alerts(of: node)
      await node.stop()
    }
    #expect(try incarnationState() == before)
  }

  @Test func `a clock that is years off starts no incarnation`() throws {
    let opened = try opened()
    let (before, credentials) = (opened.replica.incarnationState, opened.credentials)
    try opened.replica.close()
    for years in [-40, 40] {
      let store = try ReplicaDatabase.open(
        at: home.databasePath, of: credentials, seed: systemSeed())
      let wall = Timestamp(
        milliseconds: SystemClock.wall.milliseconds + Int64(years) * 31_557_600_000)
      let replica = try Replica(
        store: store, credentials: credentials, start: .continues, seed: systemSeed(),
        systemBoot: SystemClock.systemBoot,
        now: ClockReading(
          instant: SystemClock.instant, wall: wall, boot: SystemClock.reading.boot,
          entropy: .zero))
      #expect(replica.incarnationState == before)
      try replica.close()
    }
  }
}

@Suite("A sentinel and its substitute")
struct SentinelSubstituteTests {
  private func sentinel(_ generation: UInt32, _ incarnation: UInt64, _ sequence: UInt64)
    -> Sentinel
  {
    Sentinel(
      incarnation: Incarnation(raw: Bytes16(high: 0, low: incarnation)), generation: generation,
      sequences: [.state: sequence], database: DatabaseIdentity(fileSystem: 5, fileNumber: 6))
  }

  @Test func `the only one that exists counts`() {
    let found = Sentinel.Reading.found(sentinel(1, 1, 3))
    for absent in [Sentinel.Reading.missing, .damaged] {
      #expect(Sentinel.newest(found, substitute: absent) == found)
      #expect(Sentinel.newest(absent, substitute: found) == found)
      #expect(Sentinel.newest(absent, substitute: .missing) == absent)
    }
  }

  @Test func `the later incarnation counts, and in one incarnation the later frames`() {
    let newest = { (first: Sentinel, second: Sentinel) in
      Sentinel.newest(.found(first), substitute: .found(second))
    }
    #expect(newest(sentinel(1, 1, 9), sentinel(2, 2, 3)) == .found(sentinel(2, 2, 3)))
    #expect(newest(sentinel(2, 2, 3), sentinel(1, 1, 9)) == .found(sentinel(2, 2, 3)))
    #expect(newest(sentinel(2, 2, 3), sentinel(2, 2, 9)) == .found(sentinel(2, 2, 9)))
    #expect(newest(sentinel(2, 2, 9), sentinel(2, 2, 3)) == .found(sentinel(2, 2, 9)))
    // Two copies of one home: the substitute was copied with the home.
    #expect(newest(sentinel(2, 2, 3), sentinel(2, 7, 9)) == .found(sentinel(2, 2, 3)))
  }
}
