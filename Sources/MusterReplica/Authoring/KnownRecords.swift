internal import MusterCRDT
internal import MusterModel
internal import MusterStore
internal import MusterSync

/// What a request about a data set of this device's user reads: single records, and how much the
/// user has, after the previous commands of the transaction.
struct KnownRecords {
  private let dataset: String
  private let context: ReadContext
  /// By row, with the sync counts that they will have.
  private var uncommitted: [RowID: (record: RecordList.Record, syncCount: UInt64)] = [:]
  /// Live records by data set.
  private var liveCounts: [String: Int] = [:]
  /// Records that exist or existed, of all data sets.
  private(set) var rowCount = 0
  /// UTF-8 bytes of the live records.
  private(set) var bytes = 0
  /// The greatest sync count at this node; 0 without records.
  private(set) var syncCount: UInt64 = 0

  init(of dataset: String, uncommitted: [RowState], in context: ReadContext) throws {
    self.dataset = dataset
    self.context = context
    for known in try context.store.recordDatasets(of: context.local.author.user) {
      liveCounts[known.name] = known.recordCount
      rowCount += known.rowCount
      if known.name == dataset { (bytes, syncCount) = (known.bytes, known.syncCount) }
    }
    for record in RecordList(uncommitted).records.values { try add(record) }
  }

  private mutating func add(_ record: RecordList.Record) throws {
    let (name, row) = (record.shown.name, record.row.key.id)
    uncommitted[row] = (record, record.shown.syncCount)
    let before = try context.store.indexedRecord(row)
    rowCount += before == nil ? 1 : 0
    liveCounts[name.dataset, default: 0] +=
      (record.shown.value == nil ? 0 : 1) - (before?.bytes == nil ? 0 : 1)
    guard name.dataset == dataset else { return }
    bytes += (record.shown.storedBytes ?? 0) - (before?.bytes ?? 0)
    syncCount = max(syncCount, record.shown.syncCount)
  }

  /// The live records of the data set.
  var recordCount: Int { liveCounts[dataset] ?? 0 }
  /// The data sets with live records.
  var datasetCount: Int { liveCounts.values.count { $0 > 0 } }

  /// Returns a record of the data set with its sync count; nil if it was never written.
  func record(_ key: String) throws -> (record: RecordList.Record, syncCount: UInt64)? {
    let name = RecordName(dataset: dataset, key: key)
    let origin = RowOrigin(record: name, of: context.local.author.user)
    let row = RowID(operation: context.local.operation, origin: origin)
    if let found = uncommitted[row] { return found }
    guard let indexed = try context.store.indexedRecord(row),
      let state = try context.store.row(RowKey(kind: .record, id: row)),
      let record = RecordList([state]).records[name]
    else { return nil }
    return (record, indexed.syncCount)
  }

  /// Returns the keys of the live records of the data set with their sync counts, by key.
  func live() throws -> [(key: String, syncCount: UInt64)] {
    var found: [String: UInt64] = [:]
    let committed = try context.store.indexedRecords(
      of: context.local.author.user, in: dataset, after: RecordIndexPosition(syncCount: 0),
      limit: .max)
    for record in committed where record.bytes != nil && uncommitted[record.row] == nil {
      found[record.name.key] = record.syncCount
    }
    for (record, count) in uncommitted.values
    where record.shown.name.dataset == dataset && record.shown.value != nil {
      found[record.shown.name.key] = count
    }
    return found.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
      .map { (key: $0.key, syncCount: $0.value) }
  }
}
