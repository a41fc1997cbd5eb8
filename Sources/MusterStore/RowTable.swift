internal import GRDB
internal import MusterCRDT
internal import MusterModel

/// The SQL of the merged rows.
enum RowTable {
  static func load(
    _ key: RowKey, in database: Database
  ) throws -> (place: Int64, state: RowState)? {
    try database.first(
      "SELECT place, state FROM rows WHERE kind = ? AND id = ?",
      [key.kind.rawValue.column, key.id.blob], of: "rows"
    ) {
      let place: Int64 = try $0.integer()
      return (place, try RowState(key: key, decoding: try $0.bytes()))
    }
  }

  static func insert(_ state: RowState, in database: Database) throws {
    try database.run(
      "INSERT INTO rows(kind, id, state) VALUES (?, ?, ?)",
      [state.key.kind.rawValue.column, state.key.id.blob, state.encoded().blob])
  }

  static func update(_ state: RowState, at place: Int64, in database: Database) throws {
    try database.run(
      "UPDATE rows SET state = ? WHERE place = ?", [state.encoded().blob, place.databaseValue])
  }

  static func deleteAll(_ database: Database) throws {
    try database.run("DELETE FROM rows")
  }

  /// Every stored state of a kind, or of all, by kind and id.
  static func each(
    _ kind: EntityKind?, in database: Database, _ body: (RowKey, [UInt8]) throws -> Void
  ) throws {
    let kinds = kind.map { $0.rawValue...$0.rawValue } ?? 0...255
    try database.each(
      "SELECT kind, id, state FROM rows WHERE kind BETWEEN ? AND ? ORDER BY kind, id",
      [kinds.lowerBound.column, kinds.upperBound.column], of: "rows"
    ) { columns in
      let key = RowKey(kind: try columns.code(), id: try columns.identifier())
      try body(key, try columns.bytes())
    }
  }
}

/// Rows that a transaction works on: each is read once and written once, however many writes go
/// to it.
struct RowCache {
  private struct Entry {
    var state: RowState
    /// Nil for a row that is not stored yet.
    let place: Int64?
  }

  private var indices: [RowKey: Int] = [:]
  private var entries: [Entry] = []

  /// Rows held at once; beyond this they are written and, if needed again, read again.
  private static let capacity = 65_536

  mutating func apply(
    _ write: AuthoredWrite, in database: Database, isApplied: (Bytes16) -> Bool
  ) throws -> RowState.Outcome {
    let index = try index(of: write.write.key, in: database)
    return entries[index].state.apply(write, isApplied: isApplied)
  }

  mutating func flush(to database: Database) throws {
    for entry in entries {
      if let place = entry.place {
        try RowTable.update(entry.state, at: place, in: database)
      } else {
        try RowTable.insert(entry.state, in: database)
      }
    }
    indices.removeAll(keepingCapacity: true)
    entries.removeAll(keepingCapacity: true)
  }

  private mutating func index(of key: RowKey, in database: Database) throws -> Int {
    if let index = indices[key] { return index }
    if entries.count >= Self.capacity { try flush(to: database) }
    let stored = try RowTable.load(key, in: database)
    indices[key] = entries.count
    entries.append(Entry(state: stored?.state ?? RowState(key: key), place: stored?.place))
    return entries.count - 1
  }
}
