internal import MusterCRDT
public import MusterModel
internal import MusterSync

/// Requests about the records of this device's user.
public enum RecordRequests {
  /// Sets or removes records of one data set, all of them or none, in the `state` lane. All get one
  /// sync count, which is greater than those that this node knows of the data set.
  ///
  /// Refuses with the kind `changed` if a record has another sync count at this node than its
  /// client has seen. Returns the sync count of the data set.
  public static func update(
    _ dataset: String, _ changes: [RecordChange]
  ) -> WriteRequest<UInt64> {
    WriteRequest { context in
      try context.require(.command, .member, .observer)
      let known = try context.knownRecords(of: dataset)
      return try draft(of: changes, to: dataset, known, context)
    }
  }

  /// Removes all records of a data set. Each row stays, so that other devices learn of the removal
  /// and the sync count does not go back.
  ///
  /// Refuses with the kind `unknown` if the data set has no records. Returns its sync count.
  public static func delete(_ dataset: String) -> WriteRequest<UInt64> {
    WriteRequest { context in
      try context.require(.command, .member, .observer)
      let known = try context.knownRecords(of: dataset)
      let removals = try known.live().map {
        RecordChange(key: $0.key, value: nil, seenCount: $0.syncCount)
      }
      guard !removals.isEmpty else {
        throw Refusal("no data set \(dataset) here: it was deleted, or has not arrived", .unknown)
      }
      return try draft(of: removals, to: dataset, known, context)
    }
  }

  private static func draft(
    of changes: [RecordChange], to dataset: String, _ known: KnownRecords,
    _ context: RequestContext
  ) throws -> Draft<UInt64> {
    let count = known.syncCount
    guard !changes.isEmpty else { return Draft(answer: count, rows: [], lane: .state) }
    guard Set(changes.map { RecordName(dataset: dataset, key: $0.key) }).count == changes.count
    else { throw Refusal("a record is changed twice: give each key once") }
    guard count < Limits.recordSyncCount else {
      throw Refusal("the sync count of \(dataset) is at its limit: use another data set")
    }
    var growth = Growth()
    var rows: [[Write]] = []
    for change in changes {
      let record = try known.record(change.key)
      let entry = try entry(
        of: change, to: dataset, count: count + 1, seen: record?.syncCount ?? 0, context)
      growth.note(entry, replacing: record?.record.shown)
      rows.append(writes(entry, to: record?.record.row, context))
    }
    try growth.requireSpace(beside: known)
    return Draft(answer: count + 1, rows: rows, lane: .state)
  }

  private static func entry(
    of change: RecordChange, to dataset: String, count: UInt64, seen current: UInt64,
    _ context: RequestContext
  ) throws(Refusal) -> RecordEntry {
    let entry = RecordEntry(
      name: RecordName(dataset: dataset, key: change.key), syncCount: count,
      modifiedAt: change.modifiedAt ?? context.now.wall, value: change.value)
    guard entry.isWithinLimits else {
      throw Refusal(
        "a record has a data set of at most \(Limits.recordDatasetBytes) letters, digits, '_', "
          + "'.', ':' and '-', a key of 1 to \(Limits.recordKeyBytes) bytes, and a value of at "
          + "most \(Limits.recordValueBytes) bytes")
    }
    guard change.seenCount == current else {
      throw Refusal(
        "the record \(change.key) has the sync count \(current), not \(change.seenCount): "
          + "list the records and try again", .changed)
    }
    return entry
  }

  /// - Parameter row: nil for a record that was never written.
  private static func writes(
    _ entry: RecordEntry, to row: RowState?, _ context: RequestContext
  ) -> [Write] {
    var composer: Composer
    if let row {
      composer = Composer(row, origin: nil)
    } else {
      let origin = RowOrigin(record: entry.name, of: context.user)
      composer = Composer(creating: .record, origin: origin, operation: context.operation)
    }
    composer.set(.recordValue, to: .bytes(entry.encoded()))
    return composer.writes
  }

  /// How much changes add to what a user has.
  private struct Growth {
    private var records = 0
    private var rows = 0
    private var bytes = 0

    mutating func note(_ entry: RecordEntry, replacing before: RecordEntry?) {
      records += (entry.value == nil ? 0 : 1) - (before?.value == nil ? 0 : 1)
      rows += before == nil ? 1 : 0
      bytes += (entry.storedBytes ?? 0) - (before?.storedBytes ?? 0)
    }

    /// Refuses changes that add more than one user may have. Devices that were out of reach of one
    /// another may have exceeded it: what exists can still be changed, and removed.
    func requireSpace(beside known: KnownRecords) throws(Refusal) {
      if records > 0, known.recordCount + records > Limits.recordsPerDataset {
        throw Refusal("a data set has at most \(Limits.recordsPerDataset) records: remove some")
      }
      if records > 0, known.recordCount == 0, known.datasetCount >= Limits.recordDatasets {
        throw Refusal("a user has at most \(Limits.recordDatasets) data sets: delete one")
      }
      if rows > 0, known.rowCount + rows > Limits.recordsPerUser {
        throw Refusal(
          "a user has at most \(Limits.recordsPerUser) records, with removed ones: use a key again"
        )
      }
      if bytes > 0, known.bytes + bytes > Limits.recordDatasetStorage {
        throw Refusal(
          "a data set has at most \(Limits.recordDatasetStorage) bytes: remove some records")
      }
    }
  }
}
