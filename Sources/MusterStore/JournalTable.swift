internal import GRDB
internal import MusterModel

/// The SQL of the journal of arrivals, within one transaction.
struct JournalTable {
  private struct Key: Hashable {
    let author: UInt64
    let kind: JournalEntry.Kind
  }

  /// The number of the newest entry, of those that this transaction appends to.
  private var newest: [Key: Int64] = [:]

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
      guard number > entry.kind.limit else { continue }
      try database.run(
        "DELETE FROM arrivals WHERE author = ? AND kind = ? AND number = ?",
        [entry.author.column, entry.kind.rawValue.column, (number - entry.kind.limit).column])
    }
  }

  private static func newest(of key: Key, in database: Database) throws -> Int64 {
    try database.first(
      "SELECT number FROM arrivals WHERE author = ? AND kind = ? ORDER BY number DESC LIMIT 1",
      [key.author.column, key.kind.rawValue.column], of: "arrivals"
    ) { try $0.integer() } ?? 0
  }

  /// By author and kind, the oldest first.
  static func entries(_ database: Database) throws -> [JournalEntry] {
    try database.all(
      """
      SELECT author, kind, name, boot, arrived_ms, wall_ms FROM arrivals
      ORDER BY author, kind, number
      """, of: "arrivals"
    ) { columns in
      JournalEntry(
        author: try columns.wideInteger(), kind: try columns.code(), name: try columns.bytes16(),
        time: ArrivalTime(
          boot: try columns.integer(), milliseconds: try columns.integer(),
          wall: try columns.timestamp()))
    }
  }

  /// How many entries contradict the log, or one another: of frames that are not held, of boots
  /// that are not known, or earlier than the entry before.
  static func contradictions(_ database: Database) throws -> Int {
    try database.first(
      """
      SELECT count(*) FROM arrivals AS a
      WHERE (a.kind = 1 AND NOT EXISTS (SELECT 1 FROM frames WHERE frames.name = a.name))
        OR NOT EXISTS (SELECT 1 FROM boots WHERE boots.number = a.boot)
        OR EXISTS (
          SELECT 1 FROM arrivals AS b
          WHERE b.author = a.author AND b.kind = a.kind AND b.number = a.number - 1
            AND (b.boot, b.arrived_ms) > (a.boot, a.arrived_ms))
      """, of: "arrivals"
    ) { try $0.integer() } ?? 0
  }
}
