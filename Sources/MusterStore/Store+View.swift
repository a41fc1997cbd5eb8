internal import GRDB
public import MusterCRDT
public import MusterModel

extension Store {
  /// Returns a row; nil if it was never written.
  public func row(_ key: RowKey) throws(StoreError) -> RowState? {
    try read { try RowTable.load(key, in: $0)?.state }
  }

  /// Returns those of some rows that were written, from one snapshot.
  public func rows(_ keys: Set<RowKey>) throws(StoreError) -> [RowKey: RowState] {
    try read { database in
      var rows: [RowKey: RowState] = [:]
      for key in keys { rows[key] = try RowTable.load(key, in: database)?.state }
      return rows
    }
  }

  /// Returns all rows of a kind, by id.
  public func rows(_ kind: EntityKind) throws(StoreError) -> [RowState] {
    try read { database in
      var rows: [RowState] = []
      try RowTable.each(kind, in: database) { rows.append(try RowState(key: $0, decoding: $1)) }
      return rows
    }
  }

  /// Returns the rows of the tracks that a user owns, by id, at the cost of these alone.
  public func tracks(of owner: UserID) throws(StoreError) -> [RowState] {
    try read { database in
      var rows: [RowState] = []
      try RowTable.each(.track, of: owner, in: database) {
        rows.append(try RowState(key: $0, decoding: $1))
      }
      return rows
    }
  }

  /// Returns the data sets of records of a user, by name.
  public func recordDatasets(of owner: UserID) throws(StoreError) -> [RecordDataset] {
    try read { try RecordIndexTable.datasets(of: owner, in: $0) }
  }

  /// Returns the records of a data set that changed after a position, in order.
  public func indexedRecords(
    of owner: UserID, in dataset: String, after position: RecordIndexPosition, limit: Int
  ) throws(StoreError) -> [IndexedRecord] {
    try read {
      try RecordIndexTable.records(of: owner, in: dataset, after: position, limit: limit, $0)
    }
  }

  /// Returns what the index has of a record; nil if it was never written.
  public func indexedRecord(_ row: RowID) throws(StoreError) -> IndexedRecord? {
    try read { try RecordIndexTable.record(row, in: $0) }
  }

  /// Calls `body` with every row by (kind, id), in one snapshot, for hashing.
  ///
  /// Throws `StoreError`, or what `body` throws. `body` MUST NOT use this store.
  public func forEachRow(_ body: (RowState) throws -> Void) throws {
    try rethrowing { database in
      try RowTable.each(nil, in: database) { try Self.hand($0, $1, to: body) }
    }
  }

  /// Calls `body` with the rows of some kinds with ids in a range, range by range.
  public func forEachRow(
    in ranges: [(EntityKind, ClosedRange<RowID>)], _ body: (RowState) throws -> Void
  ) throws {
    try rethrowing { database in
      for (kind, ids) in ranges {
        try RowTable.each(kind, among: ids, in: database) { try Self.hand($0, $1, to: body) }
      }
    }
  }

  private static func hand(
    _ key: RowKey, _ bytes: [UInt8], to body: (RowState) throws -> Void
  ) throws {
    let state = try RowState(key: key, decoding: bytes)
    do { try body(state) } catch { throw CallerError(cause: error) }
  }

  /// Returns crossings in order of arrival at this node.
  ///
  /// - Parameter arrival: that of the last one returned; nil to begin with the first.
  public func crossings(
    after arrival: Int64? = nil, limit: Int
  ) throws(StoreError) -> [ArrivedCrossing] {
    try read { try CrossingTable.after(arrival ?? .min, limit: limit, in: $0) }
  }

  /// Returns the first crossings of an author between two arrival numbers.
  ///
  /// - Parameters:
  ///   - arrival: only those with a greater number.
  ///   - last: the greatest number.
  public func crossings(
    after arrival: Int64, upTo last: Int64, by author: DeviceID, limit: Int
  ) throws(StoreError) -> [ArrivedCrossing] {
    try read {
      try CrossingTable.after(arrival, upTo: last, by: author, limit: limit, in: $0)
    }
  }

  /// Returns who wrote the crossings after an arrival number, by arrival number.
  public func crossingAuthors(
    after arrival: Int64, limit: Int
  ) throws(StoreError) -> [(arrival: Int64, author: DeviceID)] {
    try read { try CrossingTable.authors(after: arrival, limit: limit, in: $0) }
  }

  /// Returns a crossing; nil if it is not stored.
  public func crossing(_ id: CrossingID) throws(StoreError) -> ArrivedCrossing? {
    try read { try CrossingTable.crossing(id, in: $0) }
  }

