internal import MusterCRDT
internal import MusterModel
internal import MusterStatus

/// The running timers by person, with what is known of the times of their reports.
///
/// ```
///   rows ─▶ Timer ─▶ evidence of age ─▶ due interval ─▶ TimerEvidence of the person
///                    dates, persisted ─┘
/// ```
///
/// A date that was known once counts on: across changes of the evidence, and across a restart of
/// the machine as the age at the last save plus the wall-clock time since then, if that is
/// positive. So a restart does not postpone an alarm, and the earliest due time is unknown until
/// the author's clock is known again.
///
/// Invariants: `rows` lists each timer under its person, `written` under each author of its
/// reports. A date exists only for a running timer
/// once `forgetDates` was called.
struct CheckInBoard: Sendable {
  static let key = "check-ins"
  /// Timers of one person that count; more are listed, and raise no alarm.
  static let countedPerPerson = 64
  /// The interval between two saves of the dates while timers run.
  static let savingMilliseconds: Int64 = 60_000

  /// The start of a timer, or a report on it.
  struct Entry: Sendable {
    let written: WrittenMoment
    let author: UserID
    let nextSeconds: UInt32
  }

  /// A timer that has not ended.
  struct Timer: Sendable {
    let owner: UserID
    let person: UserID
    let isCommanded: Bool
    let start: Entry
    let reports: [Entry]
    let graceMilliseconds: Int64
    let reminderMilliseconds: Int64
    /// 0 for never.
    let stillMilliseconds: Int64

    var entries: [Entry] { [start] + reports }
  }

  private var timers: [RowID: Timer] = [:]
  private var rows: [UserID: Set<RowID>] = [:]
  private var written: [UserID: Set<RowID>] = [:]
  private var dates: [Dot: Span] = [:]
  /// The dots whose dates were saved last, and when by the boot clock.
  private var saved: (dots: Set<Dot>, time: Int64) = ([], .min)
  /// Whether saved dates were read since the start.
  private(set) var isRestored = false

  // MARK: Timers

  /// The people with running timers.
  var people: Set<UserID> { Set(rows.keys) }

  /// Returns whether a timer of the person asks for movement.
  func asksForMovement(of person: UserID) -> Bool {
    rows[person]?.contains { (timers[$0]?.stillMilliseconds ?? 0) > 0 } ?? false
  }

  /// Replaces a timer; nil removes it. Returns the people that it concerned and concerns.
  mutating func replace(_ id: RowID, _ timer: Timer?) -> Set<UserID> {
    var people: Set<UserID> = []
    if let old = timers.removeValue(forKey: id) {
      Self.remove(id, of: old.person, in: &rows)
      for entry in old.entries { Self.remove(id, of: entry.author, in: &written) }
      people.insert(old.person)
    }
    if let timer {
      insert(id, timer)
      people.insert(timer.person)
    }
    return people
  }

  private mutating func insert(_ id: RowID, _ timer: Timer) {
    timers[id] = timer
    rows[timer.person, default: []].insert(id)
    for entry in timer.entries { written[entry.author, default: []].insert(id) }
  }

  private static func remove(
    _ id: RowID, of user: UserID, in index: inout [UserID: Set<RowID>]
  ) {
    index[user]?.remove(id)
    if index[user]?.isEmpty == true { index[user] = nil }
  }

  /// Replaces all timers. Returns the people concerned.
  mutating func replaceAll(_ all: [RowID: Timer]) -> Set<UserID> {
    let before = people
    (timers, rows, written) = ([:], [:], [:])
    for (id, timer) in all { insert(id, timer) }
    return before.union(people)
  }

  /// Returns the people with a timer whose reports are dated more closely than before.
  ///
  /// - Parameters:
  ///   - users: whose clocks are known better.
  ///   - made: what the evidence of age shows now.
  func people(
    datedBy users: Set<UserID>, made: (WrittenMoment) -> Span
  ) -> Set<UserID> {
    var people: Set<UserID> = []
    for id in users.flatMap({ written[$0] ?? [] }) {
      guard let timer = timers[id], !people.contains(timer.person) else { continue }
      if timer.entries.contains(where: {
        date($0.written, made($0.written)) != dates[$0.written.dot]
      }) {
        people.insert(timer.person)
      }
    }
    return people
  }

