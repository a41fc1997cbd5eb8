import MusterModel
import MusterStatus
import MusterStore
import MusterTestKit
import Testing

@testable import MusterReplica

/// Records of other devices: visible at once, durable within seconds, folded after minutes.
@Suite("Received records")
struct ReceivedRecordsTests {
  private func device(_ name: String, in valley: Valley) -> DeviceID {
    valley.laptops[valley.index(name)].credentials.device
  }

  /// Where Ada shows Ben; nil without a position.
  private func shown(in valley: inout Valley) throws -> Coordinate? {
    let ben = device("Ben", in: valley)
    return try valley.ask("Ada") { replica, _ in
      try replica.core.context.devicePosition(of: ben)?.report.fix.position
    }
  }

  /// Lets Ben move, and waits until Ada shows it.
  private func move(metresNorth: Int64, in valley: inout Valley) throws {
    let second = valley.now.microseconds / 1_000_000
    try valley.at("Ben") {
      try $0.ingest(fix(metresNorth: metresNorth, second: second), now: $1)
    }
    let there = place(metresNorth: metresNorth)
    let elapsed = try valley.wait(upTo: 10_000) { try shown(in: &$0) == there }
    try #require(try #require(elapsed) < Limits.stagingMilliseconds)
  }

  private func store(in valley: Valley) -> Store { valley.laptops[valley.index("Ada")].store }

  private func ages(in valley: inout Valley) throws -> [Span?] {
    let devices = valley.laptops.map(\.credentials.device)
    return try valley.ask("Ada") { replica, now in
      devices.map { AgeReader(of: replica.core, at: now).evidenceAge(of: $0) }
    }
  }

  @Test func `a received position is visible at once, and durable within two seconds`() throws {
    let folder = try TemporaryFolder()
    var valley = try Valley.with("Ada", "Ben", in: folder)
    try valley.run(milliseconds: 2 * Limits.foldMilliseconds)
    try move(metresNorth: 1, in: &valley)
    let staged = try valley.wait(upTo: 2 * Limits.stagingMilliseconds) { valley in
      try valley.ask("Ada") { replica, _ in replica.core.records.received.isDurable }
    }
    #expect(try #require(staged) <= Limits.stagingMilliseconds)
    // When the power fails before the next one is durable
    try move(metresNorth: 2, in: &valley)
    valley.cut(["Ada"], ["Ben"])
    try valley.restart("Ada")
    #expect(try shown(in: &valley) == place(metresNorth: 1))
    // Then a peer that holds it sends it again
    valley.heal()
    let arrived = try valley.wait(upTo: 60_000) {
      try shown(in: &$0) == place(metresNorth: 2)
    }
    #expect(arrived != nil)
    try valley.converge()
  }

