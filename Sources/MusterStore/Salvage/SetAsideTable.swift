internal import GRDB
internal import MusterModel

/// The SQL of salvaged frames, and of how far logs were known to reach.
enum SetAsideTable {
  static func insert(
    _ row: SalvagedRow, log: LogID, sequence: UInt64, in database: Database
  ) throws {
    try database.run(
      """
      INSERT INTO set_aside(log, sequence, name, rest, epoch, body, signature, blobs)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      """,
      [
        log.blob, sequence.column, row.name.blob, row.rest.blob, row.epoch.column { $0.blob },
        row.body.blob, row.signature.column { $0.blob },
        row.blobs.isEmpty ? .null : BlobListing.encoded(row.blobs).blob,
      ])
  }

  /// Deletes every copy of the frame with this hash, valid or not.
  static func delete(_ settled: ProcessedFrame, in database: Database) throws {
    try database.run(
      "DELETE FROM set_aside WHERE log = ? AND sequence = ? AND name = ?",
      [settled.log.blob, settled.sequence.column, settled.hash.raw.prefix.blob])
  }

  static func logs(_ database: Database) throws -> [LogID] {
    try database.all("SELECT DISTINCT log FROM set_aside ORDER BY log", of: "set_aside") {
      try $0.identifier()
    }
  }

  static func frames(
    of log: LogID, from sequence: UInt64, limit: Int, in database: Database
  ) throws -> [SalvagedFrame] {
    try database.all(
      """
      SELECT sequence, name, rest, epoch, body, signature, blobs FROM set_aside
      WHERE log = ? AND sequence >= ? ORDER BY sequence, number LIMIT ?
      """, [log.blob, sequence.column, limit.column], of: "set_aside"
    ) { columns in
      let sequence: UInt64 = try columns.integer()
      let hash = Bytes32(prefix: try columns.bytes16(), suffix: try columns.bytes16())
      return SalvagedFrame(
        log: log, sequence: sequence,
        epoch: try columns.optionalBytes16().map(EpochID.init(raw:)), body: try columns.bytes(),
        hash: FrameHash(raw: hash), signature: try columns.optionalBytes(),
        blobs: try columns.blobList())
    }
  }

  /// Raises a known head; it is never lowered.
  static func know(_ head: KnownHead, in database: Database) throws {
    try database.run(
      """
      INSERT INTO known_heads(log, certificate, sequence) VALUES (?, ?, ?)
      ON CONFLICT DO UPDATE SET sequence = max(sequence, excluded.sequence)
      """, [head.log.blob, head.certificate.blob, head.sequence.column])
  }

  /// Returns the known heads beyond what is stored.
  static func missedHeads(_ database: Database) throws -> [KnownHead] {
    try database.all(
      """
      SELECT log, certificate, sequence FROM known_heads AS known
      WHERE NOT EXISTS (
        SELECT 1 FROM logs
        WHERE known.log IN (logs.log, logs.origin) AND head_sequence >= known.sequence
      ) ORDER BY log
      """, of: "known_heads"
    ) {
      KnownHead(
        log: try $0.identifier(), certificate: try $0.digest(), sequence: try $0.integer())
    }
  }
}
