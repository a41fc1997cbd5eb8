import MusterModel
import MusterStore
import MusterTestKit
import Testing

@testable import MusterReplica

/// What a node recorded of people, and what it answers about the past (decision 0058).
@Suite("The history of people")
struct HistoryTests {
  private func picture(
    _ view: HistoryView, at instant: Timestamp, in valley: inout Valley
  ) throws -> [String: HistoricPerson] {
    let picture = try valley.ask("Ada") { try $0.history(at: instant, view: view, now: $1) }
    return Dictionary(
      picture.people.map { ($0.summary.callsign, $0) }, uniquingKeysWith: { first, _ in first })
  }

  private func record(_ name: String, in valley: inout Valley) throws {
    try valley.at(name) { replica, now in
      try replica.refreshStatuses(now: now)
      return try replica.keepHistory(now: now)
    }
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `the status of everybody at 1,000 drawn instants is the one that was shown live`(
    seed: UInt64
  ) throws {
    let folder = try TemporaryFolder()
    var story = try HistoryStory(seed: seed, in: folder)
    for _ in 0..<60 { try story.step() }
    let periods = try story.periods()
    #expect(periods > 5, "seed \(seed) records \(periods) periods")
    #expect(story.restarts > 0 && story.statuses.count > 4, "seed \(seed): \(story.statuses)")
    for number in 0..<1000 {
      let (found, shown, at) = try story.drawnInstant()
      #expect(found == shown, "seed \(seed), instant \(number) at \(at)")
    }
    for (found, shown, at) in try story.placesLive() {
      #expect(found == shown, "seed \(seed): places at \(at)")
    }
  }

  @Test func `after a partition, what happened differs from what this post knew`() throws {
    // Given Ben, whose clock Ada knows, out of reach from 0 to 20 minutes
    var valley = try Valley.with("Ada", "Ben")
    try valley.at("Ada") { try $0.startHistory(now: $1) }
    try valley.at("Ben") { try $0.ingest(fix(metresNorth: 0, second: 1), now: $1) }
    try valley.run(milliseconds: 90_000)
    try record("Ada", in: &valley)
    valley.cut(["Ada"], ["Ben"])
    try valley.run(milliseconds: 300_000)
    try valley.at("Ben") { try $0.ingest(fix(metresNorth: 500, second: 300), now: $1) }
    try valley.at("Ben") { try $0.write(PersonRequests.claim(.needsHelp, note: "leg"), now: $1) }
    let called = valley.clock.wall
    try valley.run(milliseconds: 420_000)
    let between = valley.clock.wall
    try record("Ada", in: &valley)
    try valley.run(milliseconds: 420_000)
    try record("Ada", in: &valley)

    // When he is in reach again
    valley.heal()
    try valley.run(milliseconds: 120_000)
    try record("Ada", in: &valley)
    try valley.run(milliseconds: 700_000)
    try record("Ada", in: &valley)

    // Then Ada sees where he called, at that time, and what she knew then
    let event = try #require(try picture(.event, at: between, in: &valley)["Ben"])
    #expect(event.summary.status == .mayday && event.summary.reason == "asked for help: leg")
    #expect(abs(try #require(event.since).milliseconds(since: called)) < 30_000)
    #expect(event.summary.fix?.position == place(metresNorth: 500))
    #expect(try #require(event.fixReceived) > between)
    let known = try #require(try picture(.known, at: between, in: &valley)["Ben"])
    #expect(known.summary.status == .noContact)
    #expect(known.summary.fix?.position == place(metresNorth: 0))
    #expect(try #require(known.fixReceived) < between)
  }

  @Test func `a late fix of a phone belongs to its own time, and changes nothing known`() throws {
    var valley = try Valley.with("Ada")
    try valley.at("Ada") { try $0.startHistory(now: $1) }
    func report(_ metres: Int64, at time: Timestamp) throws {
      let fix = Fix(
        position: place(metresNorth: metres), accuracyDecimetres: 50, sampleTime: time)
      try valley.at("Ada") { try $0.ingest(fix, ofTracker: "truck", now: $1) }
      try record("Ada", in: &valley)
    }
    let first = valley.clock.wall
    try report(0, at: first)
    try valley.run(milliseconds: 1_300_000)
    let lost = valley.clock.wall
    try valley.run(milliseconds: 1_300_000)
    try report(1000, at: valley.clock.wall)
    try valley.run(milliseconds: 5000)
    try report(500, at: lost)

    let then = lost.adding(seconds: 60)
    let event = try picture(.event, at: then, in: &valley)["truck"]
    #expect(event?.summary.fix?.position == place(metresNorth: 500))
    let known = try picture(.known, at: then, in: &valley)["truck"]
    #expect(known?.summary.fix?.position == place(metresNorth: 0))
    let now = try picture(.event, at: valley.clock.wall, in: &valley)["truck"]
    #expect(now?.summary.fix?.position == place(metresNorth: 1000))
  }

  @Test func `a crash loses only what was not stored, and no place that is still known`() throws {
    let folder = try TemporaryFolder()
    var valley = try Valley.with("Ada", "Ben", in: folder)
    try valley.at("Ada") { try $0.startHistory(now: $1) }
    try valley.at("Ben") { try $0.ingest(fix(metresNorth: 0, second: 1), now: $1) }
    try valley.run(milliseconds: 5000)
    let before = valley.clock.wall
    try record("Ada", in: &valley)
    try valley.at("Ben") { try $0.ingest(fix(metresNorth: 300, second: 9), now: $1) }
    try valley.run(milliseconds: 5000)
    let after = valley.clock.wall

    // When the power fails
    try valley.restart("Ada")
    #expect(
      try picture(.known, at: before, in: &valley)["Ben"]?.summary.fix?.position
        == place(metresNorth: 0), "also without a running node")
    try valley.run(milliseconds: 100)
    try valley.at("Ada") { try $0.startHistory(now: $1) }

    #expect(
      try picture(.known, at: before, in: &valley)["Ben"]?.summary.fix?.position
        == place(metresNorth: 0))
    let lost = try picture(.known, at: after, in: &valley)["Ben"]
    #expect(lost?.summary.fix?.position == place(metresNorth: 0))
    let now = try picture(.known, at: valley.clock.wall, in: &valley)["Ben"]
    #expect(now?.summary.fix?.position == place(metresNorth: 300))
  }

  @Test func `the timeline lists events by time, in pages`() throws {
    var valley = try Valley.with("Ada", "Ben")
    try valley.at("Ada") { try $0.startHistory(now: $1) }
    let start = valley.clock.wall
    try valley.draw("Fire", .hazard)
    try valley.run(milliseconds: 2000)
    try valley.at("Ben") { try $0.ingest(fix(metresNorth: 0, second: 1), now: $1) }
    try valley.run(milliseconds: 5000)
    try record("Ada", in: &valley)
    try valley.run(milliseconds: 1000)
    try valley.at("Ben") { try $0.write(ReportRequests.add(ReportDraft(title: "Smoke")), now: $1) }
    try valley.run(milliseconds: 2000)
    try valley.at("Ada") {
      try $0.write(OrderRequests.issue(DirectiveDraft(kind: .rollcall)), now: $1).outcome
    }
    let end = valley.clock.wall
    // What the order does to statuses is shown after the range.
    try valley.run(milliseconds: 2000)

    var texts: [String] = []
    var cursor: HistoryCursor?
    repeat {
      let page = try valley.ask("Ada") {
        try $0.historyEvents(in: start...end, after: cursor, limit: 2, now: $1)
      }
      texts += page.events.map { "\($0.kind.rawValue) \($0.callsign) \($0.text)" }
      cursor = page.next.flatMap { HistoryCursor($0.text) }
    } while cursor != nil
    // The time of the crossing is that of the fix, years ago.
    #expect(
      texts == [
        "zone  Fire", "status Ben inside hazard zone Fire", "report Ben Smoke", "order Ada ",
      ])
  }

  @Test func `pages of the timeline have each of many crossings of one instant once`() throws {
    var valley = try Valley.with("Ada", "Ben")
    try valley.at("Ada") { try $0.startHistory(now: $1) }
    for number in 1...5 { try valley.draw("Zone \(number)", .info) }
    try valley.run(milliseconds: 2000)
    for name in valley.names {
      try valley.at(name) { try $0.ingest(fix(metresNorth: 0, second: 1), now: $1) }
    }
    try valley.run(milliseconds: 5000)
    let time = fix(metresNorth: 0, second: 1).sampleTime

    func events(limit: Int) throws -> [HistoryEvent] {
      var (events, cursor): ([HistoryEvent], HistoryCursor?) = ([], nil)
      repeat {
        let page = try valley.ask("Ada") {
          try $0.historyEvents(in: time...time, after: cursor, limit: limit, now: $1)
        }
        #expect(page.events.count <= limit)
        events += page.events
        cursor = page.next.flatMap { HistoryCursor($0.text) }
      } while cursor != nil
      return events
    }
    let all = try events(limit: 100)
    #expect(all.count == 10 && all.allSatisfy { $0.kind == .crossing })
    for limit in [1, 3, 9, 10] { #expect(try events(limit: limit) == all, "\(limit) a page") }
    // A cursor of another kind at this instant comes before or after all of them.
    for (kind, count) in [(HistoryEventKind.checkIn, 10), (.zone, 0)] {
      let page = try valley.ask("Ada") {
        try $0.historyEvents(
          in: time...time, after: HistoryCursor(kind, "a", at: time), limit: 100, now: $1)
      }
      #expect(page.events.count == count)
    }
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `small pages of a timeline over many periods have the events of a large one`(
    seed: UInt64
  ) throws {
    let folder = try TemporaryFolder()
    var story = try HistoryStory(seed: seed, in: folder)
    for _ in 0..<60 { try story.step() }
    let all = try story.timeline(limit: 10_000)
    let changes = all.count { $0.kind == .status }
    #expect(changes > 20, "seed \(seed) shows \(changes) changes")
    for limit in [1, 7, 40] {
      #expect(try story.timeline(limit: limit) == all, "seed \(seed), \(limit) a page")
    }
  }

  // MARK: Bounds

  private func note(_ author: UInt64, _ number: Int64, at learnt: Int64) -> HistoryNote {
    let device = Bytes16(high: 7, low: author)
    return HistoryNote(
      subject: HistorySubject(kind: .fix, raw: device), person: UserID(raw: device),
      author: device,
      entry: HistoryEntry(
        learnt: learnt, event: learnt,
        .fix(
          HistoryFix(
            position: place(metresNorth: number), accuracyDecimetres: 50, earlierBy: 100,
            laterBy: 0))))
  }

  private func reading(_ milliseconds: Int64) -> ClockReading {
    ClockReading(
      instant: Instant(microseconds: milliseconds * 1000),
      wall: Timestamp(milliseconds: milliseconds), boot: milliseconds, entropy: .zero)
  }

  @Test func `a track with times of any year neither traps nor fills the history`() throws {
    let store = try Store.inMemory()
    var recorder = HistoryRecorder()
    let now: Int64 = 1_750_000_000_000
    try recorder.start(after: store, now: reading(now))
    for time in [Int64.min, .min + now, 0, now - 60_000, now + 1, .max] {
      let fix = note(1, 0, at: 0).entry.content
      let entry = HistoryEntry(learnt: now, event: time, fix)
      recorder.noteLate(
        HistoryNote(
          subject: note(1, 0, at: 0).subject, person: note(1, 0, at: 0).person, author: .zero,
          entry: entry))
    }
    #expect(recorder.rest.late.map(\.event) == [now - 60_000, now, now])
  }

  @Test func `a certificate that floods takes no entry of another, and keeps its newest`() throws {
    let store = try Store.inMemory()
    var recorder = HistoryRecorder()
    try recorder.start(after: store, now: reading(0))
    for number in 0..<3000 as Range<Int64> {
      recorder.note(note(1, number, at: number * 100))
      if number % 30 == 0 { recorder.note(note(2, number, at: number * 100)) }
    }
    let logs = recorder.logs.values.sorted { $0.author < $1.author }
    #expect(logs.map(\.entries.count) == [Limits.historyEntries, 100])
    #expect(logs[0].newest?.fix?.position == place(metresNorth: 2999))
    let tail = [HistoryNote](decodingTail: recorder.rest.tail) ?? []
    #expect(tail.count == Limits.historyEntries + 100)
  }

  /// Records one entry in each of some periods, and a late one in those of `late`. A clock jumps a
  /// year ahead in the 50th, and back in the 60th.
  private func record(periods: Int64, late: Range<Int64>, in store: Store) throws {
    var recorder = HistoryRecorder()
    try recorder.start(after: store, now: reading(0))
    var clock: Int64 = 0
    for number in 0..<periods {
      clock += number == 50 ? 31_536_000_000 : number == 60 ? -31_536_000_000 : 600_000
      recorder.note(note(1, number, at: clock))
      if late.contains(number) {
        recorder.noteLate(note(1000 + UInt64(number), number, at: clock))
      }
      let moment = ClockReading(
        instant: Instant(microseconds: number * 2_000_000),
        wall: Timestamp(milliseconds: clock), boot: clock, entropy: .zero)
      let due = recorder.due(now: moment)
      let batch = try #require(due)
      #expect(batch.fold != nil)
      try store.keepHistory(batch)
      recorder.noteStored(batch, now: moment)
    }
  }

  @Test func `the oldest periods are deleted by number, whatever the clock shows`() throws {
    let store = try Store.inMemory()
    try record(periods: Limits.historyPeriods + 20, late: 0..<0, in: store)
    let periods = try store.historyPeriods()
    #expect(periods.map(\.number) == Array(21...Limits.historyPeriods + 20))
  }

  @Test func `late entries are kept as long as the periods in which they were learnt`() throws {
    let kept = Limits.historyPeriods
    for late in [0..<kept + 20, 0..<21, 0..<20] {
      let store = try Store.inMemory()
      try record(periods: kept + 20, late: late, in: store)
      let found = try store.newestLateHistory(1, upTo: .max, byArrival: true)
        .compactMap { HistoryCoding(decoding: $0.row.body)?.entries.last?.fix?.position }
      // The clock was set back in the 60th: its entry is about a time before its period.
      let numbers = [60] + late.clamped(to: 20..<kept + 20)
      let expected = numbers.map { place(metresNorth: $0) }
      #expect(found == expected, "late entries in \(late)")
    }
  }

  // MARK: Encoding

  @Test func `entries are read back unchanged, need few bytes, and damage never traps`() throws {
    let fixes = (0..<100).map { note(1, $0 * 7, at: 1_750_000_000_000 + $0 * 30_000).entry }
    let statuses = [
      HistoryEntry(learnt: 9, event: 3, .status([.inContact])),
      HistoryEntry(
        learnt: 12, event: 12,
        .status([
          StatusCondition(
            status: .mayday, severity: .danger,
            phrase: Phrase(.askedForHelp, ["note": .text("leg — Ü")])),
          StatusCondition(
            status: .ordered, severity: .warning,
            phrase: Phrase(.evacuateTo, ["zones": .texts(["School", "Pool"])])),
          StatusCondition(
            status: .noContact, severity: .warning,
            phrase: Phrase(.noContactFor, ["span": .phrase(.minutes, ["n": .number(30)])])),
          StatusCondition(status: .noPosition, severity: .neutral, reason: ""),
        ])), HistoryEntry(learnt: 20, event: -5, .status([])),
    ]
    for entries in [fixes, statuses, []] {
      let bytes = HistoryCoding(entries).encoded()
      #expect(HistoryCoding(decoding: bytes)?.entries == entries)
      for place in bytes.indices {
        for bit in 0..<8 {
          var damaged = bytes
          damaged[place] ^= 1 << bit
          _ = HistoryCoding(decoding: damaged)
          _ = HistoryCoding(decoding: Array(bytes.prefix(place)))
        }
      }
    }
    #expect(HistoryCoding(fixes).encoded().count < fixes.count * 13)
    // Earlier programs wrote the text.
    let earlier = HistoryCoding(decoding: [1, 0, 18, 12, 2, 0, 0, 4] + Array("help".utf8))
    let duress = Array("checked in under duress".utf8)
    let hidden = HistoryCoding(decoding: [1, 0, 18, 12, 2, 0, 0, UInt8(duress.count)] + duress)
    #expect(hidden?.entries.first?.conditions == [.underDuress])
    #expect(
      earlier?.entries == [
        HistoryEntry(
          learnt: 9, event: 3,
          .status([StatusCondition(status: .mayday, severity: .danger, reason: "help")]))
      ])
    let notes = [note(1, 5, at: 77), note(2, 9, at: 78)]
    #expect([HistoryNote](decodingTail: notes.encodedTail()) == notes)
    #expect([HistoryNote](decodingTail: Array(notes.encodedTail().dropLast())) == nil)
  }
}

