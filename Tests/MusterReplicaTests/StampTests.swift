import MusterModel
import MusterStatus
import MusterTestKit
import Testing

@testable import MusterReplica
@testable import MusterStore

/// Ages that no wall clock, relay or other member can shorten (decision 0035).
@Suite("Stamped ages")
struct StampTests {
  private static let minute: Int64 = 60_000
  private static let day: Int64 = 86_400_000

  private func device(_ name: String, in valley: Valley) -> DeviceID {
    valley.laptops[valley.index(name)].credentials.device
  }

  private func age(
    of name: String, by observer: String, in valley: inout Valley
  ) throws -> Span? {
    let device = device(name, in: valley)
    return try valley.ask(observer) { AgeReader(of: $0.core, at: $1).evidenceAge(of: device) }
  }

  private func person(
    _ name: String, by observer: String, in valley: inout Valley
  ) throws -> UserSummary {
    try #require(
      try valley.ask(observer) { try $0.statuses(now: $1).users() }.first { $0.callsign == name })
  }

  private func isSilent(
    _ name: String, by observer: String, in valley: inout Valley
  ) throws -> Bool {
    try person(name, by: observer, in: &valley).status == .noContact
  }

  /// Shifts the start of a machine's boot clock, as a jump does.
  private func jump(_ name: String, byMilliseconds jump: Int64, in valley: inout Valley) {
    let index = valley.index(name)
    let before = valley.laptops[index].bootedAt
    valley.laptops[index].bootedAt = before.advanced(byMilliseconds: -jump)
  }

  private func rebootMachine(_ name: String, in valley: inout Valley) throws {
    try valley.switchOff(name)
    let index = valley.index(name)
    valley.laptops[index].boots += 1
    valley.laptops[index].bootedAt = valley.now
    try valley.switchOn(name)
  }

  // MARK: Wall clocks

  @Test(arguments: [-3650, -1, 0, 1, 3650])
  func `22.13: a device whose clock is days off becomes silent in time, and not before`(
    days: Int64
  ) throws {
    var valley = try Valley.with("Ada", "Ben")
    valley.setClock("Ben", aheadMilliseconds: days * Self.day)
    try valley.at("Ben") { try $0.ingest(fix(metresNorth: 0, second: 1), now: $1) }
    try valley.converge()
    try valley.run(milliseconds: 30_000)
    #expect(try !isSilent("Ben", by: "Ada", in: &valley))
    try valley.switchOff("Ben")
    try valley.run(milliseconds: 9 * Self.minute)
    #expect(try !isSilent("Ben", by: "Ada", in: &valley))
    try valley.run(milliseconds: 2 * Self.minute)
    #expect(try isSilent("Ben", by: "Ada", in: &valley))
    let reason = try person("Ben", by: "Ada", in: &valley).reason
    #expect(reason == "no contact for more than 10 min", "\(reason)")
    let alerts = try valley.ask("Ada") { try $0.alerts(now: $1) }
    #expect(alerts.contains { $0.id.kind == .silent })
  }

  @Test func `a device without a fix is in contact as long as it runs`() throws {
    var valley = try Valley.with("Ada", "Ben")
    try valley.run(milliseconds: 60 * Self.minute)
    for (name, other) in [("Ada", "Ben"), ("Ben", "Ada")] {
      let age = try #require(try age(of: name, by: other, in: &valley))
      #expect(age.latest <= 5 * Self.minute + 30_000, "\(age)")
    }
    try valley.switchOff("Ben")
    try valley.run(milliseconds: 10 * Self.minute)
    let age = try #require(try age(of: "Ben", by: "Ada", in: &valley))
    #expect(age.earliest >= 10 * Self.minute && age.latest <= 16 * Self.minute, "\(age)")
  }

  @Test func `a relay sends no presence`() throws {
    var valley = try Valley.with("Ada")
    try valley.join("Rex", invitedBy: "Ada", role: .relay)
    try valley.run(milliseconds: 10 * Self.minute)
    #expect(try age(of: "Rex", by: "Ada", in: &valley) == nil)
  }

  // MARK: Relays

  @Test func `a relay that withholds a position makes its author older, never younger`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    try valley.run(milliseconds: Self.minute)
    valley.cut(["Ada"], ["Ben", "Cleo"])
    valley.setClock("Ben", aheadMilliseconds: Self.day)
    try valley.at("Ben") { try $0.ingest(fix(metresNorth: 0, second: 1), now: $1) }
    try valley.run(milliseconds: Self.minute)
    try valley.switchOff("Ben")
    try valley.run(milliseconds: 20 * Self.minute)
    // When Cleo at last sends Ben's record, and Ada receives it for the first time
    valley.heal()
    try valley.converge()
    #expect(try person("Ben", by: "Ada", in: &valley).fix != nil)
    let age = try #require(try age(of: "Ben", by: "Ada", in: &valley))
    #expect(age.latest >= 20 * Self.minute && age.latest < 25 * Self.minute, "\(age)")
    #expect(try isSilent("Ben", by: "Ada", in: &valley))
  }

  @Test func `false echoes and stamps of one device change no other device's age`() throws {
    var valley = try Valley.with("Ada", "Ben", "Mal")
    try valley.run(milliseconds: Self.minute)
    try valley.switchOff("Ben")
    for minute in 1...11 {
      // Mal's clock jumps, and Mal echoes any records.
      jump("Mal", byMilliseconds: (minute % 2 == 0 ? -1 : 1) * 5 * Self.minute, in: &valley)
      try valley.at("Mal") {
        try $0.ingest(fix(metresNorth: 0, second: Int64(minute)), now: $1)
      }
      try valley.at("Mal") {
        try $0.write(PersonRequests.claim(minute % 2 == 0 ? .safe : .needsHelp, note: ""), now: $1)
      }
      try valley.run(milliseconds: Self.minute)
    }
    let age = try #require(try age(of: "Ben", by: "Ada", in: &valley))
    #expect(age.earliest <= 12 * Self.minute && age.latest >= 11 * Self.minute, "\(age)")
    #expect(age.latest <= 17 * Self.minute, "\(age)")
  }

  // MARK: Restarts

  @Test func `a restart of the program keeps what is known in the same boot`() throws {
    var valley = try Valley.with("Ada", "Ben")
    try valley.at("Ben") { try $0.ingest(fix(metresNorth: 0, second: 1), now: $1) }
    try valley.run(milliseconds: 2 * Self.minute)
    let before = try #require(try age(of: "Ben", by: "Ada", in: &valley))
    try valley.switchOff("Ben")
    try valley.restart("Ada")
    let after = try #require(try age(of: "Ben", by: "Ada", in: &valley))
    #expect(after.latest < 1 << 51)
    #expect(after.latest >= before.latest - 10 && after.latest <= before.latest + 1000)
    // and continues to count
    try valley.run(milliseconds: 20 * Self.minute)
    let later = try #require(try age(of: "Ben", by: "Ada", in: &valley))
    #expect(later.latest >= 20 * Self.minute)
    #expect(try isSilent("Ben", by: "Ada", in: &valley))
  }

  @Test func `after a restart of the machine no one is in contact until an echo arrives`() throws {
    var valley = try Valley.with("Ada", "Ben")
    try valley.at("Ben") { try $0.ingest(fix(metresNorth: 0, second: 1), now: $1) }
    try valley.run(milliseconds: 2 * Self.minute)
    valley.cut(["Ada"], ["Ben"])
    try rebootMachine("Ada", in: &valley)
    try valley.run(milliseconds: 3000)
    let unknown = try #require(try age(of: "Ben", by: "Ada", in: &valley))
    #expect(unknown.latest > 1 << 51)
    #expect(try isSilent("Ben", by: "Ada", in: &valley))
    #expect(try person("Ben", by: "Ada", in: &valley).reason == "no contact, age unknown")
    // That raises no alert yet
    let alerts = try valley.ask("Ada") { try $0.alerts(now: $1) }
    #expect(!alerts.contains { $0.id.kind == .silent })
    valley.heal()
    try valley.run(milliseconds: Self.minute)
    let known = try #require(try age(of: "Ben", by: "Ada", in: &valley))
    #expect(known.latest < 2 * Self.minute, "\(known)")
    #expect(try !isSilent("Ben", by: "Ada", in: &valley))
  }

  // MARK: Orders

  @Test func `an order is dated by when it was made, also after a restart`() throws {
    var valley = try Valley.with("Ada", "Ben")
    try valley.run(milliseconds: Self.minute)
    valley.setClock("Ada", aheadMilliseconds: -365 * Self.day)
    let made = valley.now.microseconds / 1000
    let call = try valley.at("Ada") {
      try $0.write(OrderRequests.issue(DirectiveDraft(kind: .rollcall)), now: $1)
    }
    try valley.converge()
    try valley.run(milliseconds: 5 * Self.minute)
    func dated(by name: String) throws -> Span {
      let store = valley.laptops[valley.index(name)].store
      let row = try #require(try store.row(RowKey(kind: .directive, id: call)))
      let dot = try #require(row.values(of: .directiveExistence).first).dot
      return try #require(try valley.ask(name) { try AgeReader(of: $0.core, at: $1).made(of: dot) })
    }
    #expect(try dated(by: "Ada") == Span(earliest: made, latest: made))
    let span = try dated(by: "Ben")
    #expect(span.earliest <= made && span.latest >= made)
    #expect(span.latest - span.earliest < Self.minute, "\(span)")
    try valley.restart("Ben")
    #expect(try dated(by: "Ben") == span)
    try rebootMachine("Ben", in: &valley)
    let booted = valley.now.microseconds / 1000
    #expect(try dated(by: "Ben").latest <= 0)
    try valley.run(milliseconds: 5 * Self.minute)
    let later = try dated(by: "Ben")
    #expect(later.earliest <= made - booted && later.latest >= made - booted, "\(later)")
    #expect(later.hasEarliest)
  }

  // MARK: Faults

  @Test func `a jump of a boot clock raises an alert at command, and not at members`() throws {
    var valley = try Valley.with("Ada", "Ben", "Cleo")
    try valley.run(milliseconds: 2 * Self.minute)
    jump("Ben", byMilliseconds: 60 * Self.minute, in: &valley)
    try valley.run(milliseconds: 10 * Self.minute)
    func faults(_ name: String) throws -> [AlertID] {
      try valley.ask(name) { try $0.alerts(now: $1) }.map(\.id).filter { $0.kind == .clockFault }
    }
    let ben = RowID(raw: device("Ben", in: valley).raw)
    #expect(try faults("Ada") == [AlertID(kind: .clockFault, row: ben)])
    #expect(try faults("Cleo").isEmpty)
    try valley.run(milliseconds: 70 * Self.minute)
    #expect(try faults("Ada").isEmpty)
  }

  // MARK: Bounds

  @Test func `a flood of anchors by one author evicts no other author's`() throws {
    let store = try Store.inMemory()
    let ids = (1...3).map { DeviceID(raw: Bytes16(high: 1, low: $0)) }
    let boot = BootID(raw: Bytes16(high: 2, low: 2))
    var tracker = try AgeTracker(store: store, observer: ids[0], boot: boot, now: clock(0))
    var random = SplitMix64(seed: 4)
    func stated(_ echoes: [StampedRecordID]) throws -> RecordStamp {
      let reading = Int64(random.number(below: 1 << 40))
      let stamp = try #require(Stamp(boot: boot, milliseconds: reading))
      return try #require(RecordStamp(stamp, echoes: echoes))
    }
    func id() -> StampedRecordID {
      StampedRecordID(raw: Bytes16(high: random.next(), low: random.next()))
    }
    let honest = id()
    tracker.take(
      honest, of: ids[1], from: .presence, by: ids[1], stated: try stated([]), now: clock(10))
    for number in 0..<Int64(StampHistory.anchorsPerAuthor + 500) {
      tracker.take(
        id(), of: ids[2], from: .presence, by: ids[2], stated: try stated([]),
        now: clock(20 + number))
      try keep(&tracker, in: store)
    }
    #expect(tracker.anchorCount == StampHistory.anchorsPerAuthor + 1)
    #expect(try store.anchorCount() == tracker.anchorCount)
    #expect(try store.anchors().contains { $0.id == honest })
    tracker.checkInvariants()
    // and so they are after a restart, and expire after a day
    tracker = try AgeTracker(store: store, observer: ids[0], boot: boot, now: clock(5000))
    #expect(tracker.anchorCount == StampHistory.anchorsPerAuthor + 1)
    tracker = try AgeTracker(
      store: store, observer: ids[0], boot: boot, now: clock(StampHistory.keptMilliseconds + 9000))
    try keep(&tracker, in: store)
    #expect(tracker.anchorCount == 0)
    #expect(try store.anchorCount() == 0)
  }

  private func keep(_ tracker: inout AgeTracker, in store: Store) throws {
    var batch = Batch()
    batch.ages = tracker.takeChanges()
    batch.fold = RecordFold(ages: tracker.takeStaged())
    _ = try store.commit(batch)
  }

  private func clock(_ boot: Int64) -> ClockReading {
    ClockReading(
      instant: Instant(microseconds: boot * 1000), wall: Timestamp(milliseconds: boot), boot: boot,
      entropy: .zero)
  }

  // MARK: The journal

  @Test func `the journal records what arrived here, and when`() throws {
    var valley = try Valley.with("Ada", "Ben")
    let report = try valley.at("Ben") {
      try $0.write(ReportRequests.add(ReportDraft(title: "Smoke")), now: $1)
    }
    try valley.at("Ben") { try $0.ingest(fix(metresNorth: 0, second: 1), now: $1) }
    let reported = valley.now.microseconds / 1000
    try valley.converge()
    let now = valley.now.microseconds / 1000
    try valley.run(milliseconds: Limits.stagingMilliseconds)
    let store = valley.laptops[valley.index("Ada")].store
    let row = try #require(try store.row(RowKey(kind: .report, id: report)))
    let frame = try #require(row.values(of: .reportExistence).first).dot.frame
    let entry = try #require(try store.journal().first { $0.name == frame })
    #expect(entry.kind == .frame)
    #expect((reported...now).contains(entry.time.milliseconds))
    let certificate = valley.laptops[valley.index("Ben")].credentials.local.certificate.hash
    let records = try store.journal().filter {
      $0.kind == .record && $0.author == certificate.raw.prefix.high
    }
    #expect(!records.isEmpty)
    for name in valley.names {
      #expect(try valley.ask(name) { replica, _ in try replica.verify() }.problems == [])
    }
    // It is verified
    try store.execute(unchecked: "UPDATE frames SET moment = moment + 1000")
    let problems = try valley.ask("Ada") { replica, _ in try replica.verify() }.problems
    #expect(problems.contains { $0.contains("journal") })
  }

  @Test func `the journal drops the oldest entries, by age and by number`() throws {
    let store = try Store.inMemory()
    var batch = Batch()
    batch.ages.boot = KnownBoot(number: 1, id: BootID(raw: .zero))
    batch.journal = (1...40).map { entry(1, boot: 1, $0) }
    _ = try store.commit(batch)
    batch = Batch()
    batch.ages.boot = KnownBoot(number: 2, id: BootID(raw: .zero))
    batch.journal = (1...10).map { entry(1, boot: 2, $0) }
    batch.fold = RecordFold(journalStart: JournalStart(boot: 1, arrived: 31))
    _ = try store.commit(batch)
    #expect(try store.journal().map(\.time.milliseconds) == Array(31...40) + Array(1...10))
    #expect(try store.journalContradictions() == 0)
    batch = Batch()
    batch.fold = RecordFold(journalStart: JournalStart(boot: 2, arrived: 0))
    _ = try store.commit(batch)
    #expect(try store.journal().map(\.time.milliseconds) == Array(1...10))
    // A start after everything: nothing is left, and appending continues
    batch.fold = RecordFold(journalStart: JournalStart(boot: 3, arrived: 0))
    batch.journal = [entry(1, boot: 2, 11)]
    _ = try store.commit(batch)
    #expect(try store.journal().map(\.time.milliseconds) == [11])
    // It is verified
    batch = Batch()
    batch.journal = [entry(1, boot: 2, 5)]
    _ = try store.commit(batch)
    #expect(try store.journalContradictions() == 1)
  }

  @Test func `of each author the journal lists one arrival each 15 s`() {
    var pacing = JournalPacing()
    let pause = Limits.journalPauseMilliseconds
    let listed = [
      entry(1, boot: 1, 100), entry(1, boot: 1, 99 + pause), entry(2, boot: 1, 99 + pause),
      entry(1, boot: 1, 100 + pause), entry(1, boot: 2, 5),
    ].map { pacing.admits($0) }
    #expect(listed == [true, false, true, true, true])
    // Nor is anything forgotten too early
    for time in stride(from: pause, to: 100 * pause, by: 1000) {
      let isListed = pacing.admits(entry(3, boot: 2, time))
      #expect(isListed == (time % pause == 0))
    }
  }

  private func entry(_ author: UInt64, boot: Int64, _ time: Int64) -> JournalEntry {
    let hash = CertificateHash(raw: Bytes32(prefix: Bytes16(high: author, low: 0), suffix: .zero))
    return JournalEntry(
      certificate: hash, kind: .record, name: Bytes16(high: author, low: UInt64(time)),
      time: ArrivalTime(boot: boot, milliseconds: time, wall: Timestamp(milliseconds: 0)))
  }
}
