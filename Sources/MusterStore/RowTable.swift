internal import GRDB
internal import MusterCRDT
internal import MusterModel

/// The SQL of the merged rows. A blank row has a state without bytes: it is derived no longer, and
/// only its changes count (`RowChangeTable`).
enum RowTable {
  /// The state of a blank row is nil.
  static func load(
    _ key: RowKey, in database: Database
  ) throws -> (place: Int64, state: RowState?)? {
    try database.first(
      "SELECT place, state FROM rows WHERE kind = ? AND id = ?",
      [key.kind.rawValue.column, key.id.blob], of: "rows"
    ) {
      let place: Int64 = try $0.integer()
      let state = try $0.bytes()
      return (place, state.isEmpty ? nil : try RowState(key: key, decoding: state))
    }
  }

  /// Reads the states of a user's tracks, by id.
  static func each(
    _ kind: EntityKind, of owner: UserID, in database: Database,
    _ body: (RowKey, [UInt8]) throws -> Void
  ) throws {
    try database.each(
      "SELECT kind, id, state FROM rows WHERE owner = ? AND kind = ? ORDER BY id",
      [owner.blob, kind.rawValue.column], of: "rows"
    ) { try read(&$0, body) }
  }

  /// Deletes a row and what waits beside it, or leaves a blank one, whose change the caller
  /// records.
  static func delete(_ key: RowKey, in database: Database) throws {
    try PendingWriteTable.deleteAll(of: key, in: database)
    let row = [key.kind.rawValue.column, key.id.blob]
    if SyncedSet(key.kind) == nil {
      try database.run("DELETE FROM rows WHERE kind = ? AND id = ?", row)
    } else {
      try database.run("UPDATE rows SET state = x'' WHERE kind = ? AND id = ?", row)
    }
  }

  /// Deletes all rows, or leaves blank ones that changed at this moment.
  static func deleteAll(at moment: Int64, in database: Database) throws {
    try PendingWriteTable.deleteAll(database)
    try database.run("DELETE FROM rows WHERE moment IS NULL")
    try database.run(
      "UPDATE rows SET state = x'', version = version + 1, moment = ?", [moment.column])
  }

  /// Reads every stored state of a kind, or of all, by kind and id, without blank rows.
  static func each(
    _ kind: EntityKind?, in database: Database, _ body: (RowKey, [UInt8]) throws -> Void
  ) throws {
    let kinds = kind.map { $0.rawValue...$0.rawValue } ?? 0...255
    try database.each(
      "SELECT kind, id, state FROM rows WHERE kind BETWEEN ? AND ? ORDER BY kind, id",
      [kinds.lowerBound.column, kinds.upperBound.column], of: "rows"
    ) { try read(&$0, body) }
  }

  /// Reads the states of a kind with ids in a range, by id.
  static func each(
    _ kind: EntityKind, among ids: ClosedRange<RowID>, in database: Database,
    _ body: (RowKey, [UInt8]) throws -> Void
  ) throws {
    try database.each(
      "SELECT kind, id, state FROM rows WHERE kind = ? AND id BETWEEN ? AND ? ORDER BY id",
      [kind.rawValue.column, ids.lowerBound.blob, ids.upperBound.blob], of: "rows"
    ) { try read(&$0, body) }
  }

  private static func read(
    _ columns: inout ColumnReader, _ body: (RowKey, [UInt8]) throws -> Void
  ) throws {
    let key = RowKey(kind: try columns.code(), id: try columns.identifier())
    let state = try columns.bytes()
    if !state.isEmpty { try body(key, state) }
  }
}

/// Writes the rows that a commit changed, with statements that are found once.
struct RowWriter {
  private let database: Database
  private let moment: Int64
  private var insertion: Statement?
  private var syncedUpdate: Statement?

  /// - Parameter moment: that of the commit (`RowChange.moment`).
  init(to database: Database, at moment: Int64) {
    self.database = database
    self.moment = moment
  }

  /// Inserts a row, and returns its place.
  mutating func insert(_ state: RowState, encoded: [UInt8]) throws -> Int64 {
    let statement =
      try insertion
      ?? database.cachedStatement(
        sql: "INSERT INTO rows(kind, id, state, owner, moment) VALUES (?, ?, ?, ?, ?)")
    insertion = statement
    let key = state.key
    try database.run(
      statement,
      [
        key.kind.rawValue.column, key.id.blob, encoded.blob,
        indexedOwner(of: state)?.blob ?? .null, SyncedSet(key.kind) == nil ? .null : moment.column,
      ])
    return database.lastInsertedRowID
  }

  /// Updates a row. One that changed at this moment already keeps its version.
  mutating func update(_ state: RowState, at place: Int64, to encoded: [UInt8]) throws {
    guard SyncedSet(state.key.kind) != nil else { return try updateOther(state, place, encoded) }
    let statement =
      try syncedUpdate
      ?? database.cachedStatement(
        sql: """
          UPDATE rows SET state = ?1, version = version + (moment <> ?2), moment = ?2
          WHERE place = ?3
          """)
    syncedUpdate = statement
    try database.run(statement, [encoded.blob, moment.column, place.column])
  }

  private func updateOther(_ state: RowState, _ place: Int64, _ encoded: [UInt8]) throws {
    guard let owner = indexedOwner(of: state) else {
      return try database.run(
        "UPDATE rows SET state = ? WHERE place = ?", [encoded.blob, place.column])
    }
    try database.run(
      "UPDATE rows SET state = ?, owner = ? WHERE place = ?",
      [encoded.blob, owner.blob, place.column])
  }

  /// Only rows that are asked for by owner have an entry in the index.
  private func indexedOwner(of state: RowState) -> UserID? {
    state.key.kind == .track ? state.origin?.owner : nil
  }
}
