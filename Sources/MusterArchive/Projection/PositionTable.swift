internal import MusterInterchange
internal import MusterModel

/// Recorded positions of people, in one partition for each day.
struct PositionTable {
  let database: DatabaseConnection
  let operation: OperationID

  /// Days before and after today, by the server's clock, that get a partition of their own: a wrong
  /// clock in the field cannot make more.
  private static let (past, future): (Int, Int) = (800, 2)
  private static let most = 500

  /// Adds fixes of a person. A fix of a known moment is not changed.
  func add(_ fixes: [Fix], of person: UserID, callsign: String) throws {
    try preparePartitions(for: fixes)
    for start in stride(from: 0, to: fixes.count, by: Self.most) {
      let records = fixes[start..<min(start + Self.most, fixes.count)].compactMap(Self.record)
      try database.run(
        """
        INSERT INTO positions
        SELECT $1::bytea, $2::bytea, $3::text, (r->>'at')::timestamptz,
          ST_SetSRID(ST_MakePoint((r->>'lon')::float8, (r->>'lat')::float8), 4326)::geography,
          (r->>'accuracy')::real
        FROM jsonb_array_elements($4::jsonb) AS r
        ON CONFLICT DO NOTHING
        """,
        [
          .bytes(operation.bytes), .bytes(person.bytes), .text(callsign),
          .text(JSON.array(records).text),
        ])
    }
  }

  /// Replaces the fixes of a person.
  func replace(by fixes: [Fix], of person: UserID, callsign: String) throws {
    try database.run(
      "DELETE FROM positions WHERE operation = $1 AND person = $2",
      [.bytes(operation.bytes), .bytes(person.bytes)])
    try add(fixes, of: person, callsign: callsign)
  }

  /// Returns the people whose revoked devices are others than at the last projection.
  func changed(by revoked: [DeviceSummary]) throws -> Set<UserID> {
    var known: [DeviceID: UserID] = [:]
    for row in try database.run(
      "SELECT device, person FROM revocations WHERE operation = $1", [.bytes(operation.bytes)])
    {
      guard let device = DeviceID(bytes: row.bytes(0)), let person = UserID(bytes: row.bytes(1))
      else { throw Archive.damaged }
      known[device] = person
    }
    let now = Dictionary(revoked.map { ($0.id, $0.user) }) { first, _ in first }
    return Set(now.filter { known[$0.key] == nil }.values)
      .union(known.filter { now[$0.key] == nil }.values)
  }

  /// Records the revoked devices that the positions follow from.
  func note(_ revoked: [DeviceSummary]) throws {
    let id = SQLValue.bytes(operation.bytes)
    try database.run("DELETE FROM revocations WHERE operation = $1", [id])
    try database.run(
      "INSERT INTO revocations SELECT $1::bytea, * FROM unnest($2::bytea[], $3::bytea[])",
      [id, .list(revoked.map(\.id.bytes)), .list(revoked.map(\.user.bytes))])
  }

  /// A day that already has rows among the others stays there.
  private func preparePartitions(for fixes: [Fix]) throws {
    let possible = fixes.map(\.sampleTime).filter { ProjectedTable.moment($0) != .null }
    let days = Set(possible.map { String($0.description.prefix(10)) })
    try database.run(
      """
      SELECT d::text FROM unnest(string_to_array($1::text, ',')) AS t(d)
      WHERE d::date BETWEEN current_date - \(Self.past) AND current_date + \(Self.future)
        AND to_regclass('muster.positions_' || replace(d, '-', '')) IS NULL
        AND NOT EXISTS (SELECT 1 FROM positions_other
          WHERE at >= (d || ' 00:00:00+00')::timestamptz
            AND at < (d || ' 00:00:00+00')::timestamptz + interval '1 day')
      """, [.text(days.sorted().joined(separator: ","))]
    ).forEach { row in
      // The text passed as a date in the query: digits and dashes.
      let day = row.text(0)
      let name = "positions_" + day.filter { $0 != "-" }
      try database.script(
        """
        CREATE TABLE IF NOT EXISTS muster.\(name) PARTITION OF muster.positions
        FOR VALUES FROM ('\(day) 00:00:00+00') TO (('\(day) 00:00:00+00'::timestamptz
          + interval '1 day'))
        """)
    }
  }

  /// Sorts each day that is over by place, once. A search by area then reads neighbouring pages:
  /// by time, the positions in an area are spread over nearly all pages of the day. Positions that
  /// arrive later are found too.
  func sortPastDays() throws {
    let days = try database.run(
      """
      SELECT day.relname, place.relname FROM pg_inherits
      JOIN pg_class AS day ON day.oid = inhrelid
      JOIN pg_index ON indrelid = day.oid AND NOT indisclustered
      JOIN pg_class AS place ON place.oid = indexrelid
      JOIN pg_am ON pg_am.oid = place.relam AND amname = 'gist'
      WHERE inhparent = 'muster.positions'::regclass AND day.relname ~ '^positions_[0-9]{8}$'
        AND day.relname < 'positions_' || to_char(current_date - 1, 'YYYYMMDD')
      ORDER BY day.relname
      """)
    for row in days {
      try database.script("CLUSTER muster.\(row.text(0)) USING \(row.text(1))")
    }
  }

  private static func record(_ fix: Fix) -> JSON? {
    let at = ProjectedTable.moment(fix.sampleTime)
    guard at != .null else { return nil }
    return JSON.object([
      "at": at, "accuracy": .known(fix.accuracyDecimetres) { .real(Double($0) / 10) },
    ]).adding(JSON.place(fix.position))
  }
}
