internal import GRDB
internal import MusterCRDT
internal import MusterModel

/// The SQL of what waits beside the rows: writes that arrived before the origin of their row, and
/// superseders of writes that are not applied yet.
struct PendingWriteTable: PendingWrites {
  private let database: Database
  /// The progress of a view rebuild; nil if every stored frame counts as applied.
  private let progress: RebuildProgress?

  init(_ database: Database, progress: RebuildProgress?) {
    self.database = database
    self.progress = progress
  }

  func isApplied(_ frame: Bytes16) throws -> Bool {
    try FrameTable.isApplied(
      frame, where: { progress?.hasPassed($0) ?? true }, in: database)
  }

  func keep(_ write: PlacedWrite) throws {
    try database.run(
      """
      INSERT INTO waiting_writes(kind, row, frame, number, content) VALUES (?, ?, ?, ?, ?)
      """,
      Self.columns(write.authored.write.key)
        + [write.dot.frame.blob, write.dot.index.column, write.encoded().blob])
  }

  func takeWrites(of row: RowKey) throws -> [PlacedWrite] {
    let writes = try database.all(
      "SELECT content FROM waiting_writes WHERE kind = ? AND row = ? ORDER BY frame, number",
      Self.columns(row), of: "waiting_writes"
    ) { try PlacedWrite(to: row.id, decoding: try $0.bytes()) }
    try database.run("DELETE FROM waiting_writes WHERE kind = ? AND row = ?", Self.columns(row))
    return writes
  }

  func keep(_ superseder: Superseder, of write: FieldDot, in row: RowKey) throws -> Bool {
    let user: ColumnValue =
      switch superseder {
      case .ofEveryone: .bytes([])
      case .of(let user): user.blob
      }
    try database.run(
      """
      INSERT INTO superseders(kind, row, field, frame, number, of_user) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT DO NOTHING
      """, Self.columns(row) + Self.columns(write) + [user])
    return database.changesCount > 0
  }

  func takeSuperseders(of write: FieldDot, in row: RowKey) throws -> [Superseder] {
    let name = Self.columns(row) + Self.columns(write)
    let superseders = try database.all(
      """
      SELECT of_user FROM superseders
      WHERE kind = ? AND row = ? AND field = ? AND frame = ? AND number = ?
      """, name, of: "superseders"
    ) { columns -> Superseder in
      let user = try columns.bytes()
      if user.isEmpty { return .ofEveryone }
      guard let user = UserID(bytes: user) else { throw columns.damage }
      return .of(user)
    }
    guard !superseders.isEmpty else { return [] }
    try database.run(
      """
      DELETE FROM superseders
      WHERE kind = ? AND row = ? AND field = ? AND frame = ? AND number = ?
      """, name)
    return superseders
  }

  /// Deletes what waits beside a row that is derived again.
  static func deleteAll(of row: RowKey, in database: Database) throws {
    for table in ["waiting_writes", "superseders"] {
      try database.run("DELETE FROM \(table) WHERE kind = ? AND row = ?", columns(row))
    }
  }

  static func deleteAll(_ database: Database) throws {
    for table in ["waiting_writes", "superseders"] { try database.run("DELETE FROM \(table)") }
  }

  private static func columns(_ row: RowKey) -> [ColumnValue] {
    [row.kind.rawValue.column, row.id.blob]
  }

  private static func columns(_ write: FieldDot) -> [ColumnValue] {
    [write.field.rawValue.column, write.dot.frame.blob, write.dot.index.column]
  }
}
