import MusterModel
import MusterStatus
import MusterStore
import Testing

@testable import MusterReplica

extension Identifier {
  fileprivate init(number: Int) { self.init(raw: Bytes16(high: 0, low: UInt64(number))) }
}

/// What a node holds of the timers of one author, and how it stores their dates.
@Suite("Bounds of check-ins")
struct CheckInBoundTests {
  private let boot = BootID(raw: Bytes16(high: 5, low: 5))

  private func dot(_ number: Int) -> Dot {
    Dot(frame: Bytes16(high: 3, low: UInt64(number)), index: 0)
  }

  private func timer(
    _ number: Int, of owner: UserID, by author: UserID, on device: DeviceID
  ) -> CheckInIndex.Timer {
    let arrival = FrameArrival(
      name: dot(number).frame, author: device, stamp: nil,
      made: ArrivalSpan(boot: 1, earliest: nil, latest: 0))
    let start = CheckInIndex.Entry(
      written: WrittenMoment(
        dot: dot(number), writtenAt: Timestamp(milliseconds: 0), arrival: arrival),
      author: author, nextSeconds: 60)
    return CheckInIndex.Timer(
      owner: owner, person: owner, isCommanded: owner != author, start: start, reports: [],
      graceMilliseconds: 0, reminderMilliseconds: 0, stillMilliseconds: 0)
  }

  @Test(arguments: [true, false])
  func `timers beyond an author's share are not held, in any order of arrival`(
    _ isAscending: Bool
  ) {
    let (ben, device) = (UserID(number: 2), DeviceID(number: 2))
    let (ada, most) = (UserID(number: 1), Limits.checkInsPerShare)
    var board = CheckInIndex()
    _ = board.replace(
      RowID(number: 90_000), timer(90_000, of: ben, by: ada, on: DeviceID(number: 1)))
    let numbers = Array(1...3 * most)
    for number in isAscending ? numbers : numbers.reversed() {
      _ = board.replace(RowID(number: number), timer(number, of: ben, by: ben, on: device))
    }
    #expect(
      board.running(of: ben) == (1...most).map { RowID(number: $0) } + [RowID(number: 90_000)],
      "those with the least ids, and command's own")
    #expect(board.excess == [device: UInt64(2 * most)])
    let reloadsWhileFull = board.takeReload(at: 0)
    #expect(!reloadsWhileFull)
    _ = board.replace(RowID(number: 1), nil)
    let reloads = board.takeReload(at: 0)
    #expect(reloads, "another one may take its place")
    _ = board.replace(RowID(number: 2), nil)
    let reloadsSooner = board.takeReload(at: 59_999)
    #expect(!reloadsSooner, "but not each time")
    let reloadsLater = board.takeReload(at: 60_000)
    #expect(reloadsLater)
  }

  @Test func `an author of timers for many people is bounded too`() {
    let (ada, device) = (UserID(number: 1), DeviceID(number: 1))
    var board = CheckInIndex()
    for number in 1...Limits.checkInsPerAuthor + 500 {
      _ = board.replace(
        RowID(number: number),
        timer(number, of: UserID(number: 10 + number), by: ada, on: device))
    }
    #expect(board.people.count == Limits.checkInsPerAuthor)
    #expect(board.excess == [device: 500])
    _ = board.beginReading()
    #expect(board.excess.isEmpty)
  }

  @Test func `a save costs as much as what has changed, and dates survive a restart`() throws {
    var dates = CheckInDates()
    try dates.restore(at: clocks(0, wall: 1000)) { _ in nil }
    for number in 0..<10_000 {
      _ = dates.take(.notAfter(Int64(number)), of: dot(number))
    }
    var stored = dates.takeUnsaved(at: clocks(10_000, wall: 11_000))
    #expect(stored.count == 65)
    #expect(dates.takeUnsaved(at: clocks(10_001, wall: 11_001)).isEmpty)
    _ = dates.take(.notAfter(10_000), of: dot(70_000))
    let one = dates.takeUnsaved(at: clocks(10_002, wall: 11_002))
    #expect(one.count == 2, "its shard, and the clocks")
    stored.merge(one) { $1 }
    _ = dates.take(Span(earliest: 5, latest: 5), of: dot(7))
    #expect(dates.takeUnsaved(at: clocks(60_000, wall: 61_000)).isEmpty, "a closer date waits")
    stored.merge(dates.takeUnsaved(at: clocks(70_002, wall: 71_002))) { $1 }
    var again = CheckInDates()
    try again.restore(at: clocks(80_000, wall: 81_000)) { stored[$0] }
    #expect(again[dot(7)] == .notAfter(5))
    #expect(again[dot(9999)] == .notAfter(9999))
    #expect(again.takeUnsaved(at: clocks(80_000, wall: 81_000)).count == 1, "the clocks alone")
    // Another boot, whose clock shows 500 after 20 s of the wall clock.
    var later = CheckInDates()
    let other = CheckInDates.Clocks(
      boot: BootID(raw: Bytes16(high: 6, low: 6)), time: 500,
      wall: Timestamp(milliseconds: 91_002))
    try later.restore(at: other) { stored[$0] }
    #expect(later[dot(7)] == .notAfter(5 - 70_002 - 20_000 + 500))
    #expect(later.takeUnsaved(at: other).count == 65, "all by the clock of this boot")
  }

  @Test func `dates that an earlier version stored in one value are read`() throws {
    var writer = ByteWriter()
    writer.append(boot.raw)
    writer.append(Int64(1000))
    writer.append(Int64(2000))
    writer.append(UInt32(1))
    writer.append(dot(1))
    writer.append(Int64(900))
    var dates = CheckInDates()
    try dates.restore(at: clocks(1500, wall: 2500)) { $0 == CheckInDates.key ? writer.bytes : nil }
    #expect(dates[dot(1)] == .notAfter(900))
  }

  private func clocks(_ time: Int64, wall: Int64) -> CheckInDates.Clocks {
    CheckInDates.Clocks(boot: boot, time: time, wall: Timestamp(milliseconds: wall))
  }
}
