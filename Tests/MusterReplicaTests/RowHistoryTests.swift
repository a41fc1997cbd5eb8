import MusterModel
import MusterStore
import MusterTestKit
import Testing

@testable import MusterReplica

/// What a replay shows of zones and reports, and when this node did not record (decision 0070).
@Suite("The history of zones, reports and gaps")
struct RowHistoryTests {
  private func picture(
    _ view: HistoryView, at instant: Timestamp, in valley: inout Valley
  ) throws -> HistoryPicture {
    try valley.ask("Ada") { try $0.history(at: instant, view: view, now: $1) }
  }

  private func record(_ name: String, in valley: inout Valley) throws {
    try valley.at(name) { replica, now in
      try replica.refreshStatuses(now: now)
      return try replica.keepHistory(now: now)
    }
  }

  @Test func `a zone that moved, was switched off and deleted is shown as it was at each instant`()
    throws
  {
    let folder = try TemporaryFolder()
    var valley = try Valley.with("Ada", in: folder)
    try valley.at("Ada") { try $0.startHistory(now: $1) }
    let before = valley.clock.wall
    try valley.run(milliseconds: 60_000)
    let id = try valley.draw("Fire", .hazard)
    try valley.run(milliseconds: 60_000)
    let first = valley.clock.wall
    try valley.run(milliseconds: 60_000)
    try valley.at("Ada") {
      try $0.write(
        FenceRequests.edit(id, FenceChanges(name: "Big fire", geometry: circle(metres: 900))),
        now: $1)
    }
    try record("Ada", in: &valley)
    let second = valley.clock.wall
    try valley.run(milliseconds: 60_000)
    try valley.at("Ada") { try $0.write(FenceRequests.setActive(id, false), now: $1) }
    try valley.run(milliseconds: 60_000)
    let third = valley.clock.wall
    try valley.run(milliseconds: 60_000)
    try valley.at("Ada") { try $0.write(FenceRequests.delete(id), now: $1) }
    try valley.run(milliseconds: 60_000)

    for _ in 0..<2 {
      for view in HistoryView.allCases {
        #expect(try picture(view, at: before, in: &valley).zones.isEmpty)
        let one = try #require(try picture(view, at: first, in: &valley).zones.first)
        #expect(one.id == id && one.name == "Fire" && one.kind == .hazard && one.isActive)
        #expect(one.geometry != circle(metres: 900))
        let two = try #require(try picture(view, at: second, in: &valley).zones.first)
        #expect(two.name == "Big fire" && two.isActive && two.geometry == circle(metres: 900))
        let three = try #require(try picture(view, at: third, in: &valley).zones.first)
        #expect(three.name == "Big fire" && !three.isActive)
        #expect(try picture(view, at: valley.clock.wall, in: &valley).zones.isEmpty)
      }
      // And from the disk
      try record("Ada", in: &valley)
      try valley.restart("Ada")
      try valley.run(milliseconds: 100)
      try valley.at("Ada") { try $0.startHistory(now: $1) }
    }
  }

  @Test func `a report of a partition happened when it was written, and was known when it came`()
    throws
  {
    var valley = try Valley.with("Ada", "Ben")
    try valley.at("Ada") { try $0.startHistory(now: $1) }
    let id = try valley.at("Ben") {
      try $0.write(
        ReportRequests.add(ReportDraft(title: "Smoke", position: place(metresNorth: 0))), now: $1)
    }
    try valley.run(milliseconds: 60_000)
    try record("Ada", in: &valley)
    let start = valley.clock.wall
    valley.cut(["Ada"], ["Ben"])
    try valley.run(milliseconds: 60_000)
    try valley.at("Ben") {
      try $0.write(
        ReportRequests.edit(
          id, ReportChanges(title: "Fire", severity: 5, position: place(metresNorth: 800))),
        now: $1)
    }
    let other = try valley.at("Ben") {
      try $0.write(ReportRequests.add(ReportDraft(title: "Gas")), now: $1)
    }
    try valley.run(milliseconds: 60_000)
    let between = valley.clock.wall
    try valley.run(milliseconds: 60_000)
    valley.heal()
    try valley.converge()
    try record("Ada", in: &valley)
    try valley.run(milliseconds: 60_000)

    let known = try picture(.known, at: between, in: &valley)
    #expect(known.reports.map(\.title) == ["Smoke"] && known.absent == [other])
    #expect(known.reports.first?.position == place(metresNorth: 0))
    #expect(known.reports.first?.severity == nil)
    let event = try picture(.event, at: between, in: &valley)
    #expect(event.reports.isEmpty && event.absent.isEmpty, "as it is now")
    let earlier = try picture(.event, at: start, in: &valley)
    #expect(earlier.reports.map(\.title) == ["Smoke"] && earlier.absent == [other])

    // A report is not created again by an edit that no map shows.
    let described = valley.clock.wall
    try valley.run(milliseconds: 60_000)
    try valley.at("Ben") {
      try $0.write(ReportRequests.edit(id, ReportChanges(details: "Behind the barn")), now: $1)
    }
    try valley.converge()
    for view in HistoryView.allCases {
      let then = try picture(view, at: described, in: &valley)
      #expect(then.reports.isEmpty && then.absent.isEmpty, "as it is now, \(view)")
    }

    // What no map shows is no change.
    let now = valley.clock.wall
    try valley.run(milliseconds: 1000)
    try valley.at("Ben") { try $0.write(ReportRequests.comment(id, text: "Wind"), now: $1) }
    try valley.converge()
    #expect(try picture(.known, at: now, in: &valley).reports.isEmpty)
  }