  /// Returns whose ENTER events of a fence with a sample time from `since` on are stored, each
  /// subject once, by subject. Reads every event.
  public func entries(
    to fence: RowID, since: Timestamp
  ) throws(StoreError) -> [(subject: DeviceID, device: DeviceID, user: UserID)] {
    try read { try CrossingTable.entries(to: fence, since: since, in: $0) }
  }

  /// Returns the first crossings with these sample times, by sample time and id.
  ///
  /// - Parameter id: of the crossings at the first instant, only those with a greater id are
  ///   returned; nil for all.
  public func crossings(
    sampledIn range: ClosedRange<Timestamp>, after id: CrossingID? = nil, limit: Int
  ) throws(StoreError) -> [ArrivedCrossing] {
    try read { try CrossingTable.sampled(in: range, after: id, limit: limit, in: $0) }
  }

  /// Returns the highest assigned arrival number, including crossings that were removed since; 0
  /// before the first.
  public func newestArrival() throws(StoreError) -> Int64 {
    try read { try CrossingTable.newestArrival($0) }
  }

  /// Calls `body` with every crossing by id, in one snapshot, for hashing.
  ///
  /// Throws `StoreError`, or what `body` throws. `body` MUST NOT use this store.
  public func forEachCrossing(_ body: (RecordedCrossing) throws -> Void) throws {
    try rethrowing { database in
      try CrossingTable.each(nil, in: database) { crossing in
        do { try body(crossing) } catch { throw CallerError(cause: error) }
      }
    }
  }

  /// Calls `body` with the crossings with ids in a range, range by range.
  public func forEachCrossing(
    in ranges: [ClosedRange<CrossingID>], _ body: (RecordedCrossing) throws -> Void
  ) throws {
    try rethrowing { database in
      for ids in ranges {
        try CrossingTable.each(ids, in: database) { crossing in
          do { try body(crossing) } catch { throw CallerError(cause: error) }
        }
      }
    }
  }

  /// Returns the changes of a set after a position, in order, at the cost of these alone.
  public func changes(
    of set: SyncedSet, after position: RowChangePosition, limit: Int
  ) throws(StoreError) -> [RowChange] {
    try read { try RowChangeTable.changes(of: set, after: position, limit: limit, in: $0) }
  }

  /// Returns the last change of a row; nil before the first.
  public func change(of row: RowID, in set: SyncedSet) throws(StoreError) -> RowChange? {
    try read { try RowChangeTable.change(of: row, in: set, $0) }
  }

  /// Returns the moment of the newest change of a set; 0 before the first.
  public func newestMoment(of set: SyncedSet) throws(StoreError) -> Int64 {
    try read { try RowChangeTable.newestMoment(of: set, in: $0) }
  }

  /// Returns the number of known crossings.
  public func crossingCount() throws(StoreError) -> Int { try read(CrossingTable.count) }

  /// Returns the newest record of each topic, staged ones included, by topic.
  public func records() throws(StoreError) -> [LatestRecord] {
    try read(RecordTable.records)
  }

  /// Returns the staged records, in the order of arrival.
  public func stagedRecords() throws(StoreError) -> [StagedRecord] { try read(StagedTable.all) }

  /// Returns the number of staged records.
  public func stagedCount() throws(StoreError) -> Int { try read(StagedTable.count) }

  /// Returns the last known position of each device, by device. Positions of staged records, which
  /// are encrypted, are not among them.
  public func positions() throws(StoreError) -> [DevicePosition] {
    try read(RecordTable.positions)
  }

  /// Returns the last known position of a device; nil if there is none. Likewise without staged
  /// records.
  public func position(of device: DeviceID) throws(StoreError) -> DevicePosition? {
    try read { try RecordTable.position(of: device, in: $0) }
  }

  /// Returns the last known positions of some devices, from one snapshot. Likewise without staged
  /// records.
  public func positions(
    of devices: Set<DeviceID>
  ) throws(StoreError) -> [DeviceID: DevicePosition] {
    try read { database in
      var positions: [DeviceID: DevicePosition] = [:]
      for device in devices {
        positions[device] = try RecordTable.position(of: device, in: database)
      }
      return positions
    }
  }
}

/// Carries the error of a caller's closure through a transaction unchanged.
struct CallerError: Error {
  let cause: any Error
}

extension Store {
  func rethrowing(_ body: (Database) throws -> Void) throws {
    do {
      try reading(body)
    } catch let error as CallerError {
      throw error.cause
    } catch {
      throw StoreError(error)
    }
  }
}
