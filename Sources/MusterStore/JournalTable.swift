internal import GRDB
internal import MusterModel

/// The SQL of the journal of arrivals, within one transaction.
///
/// A frame refers to the moment of the commit that stored it. Records are replaced by newer ones,
/// so each arrival has an entry of its own, in the order of arrival.
struct JournalTable {
  /// When the frames of this transaction arrived; nil if that is not known.
  var arrival: ArrivalTime?
  private var stored: Int64?

  /// Returns the number of the moment of arrival, which is stored with the first frame.
  mutating func moment(in database: Database) throws -> Int64? {
    guard stored == nil, let arrival else { return stored }
    try database.run(
      "INSERT INTO moments(boot, arrived_ms, wall_ms) VALUES (?, ?, ?)",
      [arrival.boot.column, arrival.milliseconds.column, arrival.wall.column])
    stored = database.lastInsertedRowID
    return stored
  }

  /// Appends entries of records, which MUST be in the order of arrival.
  static func append(_ entries: [JournalEntry], in database: Database) throws {
    for entry in entries {
      try database.run(
        """
        INSERT INTO record_arrivals(author, name, boot, arrived_ms, wall_ms)
        VALUES (?, ?, ?, ?, ?)
        """,
        [
          entry.author.column, entry.name.blob, entry.time.boot.column,
          entry.time.milliseconds.column, entry.time.wall.column,
        ])
    }
  }

  /// Deletes the oldest entries of records: those of an earlier arrival, and more than
  /// `Limits.journaledRecords`. They lie together, so whole pages become free.
  static func delete(before start: JournalStart, in database: Database) throws {
    let first = try database.first(
      """
      SELECT place FROM record_arrivals WHERE (boot, arrived_ms) >= (?, ?) ORDER BY place LIMIT 1
      """, [start.boot.column, start.arrived.column], of: "record_arrivals"
    ) { try $0.integer(Int64.self) }
    let newest = try database.first(
      "SELECT place FROM record_arrivals ORDER BY place DESC LIMIT 1", of: "record_arrivals"
    ) { try $0.integer(Int64.self) }
    guard let newest else { return }
    let kept = max(first ?? newest + 1, newest - Limits.journaledRecords + 1)
    try database.run("DELETE FROM record_arrivals WHERE place < ?", [kept.column])
  }

  /// Frames in the order of the log, then records in the order of arrival.
  static func entries(_ database: Database) throws -> [JournalEntry] {
    let frames = try database.all(
      """
      SELECT certificate, name, boot, arrived_ms, wall_ms FROM frames
      JOIN logs ON logs.ref = frames.place >> 32 JOIN moments ON moments.number = frames.moment
      ORDER BY place
      """, of: "frames"
    ) { columns in
      JournalEntry(
        certificate: try columns.digest(), kind: .frame, name: try columns.bytes16(),
        time: try columns.arrivalTime())
    }
    let records = try database.all(
      """
      SELECT author, name, boot, arrived_ms, wall_ms FROM record_arrivals ORDER BY place
      """, of: "record_arrivals"
    ) { columns in
      JournalEntry(
        author: try columns.wideInteger(), kind: .record, name: try columns.bytes16(),
        time: try columns.arrivalTime())
    }
    return frames + records
  }

  /// How many entries contradict one another: of moments or boots that are not known, or earlier
  /// than the entry before.
  static func contradictions(_ database: Database) throws -> Int {
    try database.first(
      """
      SELECT (
        SELECT count(*) FROM record_arrivals AS a
        WHERE NOT EXISTS (SELECT 1 FROM boots WHERE boots.number = a.boot)
          OR EXISTS (
            SELECT 1 FROM record_arrivals AS b
            WHERE b.place = a.place - 1 AND (b.boot, b.arrived_ms) > (a.boot, a.arrived_ms))
      ) + (
        SELECT count(*) FROM moments AS a
        WHERE NOT EXISTS (SELECT 1 FROM boots WHERE boots.number = a.boot)
          OR EXISTS (
            SELECT 1 FROM moments AS b
            WHERE b.number = a.number - 1 AND (b.boot, b.arrived_ms) > (a.boot, a.arrived_ms))
      ) + (
        SELECT count(*) FROM frames
        WHERE moment IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM moments WHERE moments.number = frames.moment)
      )
      """, of: "record_arrivals"
    ) { try $0.integer() } ?? 0
  }
}

extension ColumnReader {
  fileprivate mutating func arrivalTime() throws -> ArrivalTime {
    ArrivalTime(boot: try integer(), milliseconds: try integer(), wall: try timestamp())
  }
}