/// A drawn history of three laptops and their trucks, with what Ada's page showed, and when.
private struct HistoryStory {
  private typealias Shown = [String: [StatusCondition]]
  private(set) var statuses: Set<PersonStatus> = []
  private(set) var restarts = 0
  private var live: [(at: Timestamp, shown: Shown, places: [String: Coordinate])] = []
  private var valley: Valley
  private var random: SplitMix64
  private var second: Int64 = 0

  init(seed: UInt64, in folder: TemporaryFolder) throws {
    random = SplitMix64(seed: seed)
    valley = try Valley.with("Ada", "Ben", "Cleo", in: folder)
    valley.checksInvariants = false
    try valley.draw("School", .muster)
    try valley.at("Ada") { try $0.startHistory(now: $1) }
    try look()
  }

  mutating func periods() throws -> Int {
    try valley.ask("Ada") { replica, _ in try replica.core.store.historyPeriods().count }
  }

  mutating func step() throws {
    // No two looks are at one time.
    try valley.run(milliseconds: 1)
    do {
      try act()
    } catch is Refusal {
      // Nothing was written.
    }
    try look()
    try valley.run(milliseconds: random.choice(of: [1500, 2000, 30_000, 200_000, 700_000]))
    try look()
    guard random.chance(oneIn: 12) else { return }
    try valley.restart("Ada")
    try valley.run(milliseconds: 100)
    try valley.at("Ada") { try $0.startHistory(now: $1) }
    restarts += 1
    try look()
  }

