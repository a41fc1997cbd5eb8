internal import GRDB
internal import MusterModel

/// The SQL of the journal of arrivals, within one transaction.
///
/// A frame refers to the moment of the commit that stored it. Records are replaced by newer ones,
/// so each arrival has an entry of its own.
struct JournalTable {
  /// When the frames of this transaction arrived; nil if that is not known.
  var arrival: ArrivalTime?
  private var stored: Int64?

  private struct Key: Hashable {
    let author: UInt64
    let kind: JournalEntry.Kind
  }

  /// The number of the newest entry, of those that this transaction appends to.
  private var newest: [Key: Int64] = [:]

  /// Returns the number of the moment of arrival, which is stored with the first frame.
  mutating func moment(in database: Database) throws -> Int64? {
    guard stored == nil, let arrival else { return stored }
    try database.run(
      "INSERT INTO moments(boot, arrived_ms, wall_ms) VALUES (?, ?, ?)",
      [arrival.boot.column, arrival.milliseconds.column, arrival.wall.column])
    stored = database.lastInsertedRowID
    return stored
  }

  /// Appends entries; of each author and kind the oldest make room.
  mutating func append(_ entries: [JournalEntry], in database: Database) throws {
    for entry in entries {
      let key = Key(author: entry.author, kind: entry.kind)
      let number = try (newest[key] ?? Self.newest(of: key, in: database)) + 1
      newest[key] = number
      try database.run(
        """
        INSERT INTO arrivals(author, kind, number, name, boot, arrived_ms, wall_ms)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        """,
        [
          entry.author.column, entry.kind.rawValue.column, number.column, entry.name.blob,
          entry.time.boot.column, entry.time.milliseconds.column, entry.time.wall.column,
        ])
      guard number > Limits.journaledRecords else { continue }
      try database.run(
        "DELETE FROM arrivals WHERE author = ? AND kind = ? AND number = ?",
        [
          entry.author.column, entry.kind.rawValue.column,
          (number - Limits.journaledRecords).column,
        ])
    }
  }

  private static func newest(of key: Key, in database: Database) throws -> Int64 {
    try database.first(
      "SELECT number FROM arrivals WHERE author = ? AND kind = ? ORDER BY number DESC LIMIT 1",
      [key.author.column, key.kind.rawValue.column], of: "arrivals"
    ) { try $0.integer() } ?? 0
  }

  /// Frames in the order of the log, then records by author, the oldest first.
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
      SELECT author, kind, name, boot, arrived_ms, wall_ms FROM arrivals
      ORDER BY author, kind, number
      """, of: "arrivals"
    ) { columns in
      JournalEntry(
        author: try columns.wideInteger(), kind: try columns.code(), name: try columns.bytes16(),
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
        SELECT count(*) FROM arrivals AS a
        WHERE NOT EXISTS (SELECT 1 FROM boots WHERE boots.number = a.boot)
          OR EXISTS (
            SELECT 1 FROM arrivals AS b
            WHERE b.author = a.author AND b.kind = a.kind AND b.number = a.number - 1
              AND (b.boot, b.arrived_ms) > (a.boot, a.arrived_ms))
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
      """, of: "arrivals"
    ) { try $0.integer() } ?? 0
  }
}

extension ColumnReader {
  fileprivate mutating func arrivalTime() throws -> ArrivalTime {
    ArrivalTime(boot: try integer(), milliseconds: try integer(), wall: try timestamp())
  }
}
