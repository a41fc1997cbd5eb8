internal import Foundation
internal import MusterHTTP
internal import MusterModel

/// Reads what was projected, for the HTTP API and for exports. Changes nothing.
public struct ProjectionReader {
  let database: DatabaseConnection

  /// Lets the server end statements of this connection that take longer, and reject writes.
  func limitStatements(seconds: Int) throws {
    try database.script(
      "SET statement_timeout = '\(seconds)s'; SET default_transaction_read_only = on")
  }

  /// Returns the names of operations; nil for all of them.
  func names(of ids: [OperationID]?) throws -> [OperationID: String] {
    let rows = try database.run(
      "SELECT id, name FROM operations WHERE $1::bytea[] IS NULL OR id = ANY($1::bytea[])",
      [ids.map { .list($0.map(\.bytes)) } ?? .null])
    var names: [OperationID: String] = [:]
    for row in rows {
      guard let id = OperationID(bytes: row.bytes(0)) else { throw Archive.damaged }
      names[id] = row.text(1)
    }
    return names
  }

  /// Returns the operation with a name, or whose id begins so.
  func operation(named reference: String) throws -> OperationID {
    let names = try names(of: nil)
    let found = names.filter {
      $0.value.lowercased() == reference.lowercased()
        || $0.key.description.hasPrefix(reference.lowercased())
    }
    guard found.count == 1, let id = found.keys.first else {
      let known = (found.isEmpty ? names : found)
        .map { "\($0.value) (\($0.key.short))" }.sorted().prefix(8).joined(separator: ", ")
      let count = found.isEmpty ? "no archived operation is" : "\(found.count) operations are"
      throw ArchiveFault(
        known.isEmpty
          ? "there are no archived operations: run `muster-archive import`"
          : "\(count) named \(reference): use a name or an id of \(known)")
    }
    return id
  }

  /// Returns the projected rows of a set by id. Throws `ArchiveFault`.
  func summaries<Summary: Decodable>(
    of set: ArchivedSet, in operation: OperationID, _ selection: SummarySelection
  ) throws -> [Summary] {
    // A zero byte is no part of a text here, and an empty name would be the beginning of every id.
    if case .named(let name) = selection, name.utf8.allSatisfy({ $0 == 0 }) { return [] }
    try requireProjection()
    // The name of a table, from this program.
    let table = set.rawValue
    let rows =
      switch selection {
      case .page(let after, let limit):
        try database.run(
          """
          SELECT summary::text FROM \(table)
          WHERE operation = $1 AND summary IS NOT NULL
            AND ($2::bytea IS NULL OR id > $2::bytea)
          ORDER BY id LIMIT $3::bigint
          """,
          [.bytes(operation.bytes), .optional(after), .integer(Int64(limit))])
      case .named(let name):
        try database.run(
          """
          SELECT summary::text FROM \(table)
          WHERE operation = $1 AND summary IS NOT NULL
            AND (starts_with(encode(id, 'hex'), lower($2::text))
              \(set == .users ? "OR callsign = $2::text" : ""))
          ORDER BY id LIMIT 100
          """,
          [.bytes(operation.bytes), .text(name)])
      }
    let decoder = JSONDecoder()
    return try rows.map { row in
      do {
        return try decoder.decode(Summary.self, from: Data(row.bytes(0)))
      } catch {
        throw ArchiveFault(
          "the projection was written by another version: run `muster-archive project` of this one")
      }
    }
  }

  /// Returns the newest fixes of a person in a period, by time. Throws `ArchiveFault`.
  func track(
    of user: UserID, in operation: OperationID, from: Timestamp?, to: Timestamp?, limit: Int
  ) throws -> [Fix] {
    try requireProjection()
    return try database.run(
      """
      SELECT \(Self.fixColumns) FROM positions p
      WHERE operation = $1 AND person = $2
        AND ($3::timestamptz IS NULL OR at >= $3::timestamptz)
        AND ($4::timestamptz IS NULL OR at <= $4::timestamptz)
      ORDER BY at DESC LIMIT $5::bigint
      """,
      [
        .bytes(operation.bytes), .bytes(user.bytes), .optional(from), .optional(to),
        .integer(Int64(limit)),
      ]
    ).map { try Self.fix($0, from: 0) }.reversed()
  }

  /// Returns everybody's last position until a time. Throws `ArchiveFault`.
  func positions(in operation: OperationID, at time: Timestamp) throws -> [PastPosition] {
    try requireProjection()
    return try database.run(
      """
      SELECT u.id, u.callsign, last.* FROM users u CROSS JOIN LATERAL (
        SELECT \(Self.fixColumns) FROM positions p
        WHERE p.operation = u.operation AND p.person = u.id AND p.at <= $2::timestamptz
        ORDER BY p.at DESC LIMIT 1) AS last
      WHERE u.operation = $1 ORDER BY u.id
      """, [.bytes(operation.bytes), .optional(time)]
    ).map { row in
      guard let user = UserID(bytes: row.bytes(0)) else { throw Archive.damaged }
      return PastPosition(user: user, callsign: row.text(1), fix: try Self.fix(row, from: 2))
    }
  }

  /// Returns the size of a photo; nil if its content is not here. Throws `ArchiveFault`.
  func photoSize(_ photo: PhotoID, in operation: OperationID) throws -> Int? {
    try database.run(
      "SELECT length(content) FROM blobs WHERE operation = $1 AND id = $2 AND content IS NOT NULL",
      [.bytes(operation.bytes), .bytes(photo.bytes)]
    ).first.map { Int($0.integer(0)) }
  }

  /// Returns a range of a photo. Throws `ArchiveFault`.
  func photoBytes(
    _ photo: PhotoID, in operation: OperationID, _ range: Range<Int>
  ) throws -> [UInt8] {
    try database.run(
      """
      SELECT substring(content FROM $3::integer FOR $4::integer) FROM blobs
      WHERE operation = $1 AND id = $2
      """,
      [
        .bytes(operation.bytes), .bytes(photo.bytes), .integer(Int64(range.lowerBound) + 1),
        .integer(Int64(range.count)),
      ]
    ).first?.bytes(0) ?? []
  }

  private static let fixColumns = """
    round(ST_Y(p.position::geometry) * 1e7)::bigint,
    round(ST_X(p.position::geometry) * 1e7)::bigint,
    round(p.accuracy_metres * 10)::bigint, round(extract(epoch FROM p.at) * 1000)::bigint
    """

  private static func fix(_ row: SQLRow, from column: Int) throws -> Fix {
    guard
      let position = Coordinate(
        latitudeE7: row.integer(column), longitudeE7: row.integer(column + 1))
    else { throw Archive.damaged }
    return Fix(
      position: position,
      accuracyDecimetres: row.columns[column + 2].map { _ in
        UInt32(clamping: row.integer(column + 2))
      },
      sampleTime: Timestamp(milliseconds: row.integer(column + 3)))
  }

  private func requireProjection() throws {
    guard
      try database.run("SELECT to_regclass('muster.projections') IS NOT NULL")
        .first?.integer(0) != 0
    else {
      throw ArchiveFault("nothing is projected yet: run `muster-archive project` first")
    }
  }
}

extension Archive {
  /// The reader of this archive's projections.
  public var projections: ProjectionReader { ProjectionReader(database: database) }
}
