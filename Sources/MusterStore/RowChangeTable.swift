internal import GRDB
internal import MusterModel

/// The SQL of the changes of rows. A row that is derived no longer keeps its entry, by which
/// clients learn of its deletion.
enum RowChangeTable {
  /// Records that a commit changed these rows.
  static func record(_ keys: [RowKey], wall: Timestamp?, in database: Database) throws {
    var moments: [SyncedSet: Int64] = [:]
    for key in keys {
      guard let set = SyncedSet(key.kind) else { continue }
      let moment =
        try moments[set] ?? max(wall?.milliseconds ?? 0, newestMoment(of: set, in: database) + 1)
      moments[set] = moment
      try database.run(
        """
        INSERT INTO row_changes(set_number, row, moment, version) VALUES (?, ?, ?, 1)
        ON CONFLICT DO UPDATE SET moment = excluded.moment, version = version + 1
        """, [set.rawValue.column, key.id.blob, moment.column])
    }
  }

  /// Records a change of every row, before a view is rebuilt.
  static func recordAll(_ database: Database) throws {
    for set in SyncedSet.allCases {
      let moment = try newestMoment(of: set, in: database) + 1
      try database.run(
        "UPDATE row_changes SET moment = ?, version = version + 1 WHERE set_number = ?",
        [moment.column, set.rawValue.column])
    }
  }

  /// 0 before the first change.
  static func newestMoment(of set: SyncedSet, in database: Database) throws -> Int64 {
    try database.first(
      "SELECT moment FROM row_changes WHERE set_number = ? ORDER BY moment DESC LIMIT 1",
      [set.rawValue.column], of: "row_changes"
    ) { try $0.integer() } ?? 0
  }

  static func change(
    of row: RowID, in set: SyncedSet, _ database: Database
  ) throws -> RowChange? {
    try database.first(
      "SELECT row, moment, version FROM row_changes WHERE set_number = ? AND row = ?",
      [set.rawValue.column, row.blob], of: "row_changes"
    ) { try RowChange(reading: &$0) }
  }

  static func changes(
    of set: SyncedSet, after position: RowChangePosition, limit: Int, in database: Database
  ) throws -> [RowChange] {
    // The row value is compared by the index. No id is greater than this one.
    let row = position.row ?? RowID(raw: Bytes16(high: .max, low: .max))
    return try database.all(
      """
      SELECT row, moment, version FROM row_changes
      WHERE set_number = ? AND (moment, row) > (?, ?) ORDER BY moment, row LIMIT ?
      """,
      [set.rawValue.column, position.moment.column, row.blob, limit.column], of: "row_changes"
    ) { try RowChange(reading: &$0) }
  }
}

extension RowChange {
  fileprivate init(reading columns: inout ColumnReader) throws {
    self.init(
      row: try columns.identifier(), moment: try columns.integer(),
      version: try columns.integer())
  }
}
