internal import GRDB
internal import MusterCRDT
internal import MusterModel

/// The SQL of the index of records: the records of each data set in the order in which they changed
/// at this node.
///
/// The count of a record is that of its entry, unless this node knew the data set up to that count
/// already: then it is the next one. So every change has a count that no earlier reader of this
/// node has seen, also the concurrent ones of other devices, and counts never go back.
enum RecordIndexTable {
  /// A data set of a user.
  private struct Place: Hashable {
    let owner: UserID
    let dataset: [UInt8]
  }

  /// Brings the index up to date with the records among changed rows.
  static func note(_ keys: [RowKey], in database: Database) throws {
    var newest: [Place: UInt64] = [:]
    for key in keys where key.kind == .record {
      let state = try RowTable.load(key, in: database)?.state
      guard let state, let owner = state.origin?.owner, let shown = state.shown(.recordValue),
        case .bytes(let bytes) = shown.value, let entry = entry(bytes)
      else {
        try remove(key.id, in: database)
        continue
      }
      let place = Place(owner: owner, dataset: Array(entry.name.dataset.utf8))
      let before = try newest[place] ?? self.newest(in: place, database)
      newest[place] = before
      try database.run(
        """
        INSERT INTO record_index(
          row, owner, dataset, key, sync_count, bytes, created_ms, modified_ms)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET dataset = excluded.dataset, key = excluded.key,
          sync_count = excluded.sync_count, bytes = excluded.bytes,
          modified_ms = excluded.modified_ms
        """,
        [
          key.id.blob, owner.blob, place.dataset.blob, Array(entry.name.key.utf8).blob,
          max(entry.syncCount, before + 1).column, entry.storedBytes.column { $0.column },
          shown.writtenAt.column, shown.writtenAt.column,
        ])
    }
  }

  /// Every value that counts is an entry: a row without one is treated like one that is gone.
  private static func entry(_ bytes: [UInt8]) -> RecordEntry? {
    do throws(DecodingFault) {
      return try RecordEntry(decoding: bytes)
    } catch {
      return nil
    }
  }

  private static func newest(in place: Place, _ database: Database) throws -> UInt64 {
    try database.first(
      "SELECT max(sync_count) FROM record_index WHERE owner = ? AND dataset = ?",
      [place.owner.blob, place.dataset.blob], of: "record_index"
    ) { try $0.optionalInteger(UInt64.self) ?? 0 } ?? 0
  }

  /// A row that is derived no longer stays in the index as removed, so that clients learn of it.
  private static func remove(_ row: RowID, in database: Database) throws {
    guard let known = try record(row, in: database) else { return }
    let place = Place(owner: known.owner, dataset: Array(known.name.dataset.utf8))
    try database.run(
      "UPDATE record_index SET sync_count = ?, bytes = NULL WHERE row = ?",
      [(try newest(in: place, database) + 1).column, row.blob])
  }

  /// Marks every record as removed, before a view is rebuilt, which adds those that still exist.
  static func removeAll(_ database: Database) throws {
    for owner in try owners(database) {
      for dataset in try datasets(of: owner, in: database) {
        try database.run(
          "UPDATE record_index SET sync_count = ?, bytes = NULL WHERE owner = ? AND dataset = ?",
          [(dataset.syncCount + 1).column, owner.blob, Array(dataset.name.utf8).blob])
      }
    }
  }

  // MARK: Reading

  private static let columns = "row, owner, dataset, key, sync_count, bytes"

  private static func owners(_ database: Database) throws -> [UserID] {
    try database.all("SELECT DISTINCT owner FROM record_index ORDER BY owner", of: "record_index") {
      try $0.identifier()
    }
  }

  static func record(_ row: RowID, in database: Database) throws -> IndexedRecord? {
    try database.first(
      "SELECT \(columns) FROM record_index WHERE row = ?", [row.blob], of: "record_index"
    ) { try IndexedRecord(reading: &$0) }
  }

  /// Returns the records that changed after a count, in the order of their counts, then by row.
  static func records(
    of owner: UserID, in dataset: String, after position: RecordIndexPosition, limit: Int,
    _ database: Database
  ) throws -> [IndexedRecord] {
    try database.all(
      """
      SELECT \(columns) FROM record_index
      WHERE owner = ? AND dataset = ? AND (sync_count, row) > (?, ?)
      ORDER BY sync_count, row LIMIT ?
      """,
      [
        owner.blob, Array(dataset.utf8).blob, position.syncCount.column,
        (position.row ?? RowID(raw: Bytes16(high: .max, low: .max))).blob, limit.column,
      ], of: "record_index"
    ) { try IndexedRecord(reading: &$0) }
  }

  /// Returns the data sets of a user by name.
  static func datasets(of owner: UserID, in database: Database) throws -> [RecordDataset] {
    try database.all(
      """
      SELECT dataset, max(sync_count), count(*), count(bytes), coalesce(sum(bytes), 0),
        min(created_ms), max(modified_ms)
      FROM record_index WHERE owner = ? GROUP BY dataset ORDER BY dataset
      """, [owner.blob], of: "record_index"
    ) { columns in
      let name = try columns.name()
      let (count, rows): (UInt64, Int) = (try columns.integer(), try columns.integer())
      return RecordDataset(
        name: name, syncCount: count, recordCount: try columns.integer(), rowCount: rows,
        bytes: try columns.integer(), createdAt: try columns.timestamp(),
        modifiedAt: try columns.timestamp())
    }
  }
}

extension ColumnReader {
  /// A text that is stored as its bytes, so that it is compared by them.
  fileprivate mutating func name() throws -> String {
    guard let text = String(validating: try bytes(), as: UTF8.self) else { throw damage }
    return text
  }
}

extension IndexedRecord {
  fileprivate init(reading columns: inout ColumnReader) throws {
    self.init(
      row: try columns.identifier(), owner: try columns.identifier(),
      name: RecordName(dataset: try columns.name(), key: try columns.name()),
      syncCount: try columns.integer(), bytes: try columns.optionalInteger())
  }
}
