import MusterModel
import MusterStatus
import MusterTestKit
import Testing

@Suite("Evidence of age")
struct AgeTests {
  private let anna = DeviceID(raw: Bytes16(high: 0, low: 1))
  private let ben = DeviceID(raw: Bytes16(high: 0, low: 2))
  private let cleo = DeviceID(raw: Bytes16(high: 0, low: 3))
  private let boot = BootID(raw: Bytes16(high: 7, low: 7))

  private func id(_ number: UInt64) -> StampedRecordID {
    StampedRecordID(raw: Bytes16(high: 9, low: number))
  }

  private func record(
    _ number: UInt64, by author: DeviceID, at milliseconds: Int64,
    echoing echoes: [StampedRecordID]? = [], boot other: BootID? = nil
  ) throws -> StampedRecord {
    let stamp = try #require(Stamp(boot: other ?? boot, milliseconds: milliseconds))
    return try #require(
      StampedRecord(id: id(number), author: author, stamp: stamp, echoes: echoes))
  }

  // MARK: Dating

  @Test func `a record is dated between the echoed own record and its arrival`() throws {
    var evidence = AgeEvidence(observer: anna)
    evidence.insertOwn(id(1), isAnchor: true, at: 10_000)
    let (made, fault) = try evidence.insert(
      record(2, by: ben, at: 500, echoing: [id(1)]), at: 12_000)
    #expect(made == Span(earliest: 10_000, latest: 12_000))
    #expect(fault == nil)
    #expect(evidence.age(of: ben, at: 15_000) == Span(earliest: 3000, latest: 5000))
  }

  @Test func `an echo of an echo bounds a record from below`() throws {
    var evidence = AgeEvidence(observer: anna)
    evidence.insertOwn(id(1), isAnchor: true, at: 10_000)
    _ = try evidence.insert(record(2, by: ben, at: 500, echoing: [id(1)]), at: 12_000)
    let (made, _) = try evidence.insert(
      record(3, by: cleo, at: 77, echoing: [id(50), id(2)]), at: 13_000)
    #expect(made == Span(earliest: 10_000, latest: 13_000))
  }

  @Test func `without an echo of an own record there is no upper bound of the age`() throws {
    var evidence = AgeEvidence(observer: anna)
    evidence.insertOwn(id(1), isAnchor: true, at: 10_000)
    let (made, _) = try evidence.insert(record(3, by: cleo, at: 1, echoing: [id(9)]), at: 11_000)
    #expect(made == .notAfter(11_000))
    #expect(try #require(evidence.age(of: cleo, at: 11_000)).latest > 1 << 51)
  }

  @Test func `what comes back of the observer's earlier boot is dated by its stamps`() throws {
    var evidence = AgeEvidence(observer: anna)
    evidence.insertOwn(id(1), isAnchor: true, at: 10_000)
    // Given a disk that was restored, and a record of the boot before that comes back
    let first = try record(2, by: anna, at: 500_000, echoing: [id(1)])
    #expect(evidence.insert(first, at: 12_000).made == .notAfter(12_000))
    // When one arrives that was made 80 s later
    let (made, fault) = try evidence.insert(record(3, by: anna, at: 580_000), at: 13_000)
    #expect(made == .notAfter(13_000) && fault == nil)
    // Then the first was made at least 80 s ago, but for the drift
    let known = try #require(evidence.date(first.stamp, of: anna))
    #expect(known.latest <= -67_000 + 18 && known.latest >= -67_000 && !known.hasEarliest)
    // and none of them is an own anchor or an echo that others need.
    let (later, _) = try evidence.insert(record(4, by: ben, at: 5, echoing: [id(3)]), at: 14_000)
    #expect(!later.hasEarliest)
    #expect(evidence.candidates { _ in true }.map(\.id) == [id(4)])
    #expect(evidence.newest(of: anna) == Span(earliest: 10_000, latest: 10_000))
  }

  @Test func `the clocks of all own boots since a backup stay known`() throws {
    var evidence = AgeEvidence(observer: anna)
    // Given a timer, and a record that was made 80 s later in the same boot
    let timer = try record(2, by: anna, at: 500_000, echoing: [])
    _ = evidence.insert(timer, at: 12_000)
    _ = evidence.insert(try record(3, by: anna, at: 580_000), at: 12_000)
    let before = try #require(evidence.date(timer.stamp, of: anna))
    #expect(before.latest < -60_000)
    // When records of ten other boots come back after them
    for boot in 1...UInt64(10) {
      _ = evidence.insert(
        try record(100 + boot, by: anna, at: 1000, boot: BootID(raw: Bytes16(high: 8, low: boot))),
        at: 12_000)
    }
    // Then its date is not later.
    #expect(evidence.date(timer.stamp, of: anna) == before)
  }

  @Test func `a stamp with a known boot offset dates a record that was delayed for days`()
    throws
  {
    var evidence = AgeEvidence(observer: anna)
    evidence.insertOwn(id(1), isAnchor: true, at: 10_000)
    _ = try evidence.insert(record(2, by: ben, at: 500, echoing: [id(1)]), at: 10_100)
    // Made 1,000 s after the first, 200 ppm of which are 0.2 s; delayed for a day.
    let (made, _) = try evidence.insert(
      record(3, by: ben, at: 1_000_500, echoing: nil), at: 87_000_000)
    #expect(made == Span(earliest: 1_009_798, latest: 1_010_302))
  }

  @Test func `a repeated record counts by its first arrival`() throws {
    var evidence = AgeEvidence(observer: anna)
    evidence.insertOwn(id(1), isAnchor: true, at: 10_000)
    let first = try record(2, by: ben, at: 500, echoing: [id(1)])
    _ = evidence.insert(first, at: 12_000)
    #expect(evidence.insert(first, at: 900_000).made == Span(earliest: 10_000, latest: 12_000))
    #expect(evidence.age(of: ben, at: 900_000) == Span(earliest: 888_000, latest: 890_000))
  }

  @Test func `the observer's own age is exact`() {
    var evidence = AgeEvidence(observer: anna)
    #expect(evidence.age(of: anna, at: 5) == nil)
    evidence.insertOwn(id(1), isAnchor: false, at: 10)
    #expect(evidence.age(of: anna, at: 15) == Span(earliest: 5, latest: 5))
  }

  @Test func `of several boots the newest evidence counts, including forgotten boots`() throws {
    var evidence = AgeEvidence(observer: anna)
    evidence.insertOwn(id(1), isAnchor: true, at: 1000)
    for boot in 0..<UInt64(6) {
      let stamp = try #require(
        Stamp(boot: BootID(raw: Bytes16(high: 0, low: boot)), milliseconds: 5))
      let echoes = boot == 0 ? [id(1)] : []
      let made = try #require(
        StampedRecord(id: id(10 + boot), author: ben, stamp: stamp, echoes: echoes))
      _ = evidence.insert(made, at: 2000 + Int64(boot))
    }
    #expect(evidence.newest(of: ben) == Span(earliest: 1000, latest: 2005))
  }

  @Test func `hostile stamps and echo lists are rejected`() {
    #expect(Stamp(boot: boot, milliseconds: -1) == nil)
    #expect(Stamp(boot: boot, milliseconds: .max) == nil)
    #expect(Stamp(boot: boot, milliseconds: Stamp.last) != nil)
    let stamp = Stamp(boot: boot, milliseconds: 0)!
    let echoes = (0..<5).map { id($0) }
    #expect(StampedRecord(id: id(1), author: ben, stamp: stamp, echoes: echoes) == nil)
  }

  // MARK: Clock faults

  @Test func `a jump of a boot clock is a fault, and only the newer stamp counts`() throws {
    var evidence = AgeEvidence(observer: anna)
    evidence.insertOwn(id(1), isAnchor: true, at: 10_000)
    _ = try evidence.insert(record(2, by: ben, at: 500, echoing: [id(1)]), at: 10_100)
    evidence.insertOwn(id(3), isAnchor: true, at: 20_000)
    let (made, fault) = try evidence.insert(
      record(4, by: ben, at: 3_600_000, echoing: [id(3)]), at: 20_100)
    #expect(fault?.device == ben && fault?.boot == boot)
    #expect(made == Span(earliest: 20_000, latest: 20_100))
    #expect(evidence.age(of: ben, at: 20_100) == Span(earliest: 0, latest: 100))
  }

  @Test func `a drift of 200 ppm is not a fault, and of 300 ppm is one`() {
    for (drift, isFault) in [(Int64(200), false), (300, true)] {
      var offset = BootOffset(stamp: 0, at: Span(earliest: 0, latest: 0))
      let hour: Int64 = 3_600_000
      let late = hour + hour * drift / 1_000_000
      #expect(offset.narrow(stamp: hour, at: Span(earliest: late, latest: late)) == !isFault)
    }
  }

  // MARK: History

  @Test func `an author evicts only its own anchors`() throws {
    var history = StampHistory(observer: anna)
    history.insertOwn(id(0), at: 5)
    _ = try history.insert(record(1, by: cleo, at: 1, echoing: [id(0)]), at: 6)
    for number in 0..<UInt64(StampHistory.anchorsPerAuthor + 100) {
      _ = try history.insert(record(100 + number, by: ben, at: 1), at: 7)
    }
    history.checkInvariants()
    #expect(history.count == StampHistory.anchorsPerAuthor + 2)
    #expect(history.contains(id(0)) && history.contains(id(1)))
    #expect(!history.contains(id(199)) && history.contains(id(200)))
  }

  @Test func `anchors are forgotten after 24 hours, and other records at once`() throws {
    var history = StampHistory(observer: anna)
    _ = try history.insert(record(1, by: ben, at: 1), at: 0)
    _ = try history.insert(record(2, by: ben, at: 2, echoing: nil), at: 0)
    #expect(history.count == 1)
    history.expire(at: StampHistory.keptMilliseconds)
    #expect(history.count == 1)
    history.expire(at: StampHistory.keptMilliseconds + 1)
    #expect(history.count == 0)
  }

  // MARK: Choosing echoes

  @Test func `echoes are two of command and random others, new ones first, each once`() {
    var random = SplitMix64(seed: 1)
    let command = (0..<4).map { EchoCandidate(id: id($0), isCommand: true, isNew: false) }
    let members = (10..<200).map {
      EchoCandidate(id: id($0), isCommand: false, isNew: $0 < 12)
    }
    var drawn: Set<StampedRecordID> = []
    for _ in 0..<100 {
      let chosen = StampedRecord.chooseEchoes(of: command + members, using: &random)
      #expect(chosen.count == 4 && Set(chosen).count == 4)
      #expect(chosen.prefix(2).allSatisfy { command.map(\.id).contains($0) })
      #expect(Set(chosen.suffix(2)) == [id(10), id(11)])
      drawn.formUnion(chosen)
    }
    #expect(drawn.count == 6)
    #expect(StampedRecord.chooseEchoes(of: [], using: &random).isEmpty)
    #expect(StampedRecord.chooseEchoes(of: [members[0]], using: &random) == [id(10)])
  }

  // MARK: Without stamps, deadlines

  @Test func `without a stamp the greatest of arrival, claim and zero counts`() {
    func age(_ arrived: Int64, claimed: Int64) -> UnstampedAge {
      UnstampedAge(
        sinceArrival: arrived, wall: Timestamp(milliseconds: 1_000_000),
        reportedAt: Timestamp(milliseconds: 1_000_000 - claimed))
    }
    #expect(age(5000, claimed: 9000).milliseconds == Span(earliest: 5000, latest: 9000))
    #expect(!age(5000, claimed: 125_000).clockDiffers)
    #expect(age(5000, claimed: 125_001).clockDiffers)
    #expect(age(5000, claimed: -86_400_000).milliseconds == Span(earliest: 5000, latest: 5000))
    #expect(age(5000, claimed: -86_400_000).clockDiffers)
    let hostile = UnstampedAge(
      sinceArrival: 5, wall: Timestamp(milliseconds: 5), reportedAt: Timestamp(milliseconds: .min))
    #expect(hostile.milliseconds.latest == .max && hostile.clockDiffers)
  }

  @Test func `a deadline is an interval, and the one that ends first counts`() throws {
    let long = Deadline(made: Span(earliest: 0, latest: 100), durationMilliseconds: 60_000)
    let short = Deadline(made: Span(earliest: 50, latest: 400), durationMilliseconds: 59_900)
    let first = try #require(Deadline.first(of: [long, short]))
    #expect(first.time == Span(earliest: 59_950, latest: 60_100))
    #expect(first.remaining(at: 60_000) == Span(earliest: -50, latest: 100))
    #expect(first.mayHavePassed(at: 59_950) && !first.mayHavePassed(at: 59_949))
    #expect(first.hasPassed(at: 60_600, grace: 500) && !first.hasPassed(at: 60_599, grace: 500))
    #expect(Deadline.first(of: []) == nil)
    let negative = Deadline(made: Span(earliest: 1, latest: 2), durationMilliseconds: -5)
    #expect(negative.time == Span(earliest: 1, latest: 2))
  }

  @Test func `a wall clock places the guess inside the interval only`() {
    let span = Span(earliest: 10, latest: 20)
    #expect([5, 15, 25].map { span.guess(wallClockEstimate: $0) } == [10, 15, 20])
  }
}
