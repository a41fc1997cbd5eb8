internal import MusterCRDT
internal import MusterModel
internal import MusterSync

/// The records of one user, from their rows.
struct RecordList {
  /// One record: its row, and the entries of its live values, the shown one first.
  struct Record {
    let row: RowState
    let entries: [RecordEntry]
    let writtenAt: Timestamp

    var shown: RecordEntry { entries[0] }
  }

  private(set) var records: [RecordName: Record] = [:]

  /// Reads rows of one user. An entry that names another record than its row is ignored: only a
  /// modified program writes one.
  init(_ rows: [RowState]) {
    for row in rows {
      guard let shown = row.shown(.recordValue), let origin = row.origin else { continue }
      let others = row.values(of: .recordValue).filter { $0 != shown }
      let entries = ([shown] + others).compactMap(Self.entry).filter {
        RowOrigin(record: $0.name, of: origin.owner) == origin
      }
      guard let first = entries.first else { continue }
      records[first.name] = Record(row: row, entries: entries, writtenAt: shown.writtenAt)
    }
  }

  private static func entry(in value: LiveValue) -> RecordEntry? {
    guard case .bytes(let bytes) = value.value else { return nil }
    do throws(DecodingFault) {
      return try RecordEntry(decoding: bytes)
    } catch {
      return nil
    }
  }

  /// - Parameter syncCount: that of the record at this node.
  static func summary(of record: Record, syncCount: UInt64) -> RecordSummary {
    RecordSummary(
      key: record.shown.name.key, value: record.shown.value, syncCount: syncCount,
      modifiedAt: record.shown.modifiedAt, writtenAt: record.writtenAt,
      otherValues: record.entries.dropFirst().map(\.value))
  }
}

/// The records of one user in the order of their changes at this node.
struct RecordReader {
  let context: ReadContext
  let user: UserID

  func page(
    of dataset: String, after position: RecordIndexPosition, limit: Int
  ) throws -> RecordPage {
    let found = try context.store.indexedRecords(
      of: user, in: dataset, after: position, limit: limit + 1)
    let page = found.prefix(limit)
    let next = page.last.map { RecordIndexPosition(syncCount: $0.syncCount, row: $0.row) }
    return RecordPage(
      records: try page.map(summary), next: found.count > limit ? next : nil)
  }

  /// Returns all records, removed ones included, by data set and change.
  func all() throws -> [UserRecord] {
    try context.store.recordDatasets(of: user).flatMap { dataset in
      try context.store.indexedRecords(
        of: user, in: dataset.name, after: RecordIndexPosition(syncCount: 0), limit: .max
      ).map { indexed in
        UserRecord(
          row: indexed.row, user: user, dataset: dataset.name, record: try summary(indexed))
      }
    }
  }

  /// Returns those of some records that belong to the user, by row, with their data sets.
  func records(_ rows: [RowID]) throws -> [RowID: (dataset: String, record: RecordSummary)] {
    var found: [RowID: (dataset: String, record: RecordSummary)] = [:]
    for row in rows {
      guard let indexed = try context.store.indexedRecord(row), indexed.owner == user else {
        continue
      }
      found[row] = (indexed.name.dataset, try summary(indexed))
    }
    return found
  }

  /// A row that is derived no longer is a removed record.
  private func summary(_ indexed: IndexedRecord) throws -> RecordSummary {
    let key = RowKey(kind: .record, id: indexed.row)
    let record = try context.store.row(key).flatMap { RecordList([$0]).records[indexed.name] }
    guard let record else {
      let time = Timestamp(milliseconds: 0)
      return RecordSummary(
        key: indexed.name.key, value: nil, syncCount: indexed.syncCount, modifiedAt: time,
        writtenAt: time)
    }
    return RecordList.summary(of: record, syncCount: indexed.syncCount)
  }
}
