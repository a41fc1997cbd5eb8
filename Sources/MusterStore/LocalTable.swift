internal import GRDB
internal import MusterModel

/// The SQL of data that is local to this node: epoch keys, settings and its own track.
enum LocalTable {
  /// A key is determined by its id, so a stored one is kept.
  static func keep(_ key: StoredEpochKey, in database: Database) throws {
    try database.run(
      "INSERT INTO epochs(id, key) VALUES (?, ?) ON CONFLICT DO NOTHING",
      [key.id.blob, key.key.blob])
  }

  static func keep(_ certificate: StoredCertificate, in database: Database) throws {
    try database.run(
      "INSERT INTO certificates(hash, content, signature) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
      [certificate.hash.raw.bytes.blob, certificate.content.blob, certificate.signature.blob])
  }

  static func certificates(_ database: Database) throws -> [StoredCertificate] {
    try database.all(
      "SELECT hash, content, signature FROM certificates ORDER BY hash", of: "certificates"
    ) {
      StoredCertificate(
        hash: CertificateHash(raw: try $0.bytes32()), content: try $0.bytes(),
        signature: try $0.bytes())
    }
  }

  static func keep(_ evidence: StoredEvidence, in database: Database) throws {
    try database.run(
      "INSERT INTO evidence(id, kind, content) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
      [evidence.id.raw.bytes.blob, evidence.kind.rawValue.column, evidence.content.blob])
  }

  static func delete(_ evidence: EvidenceID, in database: Database) throws {
    try database.run("DELETE FROM evidence WHERE id = ?", [evidence.raw.bytes.blob])
  }

  static func evidence(_ database: Database) throws -> [StoredEvidence] {
    try database.all("SELECT id, kind, content FROM evidence ORDER BY id", of: "evidence") {
      StoredEvidence(
        id: EvidenceID(raw: try $0.bytes32()), kind: try $0.code(), content: try $0.bytes())
    }
  }

  static func epochKeys(_ database: Database) throws -> [StoredEpochKey] {
    try database.all("SELECT id, key FROM epochs ORDER BY id", of: "epochs") {
      StoredEpochKey(id: try $0.identifier(), key: try $0.bytes32())
    }
  }

  static func set(_ key: String, to value: [UInt8], in database: Database) throws {
    try database.run(
      "INSERT OR REPLACE INTO local(key, value) VALUES (?, ?)", [.text(key), value.blob])
  }

  static func forget(_ key: String, in database: Database) throws {
    try database.run("DELETE FROM local WHERE key = ?", [.text(key)])
  }

  static func value(_ key: String, in database: Database) throws -> [UInt8]? {
    try database.first(
      "SELECT value FROM local WHERE key = ?", [.text(key)], of: "local"
    ) { try $0.bytes() }
  }

  static func append(_ report: PositionReport, in database: Database) throws {
    try database.run(
      """
      INSERT INTO fixes(latitude_e7, longitude_e7, accuracy_decimetres, sampled_at_ms,
        reported_at_ms) VALUES (?, ?, ?, ?, ?)
      """, report.fix.columns + [report.reportedAt.column])
    try database.run(
      "DELETE FROM fixes WHERE place <= (SELECT max(place) FROM fixes) - ?",
      [.integer(Limits.trackFixes)])
  }

  static func append(_ fixes: [TrackerFix], in database: Database) throws {
    guard !fixes.isEmpty else { return }
    for fix in fixes {
      try database.run(
        """
        INSERT INTO tracker_fixes(tracker, latitude_e7, longitude_e7, accuracy_decimetres,
          sampled_at_ms, reported_at_ms) VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
        """,
        [fix.tracker.blob] + fix.report.fix.columns + [fix.report.reportedAt.column])
    }
    try database.run(
      "DELETE FROM tracker_fixes WHERE place <= (SELECT max(place) FROM tracker_fixes) - ?",
      [.integer(Limits.trackerFixes)])
  }

  static func clearTrack(ofTracker tracker: RowID, in database: Database) throws {
    try database.run("DELETE FROM tracker_fixes WHERE tracker = ?", [tracker.blob])
  }

  static func track(
    ofTracker tracker: RowID, limit: Int, in database: Database
  ) throws -> [PositionReport] {
    try database.all(
      """
      SELECT latitude_e7, longitude_e7, accuracy_decimetres, sampled_at_ms, reported_at_ms
      FROM tracker_fixes WHERE tracker = ? ORDER BY sampled_at_ms DESC LIMIT ?
      """, [tracker.blob, .integer(Int64(limit))], of: "tracker_fixes"
    ) {
      PositionReport(fix: try $0.fix(), reportedAt: try $0.timestamp())
    }.reversed()
  }

  static func fixes(
    after place: Int64, limit: Int, in database: Database
  ) throws -> [(place: Int64, report: PositionReport)] {
    try database.all(
      """
      SELECT place, latitude_e7, longitude_e7, accuracy_decimetres, sampled_at_ms, reported_at_ms
      FROM fixes WHERE place > ? ORDER BY place LIMIT ?
      """, [.integer(place), .integer(Int64(limit))], of: "fixes"
    ) { columns in
      let place: Int64 = try columns.integer()
      return (place, PositionReport(fix: try columns.fix(), reportedAt: try columns.timestamp()))
    }
  }

  static func newestFixPlace(in database: Database) throws -> Int64 {
    try database.first("SELECT max(place) FROM fixes", of: "fixes") { columns -> Int64? in
      try columns.optionalInteger()
    }.flatMap(\.self) ?? 0
  }

  static func track(
    _ range: ClosedRange<Timestamp>, in database: Database
  ) throws -> [PositionReport] {
    try database.all(
      """
      SELECT latitude_e7, longitude_e7, accuracy_decimetres, sampled_at_ms, reported_at_ms
      FROM fixes WHERE sampled_at_ms BETWEEN ? AND ? ORDER BY sampled_at_ms, place
      """, [range.lowerBound.column, range.upperBound.column], of: "fixes"
    ) { PositionReport(fix: try $0.fix(), reportedAt: try $0.timestamp()) }
  }
}