  @Test func `a crash between staging and fold loses no position and no age`() throws {
    let folder = try TemporaryFolder()
    var valley = try Valley.with("Ada", "Ben", "Cleo", in: folder)
    try valley.run(milliseconds: 2 * Limits.foldMilliseconds)
    for metre in 1...6 {
      try move(metresNorth: Int64(metre), in: &valley)
      try valley.run(milliseconds: 20_000)
    }
    #expect(try store(in: valley).stagedCount() > 0)
    let before = try ages(in: &valley)
    valley.cut(["Ada"], ["Ben", "Cleo"])
    try valley.restart("Ada")
    // Opening has folded them
    #expect(try store(in: valley).stagedCount() == 0)
    #expect(try shown(in: &valley) == place(metresNorth: 6))
    for (old, new) in zip(before, try ages(in: &valley)) {
      let (old, new) = (try #require(old), try #require(new))
      #expect(new.latest >= old.latest, "a restart makes no person look younger")
      #expect(new.latest - old.latest <= 25_000, "\(old) became \(new)")
    }
    #expect(try valley.ask("Ada") { replica, _ in try replica.verify() }.problems == [])
  }

  @Test func `a folded database equals one that was folded after a crash`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    try valley.run(milliseconds: Limits.foldMilliseconds)
    for metre in 1...5 {
      try move(metresNorth: Int64(metre), in: &valley)
      try valley.run(milliseconds: 15_000)
    }
    valley.cut(["Ada"], ["Ben"], ["Cleo"])
    try valley.run(milliseconds: Limits.stagingMilliseconds)
    let crashed = try store(in: valley).copiedInMemory()
    #expect(try crashed.stagedCount() > 0)
    let laptop = valley.laptops[valley.index("Ada")]
    var replica = try #require(laptop.replica)
    try replica.core.foldStaged(now: valley.clock(of: laptop))
    _ = try Replica(
      store: crashed, credentials: laptop.credentials, start: .continues,
      seed: [UInt8](repeating: 7, count: 32), systemBoot: [laptop.boots],
      now: valley.clock(of: laptop))
    let folded = store(in: valley)
    #expect(try folded.stagedCount() == 0 && crashed.stagedCount() == 0)
    #expect(try folded.records() == crashed.records())
    #expect(try folded.positions() == crashed.positions())
    #expect(try folded.journal() == crashed.journal())
    #expect(
      try Set(folded.anchors().map(\.id)) == Set(crashed.anchors().map(\.id)))
    #expect(try folded.stamps().map(\.id) == crashed.stamps().map(\.id))
  }

  @Test func `the records that were staged before a restart of the machine are old`() throws {
    let folder = try TemporaryFolder()
    var valley = try Valley.with("Ada", "Ben", in: folder)
    try valley.run(milliseconds: 2 * Limits.foldMilliseconds)
    try move(metresNorth: 1, in: &valley)
    try valley.run(milliseconds: Limits.stagingMilliseconds)
    valley.cut(["Ada"], ["Ben"])
    try valley.switchOff("Ada")
    let index = valley.index("Ada")
    valley.laptops[index].boots += 1
    valley.laptops[index].bootedAt = valley.now
    try valley.run(milliseconds: 90_000)
    try valley.switchOn("Ada")
    #expect(try shown(in: &valley) == place(metresNorth: 1))
    let age = try #require(try ages(in: &valley)[1])
    #expect(age.earliest >= 90_000 && age.latest > 1 << 51, "\(age)")
  }

  @Test func `an orderly stop folds what was received`() throws {
    let folder = try TemporaryFolder()
    var valley = try Valley.with("Ada", "Ben", in: folder)
    try move(metresNorth: 1, in: &valley)
    let laptop = valley.laptops[valley.index("Ada")]
    try #require(laptop.replica).close()
    let store = try ReplicaDatabase.open(
      at: #require(laptop.path), of: laptop.credentials, seed: [UInt8](repeating: 3, count: 32))
    #expect(try store.stagedCount() == 0)
    let ben = device("Ben", in: valley)
    #expect(try store.position(of: ben)?.report.fix.position == place(metresNorth: 1))
  }

  @Test func `a merged bundle is durable when the command is answered`() throws {
    var valley = try Valley.with("Ada", "Ben")
    valley.cut(["Ada"], ["Ben"])
    try valley.at("Ben") { try $0.ingest(fix(metresNorth: 4, second: 1), now: $1) }
    let bundle = try valley.bundle(by: "Ben")
    try valley.merge(bundle, at: "Ada")
    let certificate = valley.laptops[valley.index("Ben")].credentials.certificate
    #expect(
      try store(in: valley).records().contains {
        $0.kind == .position && $0.certificate == certificate
      })
  }

  @Test func `a burst of records is staged and folded whatever the time`() throws {
    var received = ReceivedRecords()
    let now = Instant(microseconds: 0)
    var batch = Batch()
    #expect(received.nextDeadline == nil)
    for number in 1...Limits.stagedRecords {
      let record = LatestRecord(
        topic: RecordTopic(raw: Bytes16(high: 1, low: UInt64(number % 100))), kind: .presence,
        certificate: .root,
        order: RecordOrder(
          generation: 1, incarnation: Incarnation(raw: .zero), counter: UInt64(number)),
        epoch: EpochID(raw: .zero), body: [], signature: [])
      received.take(
        record, nil, name: StampedRecordID(raw: Bytes16(high: 2, low: UInt64(number))),
        arrival: ArrivalTime(boot: 1, milliseconds: 0, wall: Timestamp(milliseconds: 0)), now: now)
      guard received.work(now: now) == .staging else { continue }
      #expect(number % Limits.unstagedRecords == 0)
      received.stage(in: &batch)
    }
    #expect(batch.staged.count == Limits.stagedRecords)
    #expect(batch.journal.count == 1)
    #expect(received.work(now: now) == .fold)
    received.fold(
      into: &batch, ages: AgeChanges(), journalStart: JournalStart(boot: 0, arrived: 0))
    #expect(batch.fold?.records.count == 100)
    #expect(received.nextDeadline == nil)
    received.checkInvariants(staged: 0)
  }

  @Test func `of a position that is stored and one that was received the newer is shown`() {
    func position(_ counter: UInt64) -> DevicePosition {
      DevicePosition(
        device: DeviceID(raw: .zero), user: UserID(raw: .zero),
        order: RecordOrder(
          generation: 1, incarnation: Incarnation(raw: .zero), counter: counter),
        report: PositionReport(
          fix: fix(metresNorth: Int64(counter), second: 0),
          reportedAt: Timestamp(milliseconds: 0)))
    }
    let record = LatestRecord(
      topic: RecordTopic(raw: .zero), kind: .position, certificate: .root, order: position(2).order,
      epoch: EpochID(raw: .zero), body: [], signature: [])
    var received = ReceivedRecords()
    received.restore(record, position(2), now: Instant(microseconds: 0))
    for (stored, newest) in [(1, 2), (2, 2), (3, 3)] as [(UInt64, UInt64)] {
      #expect(received.over(position(stored), of: DeviceID(raw: .zero)) == position(newest))
      #expect(received.over([position(stored)]) == [position(newest)])
    }
    #expect(received.over(nil, of: DeviceID(raw: .zero)) == position(2))
    #expect(received.over([DevicePosition]()) == [position(2)])
  }
}
