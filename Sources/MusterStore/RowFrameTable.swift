internal import GRDB
internal import MusterModel

/// The SQL of the index of rows by the frames that wrote to them.
enum RowFrameTable {
  /// The local setting that marks the index as complete.
  static let key = "row index"

  /// A row, or a crossing.
  struct Target: Hashable, Comparable {
    /// That of the row; 0 for a crossing.
    let kind: UInt8
    let id: Bytes16

    init(_ key: RowKey) { (kind, id) = (key.kind.rawValue, key.id.raw) }
    init(_ crossing: CrossingID) { (kind, id) = (0, crossing.raw) }

    fileprivate init(kind: UInt8, id: Bytes16) { (self.kind, self.id) = (kind, id) }

    /// Nil for a crossing.
    var row: RowKey? { EntityKind(rawValue: kind).map { RowKey(kind: $0, id: RowID(raw: id)) } }

    static func < (left: Target, right: Target) -> Bool {
      (left.kind, left.id) < (right.kind, right.id)
    }
  }

  static func isKept(_ database: Database) throws -> Bool {
    try LocalTable.value(key, in: database) != nil
  }

  static func add(_ target: Target, at place: Int64, in database: Database) throws {
    try database.run(
      "INSERT INTO row_frames(kind, row, place) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
      [target.kind.column, target.id.blob, place.column])
  }

  /// What the frames at some places wrote.
  static func targets(
    of places: ClosedRange<Int64>, in database: Database
  ) throws -> Set<Target> {
    Set(
      try database.all(
        "SELECT DISTINCT kind, row FROM row_frames WHERE place BETWEEN ? AND ?",
        [places.lowerBound.column, places.upperBound.column], of: "row_frames"
      ) { Target(kind: try $0.integer(), id: try $0.bytes16()) })
  }

  static func places(of target: Target, in database: Database) throws -> [Int64] {
    try database.all(
      "SELECT place FROM row_frames WHERE kind = ? AND row = ?",
      [target.kind.column, target.id.blob], of: "row_frames"
    ) { try $0.integer() }
  }

  static func deleteAll(_ database: Database) throws {
    try database.run("DELETE FROM row_frames")
  }
}
