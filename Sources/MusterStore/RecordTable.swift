internal import GRDB
internal import MusterModel

/// The SQL of latest-only records and of the positions decrypted from them.
///
/// The rows lie by topic and by device, so a change of each touches pages of its own. Records of
/// other devices arrive often, and are staged first (`StagedTable`).
enum RecordTable {
  private static let columns =
    "topic, kind, certificate, generation, incarnation, counter, epoch, body, signature"
  private static let positionColumns = """
    device, user, generation, incarnation, counter, latitude_e7, longitude_e7,
    accuracy_decimetres, sampled_at_ms, reported_at_ms, earlier, fix_age_kind, fix_age_ms,
    held_ms, fix_generation, fix_incarnation, fix_counter
    """

  /// Stores the record if it replaces that of its topic (`RecordVersion`).
  static func keep(_ record: LatestRecord, in database: Database) throws -> Bool {
    #if Canary
      if Canary.acceptOlderRecord.isPlanted {
        try database.run("DELETE FROM records WHERE topic = ?", [record.topic.blob])
      }
    #endif
    try database.run(keepRecord, record.columns)
    return database.changesCount > 0
  }

  /// One statement, since positions are the most frequent writes. A counter above half its range is
  /// negative here, and the newer one.
  private static let keepRecord = """
    INSERT INTO records(\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT(topic) DO UPDATE SET
      kind = excluded.kind, certificate = excluded.certificate,
      generation = excluded.generation, incarnation = excluded.incarnation,
      counter = excluded.counter, epoch = excluded.epoch, body = excluded.body,
      signature = excluded.signature
    WHERE (excluded.generation, excluded.incarnation, excluded.counter < 0, excluded.counter,
        excluded.epoch, excluded.body)
      > (records.generation, records.incarnation, records.counter < 0, records.counter,
        records.epoch, records.body)
    """

  /// The newest record of each topic, staged ones included, by topic.
  static func records(_ database: Database) throws -> [LatestRecord] {
    var newest: [RecordTopic: LatestRecord] = [:]
    try database.each("SELECT \(columns) FROM records", of: "records") { columns in
      let record = try columns.record()
      newest[record.topic] = record
    }
    for staged in try StagedTable.all(database) {
      let record = staged.record
      #if Canary
        if Canary.acceptOlderRecord.isPlanted { newest[record.topic] = nil }
      #endif
      if let known = newest[record.topic], record.version <= known.version { continue }
      newest[record.topic] = record
    }
    return newest.values.sorted { $0.topic < $1.topic }
  }

  /// Stores the position unless a newer one of its device is stored. Returns whether anything
  /// changed.
  static func keep(_ position: DevicePosition, in database: Database) throws -> Bool {
    try database.run(
      keepPosition,
      [position.device.blob, position.user.blob] + position.order.columns
        + position.report.fix.columns
        + [position.report.reportedAt.column, EarlierFix.encoded(position.earlier).blob]
        + position.report.age.columns + position.fixOrder.columns)
    return database.changesCount > 0
  }

  private static let keepPosition = """
    INSERT INTO positions(\(positionColumns))
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT(device) DO UPDATE SET
      user = excluded.user, generation = excluded.generation,
      incarnation = excluded.incarnation, counter = excluded.counter,
      latitude_e7 = excluded.latitude_e7, longitude_e7 = excluded.longitude_e7,
      accuracy_decimetres = excluded.accuracy_decimetres,
      sampled_at_ms = excluded.sampled_at_ms, reported_at_ms = excluded.reported_at_ms,
      earlier = excluded.earlier, fix_age_kind = excluded.fix_age_kind,
      fix_age_ms = excluded.fix_age_ms, held_ms = excluded.held_ms,
      fix_generation = excluded.fix_generation, fix_incarnation = excluded.fix_incarnation,
      fix_counter = excluded.fix_counter
    WHERE (excluded.generation, excluded.incarnation, excluded.counter < 0, excluded.counter)
        >= (positions.generation, positions.incarnation, positions.counter < 0, positions.counter)
      AND (excluded.user, excluded.generation, excluded.incarnation, excluded.counter,
        excluded.latitude_e7, excluded.longitude_e7,
        excluded.accuracy_decimetres, excluded.sampled_at_ms, excluded.reported_at_ms,
        excluded.earlier, excluded.fix_age_kind, excluded.fix_age_ms, excluded.held_ms,
        excluded.fix_generation, excluded.fix_incarnation, excluded.fix_counter)
        IS NOT (positions.user, positions.generation, positions.incarnation, positions.counter,
        positions.latitude_e7, positions.longitude_e7,
        positions.accuracy_decimetres, positions.sampled_at_ms, positions.reported_at_ms,
        positions.earlier, positions.fix_age_kind, positions.fix_age_ms, positions.held_ms,
        positions.fix_generation, positions.fix_incarnation, positions.fix_counter)
    """

