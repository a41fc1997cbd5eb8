internal import GRDB
internal import MusterModel

/// The SQL of latest-only records and of the positions decrypted from them.
enum RecordTable {
  private static let columns =
    "topic, kind, certificate, generation, incarnation, counter, epoch, body, signature"
  private static let positionColumns = """
    device, user, generation, incarnation, counter, latitude_e7, longitude_e7,
    accuracy_decimetres, sampled_at_ms, reported_at_ms, earlier
    """

  /// Stores the record unless one of its topic that is as new is stored.
  static func keep(_ record: LatestRecord, in database: Database) throws -> Bool {
    #if Canary
      if Canary.acceptOlderRecord.isPlanted {
        try database.run("DELETE FROM records WHERE topic = ?", [record.topic.blob])
      }
    #endif
    try database.run(
      keepRecord,
      [record.topic.blob, record.kind.rawValue.column, record.certificate.blob]
        + record.order.columns + [record.epoch.blob, record.body.blob, record.signature.blob])
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
    WHERE (excluded.generation, excluded.incarnation, excluded.counter < 0, excluded.counter)
      > (records.generation, records.incarnation, records.counter < 0, records.counter)
    """

  static func records(_ database: Database) throws -> [LatestRecord] {
    try database.all("SELECT \(columns) FROM records ORDER BY topic", of: "records") {
      LatestRecord(
        topic: try $0.identifier(), kind: try $0.code(), certificate: try $0.digest(),
        order: try readOrder(&$0), epoch: try $0.identifier(), body: try $0.bytes(),
        signature: try $0.bytes())
    }
  }

  /// Stores the position unless a newer one of its device is stored. Returns whether anything
  /// changed.
  static func keep(_ position: DevicePosition, in database: Database) throws -> Bool {
    try database.run(
      keepPosition,
      [position.device.blob, position.user.blob] + position.order.columns
        + position.report.fix.columns
        + [position.report.reportedAt.column, EarlierFix.encoded(position.earlier).blob])
    return database.changesCount > 0
  }

  private static let keepPosition = """
    INSERT INTO positions(\(positionColumns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT(device) DO UPDATE SET
      user = excluded.user, generation = excluded.generation,
      incarnation = excluded.incarnation, counter = excluded.counter,
      latitude_e7 = excluded.latitude_e7, longitude_e7 = excluded.longitude_e7,
      accuracy_decimetres = excluded.accuracy_decimetres,
      sampled_at_ms = excluded.sampled_at_ms, reported_at_ms = excluded.reported_at_ms,
      earlier = excluded.earlier
    WHERE (excluded.generation, excluded.incarnation, excluded.counter < 0, excluded.counter)
        >= (positions.generation, positions.incarnation, positions.counter < 0, positions.counter)
      AND (excluded.user, excluded.generation, excluded.incarnation, excluded.counter,
        excluded.latitude_e7, excluded.longitude_e7,
        excluded.accuracy_decimetres, excluded.sampled_at_ms, excluded.reported_at_ms,
        excluded.earlier)
        IS NOT (positions.user, positions.generation, positions.incarnation, positions.counter,
        positions.latitude_e7, positions.longitude_e7,
        positions.accuracy_decimetres, positions.sampled_at_ms, positions.reported_at_ms,
        positions.earlier)
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
    let order = try readOrder(&columns)
    let fix = try columns.fix()
    let report = PositionReport(fix: fix, reportedAt: try columns.timestamp())
    return DevicePosition(
      device: device, user: user, order: order, report: report,
      earlier: try columns.earlierFixes())
  }

  private static func readOrder(_ columns: inout ColumnReader) throws -> RecordOrder {
    RecordOrder(
      generation: try columns.integer(), incarnation: try columns.identifier(),
      counter: try columns.wideInteger())
  }
}

extension RecordOrder {
  fileprivate var columns: [ColumnValue] {
    [generation.column, incarnation.blob, counter.column]
  }
}
