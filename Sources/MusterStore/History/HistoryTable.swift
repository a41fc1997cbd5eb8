internal import GRDB
internal import MusterModel

/// The SQL of the history of people, within one transaction.
enum HistoryTable {
  /// The local setting with the runs of the recorder.
  static let runsKey = "history runs"

  // MARK: Writing

  static func keep(_ batch: HistoryBatch, in database: Database) throws {
    // Late entries were learnt in the period that the batch may end.
    for late in batch.late { try insert(late, in: database) }
    if let fold = batch.fold {
      try insert(fold, in: database)
      try evict(database)
    }
    if !batch.tail.isEmpty {
      try database.run("INSERT INTO history_tail(body) VALUES (?)", [batch.tail.blob])
    }
    if let runs = batch.runs { try LocalTable.set(runsKey, to: runs, in: database) }
    for author in Set(batch.late.map(\.row.author)).sorted() { try trim(author, in: database) }
  }

  private static func insert(_ fold: HistoryFold, in database: Database) throws {
    let bytes = fold.rows.reduce(0) { $0 + $1.body.count + rowOverhead }
    try database.run(
      "INSERT INTO history_periods(started_ms, ended_ms, bytes) VALUES (?, ?, ?)",
      [fold.started.column, fold.ended.column, bytes.column])
    let number = database.lastInsertedRowID
    for row in fold.rows {
      try database.run(
        """
        INSERT INTO history(period, kind, subject, person, author, body) VALUES (?, ?, ?, ?, ?, ?)
        """,
        [
          number.column, row.kind.column, row.subject.blob, row.person.blob, row.author.blob,
          row.body.blob,
        ])
    }
    try database.run("DELETE FROM history_tail")
  }

  /// Kind, period, three ids, and what SQLite adds.
  private static let rowOverhead = 60

  /// Deletes the oldest periods beyond `Limits.historyPeriods` and `Limits.historyBytes`, and the
  /// late entries that were learnt in them, no others. Both are counted, so that a clock that jumps
  /// deletes nothing.
  private static func evict(_ database: Database) throws {
    var (kept, bytes, first): (Int64, Int64, Int64?) = (0, 0, nil)
    try database.eachWhile(
      "SELECT number, bytes FROM history_periods ORDER BY number DESC", of: "history_periods"
    ) { columns in
      let number: Int64 = try columns.integer()
      bytes += try columns.integer(Int64.self)
      kept += 1
      guard kept == 1 || (kept <= Limits.historyPeriods && bytes <= Limits.historyBytes) else {
        return false
      }
      first = number
      return true
    }
    guard let first else { return }
    try database.run("DELETE FROM history_periods WHERE number < ?", [first.column])
    try database.run("DELETE FROM history WHERE period < ?", [first.column])
    // Places ascend with periods.
    let place = try database.first(
      "SELECT place FROM late_history WHERE period >= ? ORDER BY place LIMIT 1", [first.column],
      of: "late_history"
    ) { try $0.integer(Int64.self) }
    try database.run("DELETE FROM late_history WHERE place < ?", [(place ?? .max).column])
  }

  /// Stores a late entry in the current period, which gets the number after the newest one.
  private static func insert(_ late: LateHistoryRow, in database: Database) throws {
    let row = late.row
    try database.run(
      """
      INSERT OR IGNORE INTO late_history(
        period, author, kind, subject, person, event_ms, learnt_ms, variant, body)
      VALUES ((SELECT coalesce(max(number), 0) FROM history_periods) + 1, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        row.author.blob, row.kind.column, row.subject.blob, row.person.blob, late.event.column,
        late.learnt.column, late.variant.column, row.body.blob,
      ])
  }

  /// Deletes the oldest late entries of an author beyond `Limits.lateHistoryEntries`.
  private static func trim(_ author: Bytes16, in database: Database) throws {
    let place = try database.first(
      "SELECT place FROM late_history WHERE author = ? ORDER BY place DESC LIMIT 1 OFFSET ?",
      [author.blob, Limits.lateHistoryEntries.column], of: "late_history"
    ) { try $0.integer(Int64.self) }
    guard let place else { return }
    try database.run(
      "DELETE FROM late_history WHERE author = ? AND place <= ?", [author.blob, place.column])
  }

  // MARK: Reading

  static func tail(_ database: Database) throws -> [[UInt8]] {
    try database.all("SELECT body FROM history_tail ORDER BY place", of: "history_tail") {
      try $0.bytes()
    }
  }

  static func periods(_ database: Database) throws -> [HistoryPeriod] {
    try database.all(
      "SELECT number, started_ms, ended_ms FROM history_periods ORDER BY number",
      of: "history_periods"
    ) {
      HistoryPeriod(
        number: try $0.integer(), started: try $0.timestamp(), ended: try $0.timestamp())
    }
  }

  static func bytes(_ database: Database) throws -> Int {
    try database.first(
      """
      SELECT (SELECT coalesce(sum(bytes), 0) FROM history_periods)
        + (SELECT coalesce(sum(length(body) + \(rowOverhead)), 0) FROM late_history)
      """, of: "history"
    ) { try $0.integer() } ?? 0
  }

  static func rows(
    of period: Int64, _ kinds: ClosedRange<UInt8>, in database: Database
  ) throws -> [HistoryRow] {
    try database.all(
      """
      SELECT kind, subject, person, author, body FROM history
      WHERE period = ? AND kind BETWEEN ? AND ? ORDER BY kind, subject
      """, [period.column, kinds.lowerBound.column, kinds.upperBound.column], of: "history", read)
  }

  /// Late entries of a kind, in the order of arrival.
  static func late(_ kind: UInt8, in database: Database) throws -> [LateHistoryRow] {
    try database.all(
      """
      SELECT kind, subject, person, author, body, event_ms, learnt_ms, variant FROM late_history
      WHERE kind = ? ORDER BY place
      """, [kind.column], of: "late_history"
    ) {
      LateHistoryRow(
        row: try read(&$0), event: try $0.integer(), learnt: try $0.integer(),
        variant: try $0.integer())
    }
  }

  static func newestLate(
    _ kind: UInt8, upTo event: Int64, byArrival: Bool, in database: Database
  ) throws -> [(row: HistoryRow, learnt: Int64)] {
    let subjects = try database.all(
      """
      WITH RECURSIVE subjects(subject) AS (
        SELECT min(subject) FROM late_history WHERE kind = ?1
        UNION ALL
        SELECT (SELECT min(subject) FROM late_history
          WHERE kind = ?1 AND subject > subjects.subject)
        FROM subjects WHERE subject IS NOT NULL)
      SELECT subject FROM subjects WHERE subject IS NOT NULL
      """, [kind.column], of: "late_history"
    ) { try $0.bytes16() }
    let order = byArrival ? "learnt_ms DESC, event_ms DESC" : "event_ms DESC"
    return try subjects.compactMap { subject in
      try database.first(
        """
        SELECT kind, subject, person, author, body, learnt_ms FROM late_history
        WHERE kind = ? AND subject = ? AND event_ms <= ? ORDER BY \(order) LIMIT 1
        """, [kind.column, subject.blob, event.column], of: "late_history"
      ) { (row: try read(&$0), learnt: try $0.integer()) }
    }
  }

  private static func read(_ columns: inout ColumnReader) throws -> HistoryRow {
    HistoryRow(
      kind: try columns.integer(), subject: try columns.bytes16(),
      person: try columns.identifier(), author: try columns.bytes16(), body: try columns.bytes())
  }
}