  /// What Ada sees now; her node stores it.
  private mutating func look() throws {
    let (users, now) = try valley.ask("Ada") { replica, now in
      let users = try replica.statuses(now: now).users()
      _ = try replica.keepHistory(now: now)
      return (users, now.wall)
    }
    statuses.formUnion(users.map(\.status))
    live.append(
      (
        now, Dictionary(users.map { ("\($0.id)", $0.conditions) }, uniquingKeysWith: { $1 }),
        Dictionary(
          users.compactMap { user in user.fix.map { ("\(user.id)", $0.position) } },
          uniquingKeysWith: { $1 })
      ))
  }

  private mutating func act() throws {
    let name = random.choice(of: valley.names)
    let metres = Int64(random.choice(of: [0, 50, 500, 3000]))
    second += 5
    let isSafe = random.chance(oneIn: 2)
    let seconds = UInt32(random.choice(of: [20, 600]))
    switch random.number(below: 12) {
    case 0...3:
      let fix = fix(metresNorth: metres, second: second)
      try valley.at(name) { try $0.ingest(fix, now: $1) }
    case 4...5:
      let fix = fix(metresNorth: metres, second: second)
      try valley.at(name) { try $0.ingest(fix, ofTracker: "truck of \(name)", now: $1) }
    case 6: try valley.claim(isSafe ? .safe : .needsHelp, by: name)
    case 7: try valley.order(isSafe ? .muster : .rollcall, seconds: seconds)
    case 8: try valley.drawFire(isSafe ? .hazard : .info, metresNorth: metres)
    case 9:
      try valley.at("Ada") {
        try $0.write(SettingRequests.setSilence(seconds: 300, of: nil), now: $1)
      }
    default: isSafe ? valley.cut(["Ada"], ["Ben", "Cleo"]) : valley.heal()
    }
  }