  // MARK: Gaps

  @Test func `the time in which a node was off is a gap, also for one that was killed`() throws {
    let folder = try TemporaryFolder()
    var valley = try Valley.with("Ada", in: folder)
    try valley.at("Ada") { try $0.startHistory(now: $1) }
    let begins = valley.clock.wall
    for _ in 0..<20 {
      try valley.run(milliseconds: 10_000)
      try record("Ada", in: &valley)
    }
    let last = valley.clock.wall
    #expect(try picture(.event, at: last, in: &valley).gaps.isEmpty)

    // When it is killed, and started an hour later
    try valley.restart("Ada")
    let off = 3_600_000 as Int64
    try valley.run(milliseconds: off)
    try valley.at("Ada") { try $0.startHistory(now: $1) }
    let again = valley.clock.wall
    try valley.run(milliseconds: 20_000)
    try record("Ada", in: &valley)

    let gaps = try picture(.event, at: begins, in: &valley).gaps
    #expect(gaps.count == 1)
    let gap = try #require(gaps.first)
    #expect(gap.to == again && gap.from <= last && gap.from > begins)
    #expect(last.milliseconds(since: gap.from) <= Limits.historyBeatMilliseconds)
  }

  @Test func `a suspended laptop, a quick restart, and a clock that was set back`() {
    var runs = HistoryRuns()
    runs.start(at: 1_000_000, after: nil)
    runs.see(1_030_000)
    // A restart of two seconds is none, and what is stored is newer than the last beat.
    runs.start(at: 1_042_000, after: 1_040_000)
    #expect(runs.gaps(since: 0).isEmpty)
    // Suspended for five minutes
    runs.see(1_342_000)
    #expect(
      runs.gaps(since: 0) == [
        HistoryGap(
          from: Timestamp(milliseconds: 1_042_000), to: Timestamp(milliseconds: 1_342_000))
      ])
    #expect(runs.gaps(since: 1_342_000).isEmpty)
    runs.see(900_000)
    #expect(runs.gaps(since: 0).count == 1)
    #expect(HistoryRuns(decoding: runs.encoded()).runs == runs.runs)
    for length in runs.encoded().indices {
      _ = HistoryRuns(decoding: Array(runs.encoded().prefix(length)))
    }
  }

  @Test func `the runs that are kept are bounded, and are stored once a minute`() {
    var runs = HistoryRuns()
    for number in 0..<Limits.historyRuns + 50 { runs.start(at: Int64(number) * 60_000, after: nil) }
    #expect(runs.runs.count == Limits.historyRuns)
    #expect(runs.isDue)
    runs.noteStored()
    let now = Int64(Limits.historyRuns + 49) * 60_000
    runs.see(now + 59_000)
    #expect(!runs.isDue)
    runs.see(now + 60_000)
    #expect(runs.isDue)
  }

  // MARK: Encoding

  @Test func `what a change replaced is read back, and damage never traps`() throws {
    var valley = try Valley.with("Ada")
    try valley.at("Ada") { try $0.startHistory(now: $1) }
    let id = try valley.draw("Fire", .hazard)
    try valley.at("Ada") {
      try $0.write(FenceRequests.edit(id, FenceChanges(geometry: circle(metres: 700))), now: $1)
    }
    let bodies = try valley.ask("Ada") { replica, _ in
      replica.core.history.unwrittenLate(4).map(\.row.body)
    }
    #expect(bodies.count == 2)
    for bytes in bodies {
      let row = try #require(EarlierRow(decoding: bytes))
      #expect(row.encoded() == bytes)
      for place in bytes.indices {
        for bit in 0..<8 {
          var damaged = bytes
          damaged[place] ^= 1 << bit
          _ = EarlierRow(decoding: damaged)
          _ = EarlierRow(decoding: Array(bytes.prefix(place)))
        }
      }
    }
  }
}
