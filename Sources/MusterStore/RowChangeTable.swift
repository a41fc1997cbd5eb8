internal import GRDB
internal import MusterModel

/// The SQL of the changes of rows. They are columns of the rows: a row that is derived no longer
/// stays as a blank one, by which clients learn of its deletion.
enum RowChangeTable {
  /// Records a change of rows, unless it is recorded at this moment already.
  static func note(_ keys: [RowKey], at moment: Int64, in database: Database) throws {
    for key in keys where SyncedSet(key.kind) != nil {
      try database.run(
        """
        UPDATE rows SET version = version + (moment <> ?1), moment = ?1 WHERE kind = ?2 AND id = ?3
        """, [moment.column, key.kind.rawValue.column, key.id.blob])
    }
  }

  /// The moment of the newest change of any row; 0 before the first.
  static func newestMoment(_ database: Database) throws -> Int64 {
    try SyncedSet.allCases.map { try newestMoment(of: $0, in: database) }.max() ?? 0
  }

  /// 0 before the first change.
  static func newestMoment(of set: SyncedSet, in database: Database) throws -> Int64 {
    try set.kinds.map { kind in
      try database.first(
        """
        SELECT moment FROM rows WHERE kind = ? AND moment IS NOT NULL
        ORDER BY moment DESC LIMIT 1
        """, [kind.rawValue.column], of: "rows"
      ) { try $0.integer(Int64.self) } ?? 0
    }.max() ?? 0
  }

  static func change(
    of row: RowID, in set: SyncedSet, _ database: Database
  ) throws -> RowChange? {
    try set.kinds.compactMap { kind in
      try database.first(
        "SELECT id, moment, version FROM rows WHERE kind = ? AND id = ?",
        [kind.rawValue.column, row.blob], of: "rows"
      ) { try RowChange(reading: &$0) }
    }.max { $0.moment < $1.moment }
  }

  static func changes(
    of set: SyncedSet, after position: RowChangePosition, limit: Int, in database: Database
  ) throws -> [RowChange] {
    // No id is greater than this one.
    let row = position.row ?? RowID(raw: Bytes16(high: .max, low: .max))
    // Each kind is read in order of the index, which compares the row value.
    let changes = try set.kinds.flatMap { kind in
      try database.all(
        """
        SELECT id, moment, version FROM rows
        WHERE kind = ? AND moment IS NOT NULL AND (moment, id) > (?, ?)
        ORDER BY moment, id LIMIT ?
        """, [kind.rawValue.column, position.moment.column, row.blob, limit.column], of: "rows"
      ) { try RowChange(reading: &$0) }
    }
    guard set.kinds.count > 1 else { return changes }
    return Array(
      changes.sorted { ($0.moment, $0.row) < ($1.moment, $1.row) }.prefix(limit))
  }
}

extension SyncedSet {
  /// The kinds of its rows.
  fileprivate var kinds: [EntityKind] { EntityKind.allCases.filter { SyncedSet($0) == self } }
}

extension RowChange {
  fileprivate init(reading columns: inout ColumnReader) throws {
    self.init(
      row: try columns.identifier(), moment: try columns.integer(),
      version: try columns.integer())
  }
}