  static func positions(_ database: Database) throws -> [DevicePosition] {
    try database.all(
      "SELECT \(positionColumns) FROM positions ORDER BY device", of: "positions", readPosition)
  }

  static func position(of device: DeviceID, in database: Database) throws -> DevicePosition? {
    try database.first(
      "SELECT \(positionColumns) FROM positions WHERE device = ?", [device.blob], of: "positions",
      readPosition)
  }

  private static func readPosition(_ columns: inout ColumnReader) throws -> DevicePosition {
    let device: DeviceID = try columns.identifier()
    let user: UserID = try columns.identifier()
    let order = try columns.order()
    let fix = try columns.fix()
    let reportedAt = try columns.timestamp()
    let earlier = try columns.earlierFixes()
    let report = PositionReport(fix: fix, reportedAt: reportedAt, age: try columns.fixAge())
    return DevicePosition(
      device: device, user: user, order: order, fixOrder: try columns.order(), report: report,
      earlier: earlier)
  }
}

/// The SQL of staged records: an append-only table, so that the records of many devices share their
/// pages.
enum StagedTable {
  private static let columns = """
    topic, kind, certificate, generation, incarnation, counter, epoch, body, signature, boot,
    arrived_ms
    """

  static func append(_ staged: StagedRecord, in database: Database) throws {
    try database.run(
      "INSERT INTO staged_records(\(columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
      staged.record.columns + [staged.boot.column, staged.arrived.column])
  }

  /// In the order of arrival.
  static func all(_ database: Database) throws -> [StagedRecord] {
    try database.all(
      "SELECT \(columns) FROM staged_records ORDER BY place", of: "staged_records"
    ) {
      StagedRecord(record: try $0.record(), boot: try $0.integer(), arrived: try $0.integer())
    }
  }

  static func count(_ database: Database) throws -> Int {
    try database.first("SELECT count(*) FROM staged_records", of: "staged_records") {
      try $0.integer()
    } ?? 0
  }

  static func deleteAll(_ database: Database) throws {
    try database.run("DELETE FROM staged_records")
  }
}

extension LatestRecord {
  fileprivate var columns: [ColumnValue] {
    [topic.blob, kind.rawValue.column, certificate.blob] + order.columns
      + [epoch.blob, body.blob, signature.blob]
  }
}

extension RecordOrder {
  fileprivate var columns: [ColumnValue] {
    [generation.column, incarnation.blob, counter.column]
  }
}

extension FixAge {
  fileprivate var columns: [ColumnValue] {
    [
      atReceipt.code.column, (atReceipt.leastMilliseconds ?? 0).column, heldMilliseconds.column,
    ]
  }
}

extension ColumnReader {
  fileprivate mutating func fixAge() throws -> FixAge {
    let code: UInt32 = try integer()
    let atReceipt = SampleAge(code: code, milliseconds: try integer())
    return FixAge(atReceipt, heldMilliseconds: try integer())
  }

  fileprivate mutating func record() throws -> LatestRecord {
    LatestRecord(
      topic: try identifier(), kind: try code(), certificate: try digest(), order: try order(),
      epoch: try identifier(), body: try bytes(), signature: try bytes())
  }

  fileprivate mutating func order() throws -> RecordOrder {
    RecordOrder(
      generation: try integer(), incarnation: try identifier(), counter: try wideInteger())
  }
}
