internal import GRDB
internal import MusterModel

/// The SQL of ENTER and EXIT events.
enum CrossingTable {
  private static let columns = """
    id, type, fence, fence_version, subject, transition_number, latitude_e7, longitude_e7,
    accuracy_decimetres, sampled_at_ms, is_baseline, author_user, author_device, author_role,
    written_at_ms
    """

  /// Stores a crossing. A faulty author may give one id to two: then the one with lower canonical
  /// bytes is kept, so that all nodes agree whatever the order of arrival, and it counts as new.
  ///
  /// - Parameter arrival: its number in a view that was rebuilt; nil for the next.
  /// - Returns: the arrival number; nil if it is already stored or loses.
  static func keep(
    _ recorded: RecordedCrossing, arrival: Int64?, in database: Database
  ) throws -> Int64? {
    if let held = try crossing(recorded.id, in: database) {
      guard recorded.canonical.lexicographicallyPrecedes(held.recorded.canonical) else {
        return nil
      }
      try database.run("DELETE FROM crossings WHERE id = ?", [recorded.id.blob])
    }
    let crossing = recorded.crossing
    try database.run(
      """
      INSERT INTO crossings(arrival, \(columns))
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        arrival.column { $0.column }, recorded.id.blob, crossing.type.rawValue.column,
        crossing.fence.blob, crossing.fenceVersion.blob, crossing.subject.blob,
        crossing.transition.column,
      ] + crossing.fix.columns + [
        crossing.isBaseline.column, recorded.author.user.blob, recorded.author.device.blob,
        recorded.author.role.rawValue.column, recorded.writtenAt.column,
      ])
    return database.lastInsertedRowID
  }

  static func after(
    _ arrival: Int64, limit: Int, in database: Database
  ) throws -> [ArrivedCrossing] {
    try database.all(
      "SELECT arrival, \(columns) FROM crossings WHERE arrival > ? ORDER BY arrival LIMIT ?",
      [arrival.column, limit.column], of: "crossings", readArrived)
  }

  /// Returns the first crossings of an author between two arrival numbers, by arrival number. Reads
  /// those of others between them too.
  static func after(
    _ arrival: Int64, upTo last: Int64, by author: DeviceID, limit: Int, in database: Database
  ) throws -> [ArrivedCrossing] {
    try database.all(
      """
      SELECT arrival, \(columns) FROM crossings
      WHERE arrival > ? AND arrival <= ? AND author_device = ? ORDER BY arrival LIMIT ?
      """,
      [arrival.column, last.column, author.blob, limit.column], of: "crossings", readArrived)
  }

  /// Returns who wrote the crossings after an arrival number, by arrival number.
  static func authors(
    after arrival: Int64, limit: Int, in database: Database
  ) throws -> [(arrival: Int64, author: DeviceID)] {
    try database.all(
      "SELECT arrival, author_device FROM crossings WHERE arrival > ? ORDER BY arrival LIMIT ?",
      [arrival.column, limit.column], of: "crossings"
    ) { (try $0.integer(), try $0.identifier()) }
  }

  /// Returns the first crossings of a range of sample times, by sample time and id.
  ///
  /// - Parameter id: of the crossings at the first instant, only those with a greater id; nil for
  ///   all.
  static func sampled(
    in range: ClosedRange<Timestamp>, after id: CrossingID?, limit: Int, in database: Database
  ) throws -> [ArrivedCrossing] {
    try database.all(
      """
      SELECT arrival, \(columns) FROM crossings
      WHERE (sampled_at_ms, id) > (?, ?) AND sampled_at_ms <= ?
      ORDER BY sampled_at_ms, id LIMIT ?
      """,
      [
        range.lowerBound.column, id?.blob ?? [UInt8]().blob, range.upperBound.column, limit.column,
      ], of: "crossings", readArrived)
  }

  /// Returns the subjects of ENTER events of a fence since a sample time, by subject.
  static func entries(
    to fence: RowID, since: Timestamp, in database: Database
  ) throws -> [(subject: DeviceID, device: DeviceID, user: UserID)] {
    try database.all(
      """
      SELECT DISTINCT subject, author_device, author_user FROM crossings
      WHERE fence = ? AND type = 1 AND sampled_at_ms >= ? ORDER BY subject
      """,
      [fence.blob, since.column], of: "crossings"
    ) {
      (subject: try $0.identifier(), device: try $0.identifier(), user: try $0.identifier())
    }
  }

  /// Returns the highest assigned number; 0 before the first.
  static func newestArrival(_ database: Database) throws -> Int64 {
    try database.first(
      "SELECT seq FROM sqlite_sequence WHERE name = 'crossings'", of: "crossings"
    ) { try $0.integer() } ?? 0
  }

  /// Reads the crossings with ids in a range, or all, by id.
  static func each(
    _ ids: ClosedRange<CrossingID>?, in database: Database,
    _ body: (RecordedCrossing) throws -> Void
  ) throws {
    let first = ids?.lowerBound ?? CrossingID(raw: .zero)
    let last = ids?.upperBound ?? CrossingID(raw: Bytes16(high: .max, low: .max))
    try database.each(
      "SELECT \(columns) FROM crossings WHERE id BETWEEN ? AND ? ORDER BY id",
      [first.blob, last.blob], of: "crossings"
    ) { try body(try read(&$0)) }
  }

  static func count(_ database: Database) throws -> Int {
    try database.first("SELECT count(*) FROM crossings", of: "crossings") { try $0.integer() } ?? 0
  }

  static func arrivals(_ database: Database) throws -> [CrossingID: Int64] {
    var arrivals: [CrossingID: Int64] = [:]
    try database.each("SELECT id, arrival FROM crossings", of: "crossings") {
      arrivals[try $0.identifier()] = try $0.integer()
    }
    return arrivals
  }

  /// Deletes a crossing; returns its arrival number.
  static func delete(_ id: CrossingID, in database: Database) throws -> Int64? {
    let arrival = try database.first(
      "SELECT arrival FROM crossings WHERE id = ?", [id.blob], of: "crossings"
    ) { try $0.integer(Int64.self) }
    try database.run("DELETE FROM crossings WHERE id = ?", [id.blob])
    return arrival
  }

  static func deleteAll(_ database: Database) throws {
    try database.run("DELETE FROM crossings")
  }

  static func crossing(
    _ id: CrossingID, in database: Database
  ) throws -> ArrivedCrossing? {
    try database.first(
      "SELECT arrival, \(columns) FROM crossings WHERE id = ?", [id.blob], of: "crossings",
      readArrived)
  }

  private static func readArrived(_ columns: inout ColumnReader) throws -> ArrivedCrossing {
    ArrivedCrossing(arrival: try columns.integer(), recorded: try read(&columns))
  }

  private static func read(_ columns: inout ColumnReader) throws -> RecordedCrossing {
    let id: CrossingID = try columns.identifier()
    let type: CrossingType = try columns.code()
    let fence: RowID = try columns.identifier()
    let version: FenceVersion = try columns.identifier()
    let subject: DeviceID = try columns.identifier()
    let transition: UInt32 = try columns.integer()
    let fix = try columns.fix()
    let crossing = Crossing(
      type: type, fence: fence, fenceVersion: version, subject: subject, transition: transition,
      fix: fix, isBaseline: try columns.integer(Int.self) != 0)
    let author = Author(
      user: try columns.identifier(), device: try columns.identifier(), role: try columns.code())
    return RecordedCrossing(
      id: id, crossing: crossing, author: author, writtenAt: try columns.timestamp())
  }
}

extension RecordedCrossing {
  /// Every field in the order of declaration, fixed widths.
  fileprivate var canonical: [UInt8] {
    var writer = ByteWriter()
    writer.append(crossing.type.rawValue)
    writer.append(crossing.fence)
    writer.append(crossing.fenceVersion)
    writer.append(crossing.subject)
    writer.append(crossing.transition)
    writer.append(crossing.fix.position.latitudeE7)
    writer.append(crossing.fix.position.longitudeE7)
    writer.append(UInt8(crossing.fix.accuracyDecimetres == nil ? 0 : 1))
    writer.append(crossing.fix.accuracyDecimetres ?? 0)
    writer.append(crossing.fix.sampleTime.milliseconds)
    writer.append(UInt8(crossing.isBaseline ? 1 : 0))
    writer.append(author.user)
    writer.append(author.device)
    writer.append(author.role.rawValue)
    writer.append(writtenAt.milliseconds)
    return writer.bytes
  }
}
