internal import MusterCRDT
public import MusterModel
internal import MusterSync

/// Requests about the records of this device's user.
public enum RecordRequests {
  /// Sets or removes records of one data set, all of them or none, in the `state` lane. All get one
  /// sync count, which is greater than those that this device knows of the data set.
  ///
  /// Refuses with the kind `changed` if a record has another sync count than its client has seen.
  /// Returns the sync count of the data set.
  public static func update(
    _ dataset: String, _ changes: [RecordChange]
  ) -> WriteRequest<UInt64> {
    WriteRequest { context in
      try context.read.require(.command, .member, .observer)
      let known = RecordList(try context.settledRecords())
      let count = known.syncCount(of: dataset)
      guard !changes.isEmpty else { return Draft(answer: count, rows: [], lane: .state) }
      guard Set(changes.map { RecordName(dataset: dataset, key: $0.key) }).count == changes.count
      else { throw Refusal("a record is changed twice: give each key once") }
      guard count < Limits.recordSyncCount else {
        throw Refusal("the sync count of \(dataset) is at its limit: use another data set")
      }
      var rows: [[Write]] = []
      for change in changes {
        rows.append(try writes(change, in: dataset, count: count + 1, known, context))
      }
      try requireSpace(for: changes, in: dataset, known)
      return Draft(answer: count + 1, rows: rows, lane: .state)
    }
  }

  /// Removes all records of a data set. Each row stays, so that other devices learn of the removal
  /// and the sync count does not go back.
  ///
  /// Refuses with the kind `unknown` if the data set has no records. Returns its sync count.
  public static func delete(_ dataset: String) -> WriteRequest<UInt64> {
    WriteRequest { context in
      let shown = RecordList(try context.settledRecords()).records
        .filter { $0.key.dataset == dataset && $0.value.entries.contains { $0.value != nil } }
        .sorted { $0.key < $1.key }
      guard !shown.isEmpty else {
        throw Refusal("no data set \(dataset) here: it was deleted, or has not arrived", .unknown)
      }
      let removals = shown.map { name, record in
        RecordChange(key: name.key, value: nil, seenCount: record.shown.syncCount)
      }
      return try update(dataset, removals).draft(&context)
    }
  }

  private static func writes(
    _ change: RecordChange, in dataset: String, count: UInt64, _ known: RecordList,
    _ context: RequestContext
  ) throws -> [Write] {
    let entry = RecordEntry(
      name: RecordName(dataset: dataset, key: change.key), syncCount: count,
      modifiedAt: change.modifiedAt ?? context.now.wall, value: change.value)
    guard entry.isWithinLimits else {
      throw Refusal(
        "a record has a data set of at most \(Limits.recordDatasetBytes) letters, digits, '_', "
          + "'.', ':' and '-', a key of 1 to \(Limits.recordKeyBytes) bytes, and a value of at "
          + "most \(Limits.recordValueBytes) bytes")
    }
    let record = known.records[entry.name]
    let current = record?.shown.syncCount ?? 0
    guard change.seenCount == current else {
      throw Refusal(
        "the record \(change.key) has the sync count \(current), not \(change.seenCount): "
          + "list the records and try again", .changed)
    }
    let value = Value.bytes(entry.encoded())
    guard let record else {
      let origin = RowOrigin(record: entry.name, of: context.user)
      var composer = Composer(creating: .record, origin: origin, operation: context.operation)
      composer.set(.recordValue, to: value)
      return composer.writes
    }
    var composer = Composer(record.row, origin: nil)
    composer.set(.recordValue, to: value)
    return composer.writes
  }

  /// Refuses changes that add more than one user may have. Removals are never refused.
  private static func requireSpace(
    for changes: [RecordChange], in dataset: String, _ known: RecordList
  ) throws(Refusal) {
    let added = changes.filter { $0.value != nil }.map {
      RecordName(dataset: dataset, key: $0.key)
    }
    guard !added.isEmpty else { return }
    let current = known.records.filter { $0.value.shown.value != nil }.map(\.key)
    let keys = Set(current.filter { $0.dataset == dataset })
    if exceeds(keys.union(added).count, keys.count, Limits.recordsPerDataset) {
      throw Refusal("a data set has at most \(Limits.recordsPerDataset) records: remove some")
    }
    let names = Set(current.map(\.dataset))
    if exceeds(names.union([dataset]).count, names.count, Limits.recordDatasets) {
      throw Refusal("a user has at most \(Limits.recordDatasets) data sets: delete one")
    }
    let rows = Set(known.records.keys)
    if exceeds(rows.union(added).count, rows.count, Limits.recordsPerUser) {
      throw Refusal(
        "a user has at most \(Limits.recordsPerUser) records, with removed ones: use a key again"
      )
    }
  }

  /// Whether a number grows beyond a limit. Devices that were out of reach of one another may have
  /// exceeded it: what exists can still be changed.
  private static func exceeds(_ number: Int, _ before: Int, _ limit: Int) -> Bool {
    number > max(before, limit)
  }
}
