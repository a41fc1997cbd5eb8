internal import MusterCRDT
internal import MusterModel
internal import MusterStatus
internal import MusterStore

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
/// The dates are stored in shards, so that a save costs as much as what has changed, and one entry
/// states what the clocks showed at the last save.
///
/// Of the timers that one author started for people of one owner, only those with the least ids are
/// held, and of one author a bounded number: so no certificate takes more memory than its share,
/// and all nodes hold the same ones of an author who exceeds the first bound. When a held one ends,
/// the next is read from the store, at most once a minute.
///
/// Invariants: `rows` lists each timer under its person, `written` under each author of its
/// reports. Once timers were read, a date exists only for a held timer.
struct CheckInIndex: Sendable {
  /// Timers of one person that count; more are listed, and raise no alarm.
  static let countedPerPerson = 64

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
    var share: CheckInQuota.Share { CheckInQuota.Share(owner: owner, author: start.author) }
  }

  private var timers: [RowID: Timer] = [:]
  private var rows: [UserID: Set<RowID>] = [:]
  private var written: [UserID: Set<RowID>] = [:]
  private var quota = CheckInQuota()
  private var dates = CheckInDates()

  // MARK: Timers

  /// The people with running timers.
  var people: Set<UserID> { Set(rows.keys) }

  /// Returns whether a timer of the person asks for movement.
  func asksForMovement(of person: UserID) -> Bool {
    rows[person]?.contains { (timers[$0]?.stillMilliseconds ?? 0) > 0 } ?? false
  }

  /// Returns who must check in; nil for a timer that is not held.
  func person(of id: RowID) -> UserID? { timers[id]?.person }

  /// Timers that one author started in one act.
  struct Batch: Hashable, Sendable {
    let author: UserID
    /// By the author's clock: a label, which all of them share.
    let startedAt: Timestamp
  }

  /// Returns the batch of a timer that command started for another person; nil for any other.
  func batch(of id: RowID) -> Batch? {
    guard let timer = timers[id], timer.isCommanded, timer.person != timer.start.author else {
      return nil
    }
    return Batch(author: timer.start.author, startedAt: timer.start.written.writtenAt)
  }

  /// Returns who started a timer; nil for one that is not held.
  func author(of id: RowID) -> UserID? { timers[id]?.start.author }

  /// Returns the running timers of a person that are held, by id.
  func running(of person: UserID) -> [RowID] { (rows[person] ?? []).sorted() }

  /// Devices whose owners have started more timers than are held, with how many were not held.
  var excess: [DeviceID: UInt64] { quota.excess }

  /// Whether timers are to be read again, since held ones of an author with too many have ended.
  mutating func takeReload(at time: Int64) -> Bool { quota.takeReload(at: time) }

  /// Replaces a timer; nil removes it. Returns the people that it concerned and concerns.
  mutating func replace(_ id: RowID, _ timer: Timer?) -> Set<UserID> {
    var people: Set<UserID> = []
    let old = remove(id)
    if let old {
      people.insert(old.person)
      let kept = Set(timer?.entries.map(\.written.dot) ?? [])
      for entry in old.entries where !kept.contains(entry.written.dot) {
        dates.remove(entry.written.dot)
      }
    }
    if let timer { people.formUnion(insert(id, timer)) }
    if let old, timers[id] == nil { quota.noteEnd(in: old.share) }
    return people
  }

  private mutating func remove(_ id: RowID) -> Timer? {
    guard let old = timers.removeValue(forKey: id) else { return nil }
    quota.remove(id, from: old.share)
    Self.remove(id, of: old.person, in: &rows)
    for entry in old.entries { Self.remove(id, of: entry.author, in: &written) }
    return old
  }

  /// Adds a timer if its author's share has room, or if its id is less than that of another one,
  /// which makes room. Returns the people concerned.
  private mutating func insert(_ id: RowID, _ timer: Timer) -> Set<UserID> {
    let device = timer.start.written.arrival?.author
    let admission = quota.admit(id, to: timer.share, by: device)
    guard admission.isHeld else { return [] }
    var people: Set<UserID> = [timer.person]
    if let displaced = admission.displaced, let old = timers[displaced] {
      people.insert(old.person)
      for entry in old.entries { dates.remove(entry.written.dot) }
      Self.remove(displaced, of: old.person, in: &rows)
      for entry in old.entries { Self.remove(displaced, of: entry.author, in: &written) }
      timers[displaced] = nil
    }
    timers[id] = timer
    rows[timer.person, default: []].insert(id)
    for entry in timer.entries { written[entry.author, default: []].insert(id) }
    return people
  }

  private static func remove(
    _ id: RowID, of user: UserID, in index: inout [UserID: Set<RowID>]
  ) {
    index[user]?.remove(id)
    if index[user]?.isEmpty == true { index[user] = nil }
  }

  /// Removes all timers, to be read again. Returns the people concerned; MUST be followed by
  /// `endReading`.
  mutating func beginReading() -> Set<UserID> {
    defer {
      (timers, rows, written) = ([:], [:], [:])
      quota.removeAll()
    }
    return people
  }

  /// Forgets the dates of timers that exist no more.
  mutating func endReading() {
    dates.keep(only: Set(timers.values.flatMap { $0.entries.map(\.written.dot) }))
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
    #if Canary
      if Canary.keepFirstCheckInDate.isPlanted { return [] }
    #endif
    for id in users.flatMap({ written[$0] ?? [] }) {
      guard let timer = timers[id], !people.contains(timer.person) else { continue }
      if timer.entries.contains(where: {
        dates.date(of: $0.written.dot, made($0.written)) != dates[$0.written.dot]
      }) {
        people.insert(timer.person)
      }
    }
    return people
  }

  /// Returns the namings of people by their timers.
  func namings(where isIncluded: (UserID) -> Bool) -> [UnknownPeople.Naming] {
    rows.filter { isIncluded($0.key) }.flatMap { person, ids in
      ids.compactMap { timers[$0] }.map { timer in
        UnknownPeople.Naming(
          person: person, trackerOwner: timer.owner == person ? nil : timer.owner,
          author: timer.start.author, device: timer.start.written.arrival?.author)
      }
    }
  }

  /// Returns the timers of a person, by row: those of command first if there are too many.
  ///
  /// - Parameters:
  ///   - owner: the owner of the person's row; nil if it is not known, and any may be right.
  ///   - made: what the evidence of age shows now.
  mutating func evidence(
    of person: UserID, owner: UserID?, made: (WrittenMoment) -> Span
  ) -> [TimerEvidence] {
    guard let ids = rows[person] else { return [] }
    let all = ids.compactMap { id in timers[id].map { (id: id, timer: $0) } }
      .sorted {
        $0.timer.isCommanded != $1.timer.isCommanded ? $0.timer.isCommanded : $0.id < $1.id
      }
    // No owner takes the place of another's timers.
    let owners = owner.map { [$0] } ?? Set(all.map(\.timer.owner)).sorted()
    let theirs = owners.flatMap { owner in
      all.filter { $0.timer.owner == owner }.prefix(Self.countedPerPerson)
    }
    return theirs.compactMap { id, timer in
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
    let date = dates.take(made(entry.written), of: entry.written.dot)
    #if Canary
      if Canary.ignoreCheckInDoubt.isPlanted {
        return CheckInEvidence.Report(
          made: Span(earliest: date.latest, latest: date.latest), nextSeconds: entry.nextSeconds)
      }
    #endif
    return CheckInEvidence.Report(made: date, nextSeconds: entry.nextSeconds)
  }

  // MARK: Stored form

  /// Whether saved dates were read since the start.
  var isRestored: Bool { dates.isRestored }

  /// Returns the local values to be saved now; empty if none.
  mutating func takeUnsaved(
    at time: Int64, wall: Timestamp, boot: BootID
  ) -> [String: [UInt8]] {
    dates.takeUnsaved(at: CheckInDates.Clocks(boot: boot, time: time, wall: wall))
  }

  /// Restores saved dates, once. Unreadable data was written by another version, and is ignored.
  mutating func restore(
    at time: Int64, wall: Timestamp, boot: BootID,
    read: (String) throws(StoreError) -> [UInt8]?
  ) throws(StoreError) {
    try dates.restore(
      at: CheckInDates.Clocks(boot: boot, time: time, wall: wall), read: read)
  }
}
