public import MusterModel

extension Archive {
  /// Returns what matches, newest first. Throws `ArchiveFault`.
  public func find(_ search: ArchiveSearch) throws -> [ArchiveFinding] {
    guard
      try database.run("SELECT to_regclass('muster.projections') IS NOT NULL").first?.integer(0)
        != 0
    else {
      throw ArchiveFault("nothing is projected yet: run `muster-archive project` first")
    }
    let place = search.area?.center
    return try database.run(
      Self.query,
      [
        search.text.map(SQLValue.text) ?? .null, search.person.map(SQLValue.text) ?? .null,
        place.map { .text("\($0.longitude)") } ?? .null,
        place.map { .text("\($0.latitude)") } ?? .null,
        search.area.map { .text("\($0.radiusMetres)") } ?? .null,
        search.since.map { .text($0.description) } ?? .null,
        search.until.map { .text($0.description) } ?? .null,
        search.operation.map(SQLValue.text) ?? .null, .integer(Int64(search.limit)),
        search.operations.map { .list($0.map(\.bytes)) } ?? .null,
      ]
    ).map { row in
      let isPlaced = row.columns[6] != nil
      guard let operation = OperationID(bytes: row.bytes(8)) else { throw Self.damaged }
      return ArchiveFinding(
        kind: row.text(0), operation: row.text(1), operationID: operation, id: row.text(2),
        at: row.columns[3] == nil ? nil : row.text(3), text: row.text(4), callsign: row.text(5),
        position: isPlaced
          ? Coordinate(latitudeE7: row.integer(6), longitudeE7: row.integer(7)) : nil)
    }
  }

  /// PostgreSQL plans it with the given values: a condition that is absent costs nothing, and the
  /// others reach the indexes of each table.
  private static let query = """
    SELECT kind, name, encode(found.id, 'hex'),
      to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), text, callsign,
      round(ST_Y(position::geometry) * 1e7)::bigint, round(ST_X(position::geometry) * 1e7)::bigint,
      found.operation
    FROM (
      SELECT 'report' AS kind, operation, id, updated_at AS at, title AS text, callsign, position
      FROM reports WHERE $1::text IS NULL
        OR position(lower($1::text) IN lower(title || ' ' || details)) > 0
      UNION ALL
      SELECT 'event', operation, id, at, type || ' ' || fence_name, callsign, position
      FROM events WHERE $1::text IS NULL OR position(lower($1::text) IN lower(fence_name)) > 0
      UNION ALL
      SELECT 'position', operation, person, at, '', callsign, position
      FROM positions WHERE $1::text IS NULL
    ) AS found JOIN operations ON operations.id = found.operation
    WHERE ($2::text IS NULL OR lower(callsign) = lower($2::text))
      AND ($3::float8 IS NULL OR ST_DWithin(position,
        ST_SetSRID(ST_MakePoint($3::float8, $4::float8), 4326)::geography, $5::float8))
      AND ($6::timestamptz IS NULL OR at >= $6::timestamptz)
      AND ($7::timestamptz IS NULL OR at <= $7::timestamptz)
      AND ($8::text IS NULL OR lower(name) = lower($8::text)
        OR starts_with(encode(operations.id, 'hex'), lower($8::text)))
      AND ($10::bytea[] IS NULL OR found.operation = ANY($10::bytea[]))
    ORDER BY at DESC NULLS LAST, kind, found.id LIMIT $9::bigint
    """
}