  /// Returns the timers of a person, by row: those of command first if there are too many.
  ///
  /// - Parameters:
  ///   - owner: the owner of the person's row.
  ///   - made: what the evidence of age shows now.
  mutating func evidence(
    of person: UserID, owner: UserID, made: (WrittenMoment) -> Span
  ) -> [TimerEvidence] {
    guard let ids = rows[person] else { return [] }
    let theirs = ids.compactMap { id in timers[id].map { (id: id, timer: $0) } }
      .filter { $0.timer.owner == owner }
      .sorted {
        $0.timer.isCommanded != $1.timer.isCommanded ? $0.timer.isCommanded : $0.id < $1.id
      }
    return theirs.prefix(Self.countedPerPerson).compactMap { id, timer in
      let start = report(timer.start, made: made)
      let reports = timer.reports.map { report($0, made: made) }
      let evidence = CheckInEvidence(start: start, reports: reports)
      let answered = ([start] + reports).map(\.made.latest).max() ?? start.made.latest
      return evidence.due.map {
        TimerEvidence(
          id: id, due: $0, graceMilliseconds: timer.graceMilliseconds,
          reminderMilliseconds: timer.reminderMilliseconds, isSatisfied: false,
          stillMilliseconds: timer.stillMilliseconds, answered: answered)
      }
    }.sorted { $0.id < $1.id }
  }

  private mutating func report(
    _ entry: Entry, made: (WrittenMoment) -> Span
  ) -> CheckInEvidence.Report {
    let date = date(entry.written, made(entry.written))
    dates[entry.written.dot] = date
    return CheckInEvidence.Report(made: date, nextSeconds: entry.nextSeconds)
  }

  /// Returns the date by earlier knowledge and by what the evidence shows now. What contradicts the
  /// earlier knowledge may only make the alarm earlier.
  private func date(_ written: WrittenMoment, _ now: Span) -> Span {
    guard let known = dates[written.dot] else { return now }
    return known.intersection(now)
      ?? Span(earliest: min(known.earliest, now.earliest), latest: min(known.latest, now.latest))
  }

  // MARK: Stored form

  /// Returns the stored form of the dates if it is to be saved now. It is local: boot id, time by
  /// that boot's clock, wall-clock time, number of dates, then for each the dot and the latest
  /// time.
  mutating func takeUnsaved(at time: Int64, wall: Timestamp, boot: BootID) -> [UInt8]? {
    let dots = Set(timers.values.flatMap { $0.entries.map(\.written.dot) })
    dates = dates.filter { dots.contains($0.key) }
    let known = Set(dates.keys)
    let isDue = !known.isEmpty && time - Self.savingMilliseconds >= saved.time
    guard isRestored, known != saved.dots || isDue else { return nil }
    saved = (known, time)
    var writer = ByteWriter()
    writer.append(boot.raw)
    writer.append(time)
    writer.append(wall.milliseconds)
    writer.append(UInt32(dates.count))
    for (dot, date) in dates.sorted(by: { $0.key < $1.key }) {
      writer.append(dot)
      writer.append(date.latest)
    }
    return writer.bytes
  }

  /// Restores saved dates, once. Unreadable data was written by another version, and is ignored.
  mutating func restore(_ bytes: [UInt8]?, at time: Int64, wall: Timestamp, boot: BootID) {
    isRestored = true
    guard let bytes else { return }
    do throws(DecodingFault) {
      var reader = ByteReader(bytes)
      let isSameBoot = try reader.bytes16() == boot.raw
      let savedAt = try reader.integer(Int64.self)
      let savedWall = Timestamp(milliseconds: try reader.integer(Int64.self))
      let off = max(0, wall.milliseconds(since: savedWall))
      // The time that passed since the save: 0 by the same clock.
      let shift = isSameBoot ? 0 : time - savedAt - off
      for _ in 0..<(try reader.count(ofAtLeast: 26)) {
        let dot = try reader.dot()
        let latest = try reader.integer(Int64.self)
        dates[dot] = .notAfter(max(Span.longAgo, latest.clampedSum(shift)))
      }
    } catch {
      dates = [:]
    }
  }
}

extension Int64 {
  fileprivate func clampedSum(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }
}