  // MARK: The past

  /// What the history answers about a drawn instant, and what was shown then.
  mutating func drawnInstant() throws -> (
    found: [String: [StatusCondition]], shown: [String: [StatusCondition]], at: Timestamp
  ) {
    let (first, last) = (live[0].at.milliseconds, live[live.count - 1].at.milliseconds)
    let at = Timestamp(
      milliseconds: first + Int64(random.number(below: Int(last - first) + 1)))
    let shown = live.last { $0.at <= at }?.shown ?? [:]
    return (try people(at: at).mapValues(\.summary.conditions), shown, at)
  }

  /// The places at each instant at which Ada looked.
  mutating func placesLive() throws -> [(
    found: [String: Coordinate], shown: [String: Coordinate], at: Timestamp
  )] {
    var found: [(found: [String: Coordinate], shown: [String: Coordinate], at: Timestamp)] = []
    for (at, _, places) in live {
      found.append((try people(at: at).compactMapValues(\.summary.fix?.position), places, at))
    }
    return found
  }

  /// The events from the first look to the last, read in pages.
  mutating func timeline(limit: Int) throws -> [HistoryEvent] {
    let range = live[0].at...live[live.count - 1].at
    var (events, cursor): ([HistoryEvent], HistoryCursor?) = ([], nil)
    repeat {
      let page = try valley.ask("Ada") {
        try $0.historyEvents(in: range, after: cursor, limit: limit, now: $1)
      }
      events += page.events
      cursor = page.next
    } while cursor != nil
    return events
  }

  private mutating func people(at: Timestamp) throws -> [String: HistoricPerson] {
    let picture = try valley.ask("Ada") { try $0.history(at: at, view: .known, now: $1) }
    return Dictionary(
      picture.people.map { ("\($0.summary.id)", $0) }, uniquingKeysWith: { first, _ in first })
  }
}
