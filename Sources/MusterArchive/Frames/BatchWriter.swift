internal import MusterCrypto
internal import MusterModel
internal import MusterSync

/// Stores batches, each in one transaction: frames, heads, certificates, evidence, keys and photos.
struct BatchWriter {
  let archive: Archive

  private var database: DatabaseConnection { archive.database }

  /// Registers an operation.
  func register(_ local: LocalDevice) throws {
    try database.run(
      """
      INSERT INTO operations (id, root_key, name) VALUES ($1, $2, $3::text)
      ON CONFLICT DO NOTHING
      """,
      [
        .bytes(local.operation.bytes), .bytes(local.rootKey.raw.bytes),
        .text(local.operationName),
      ])
  }

  /// How much was stored.
  struct Stored {
    var frames = 0
    /// Units of photos.
    var units = 0
  }

  /// Stores a batch of a post, in one transaction.
  ///
  /// - Parameter post: the device whose data it is.
  /// - Returns: how much of it was new.
  func store(
    _ batch: ArchiveBatch, from post: DeviceID, in operation: OperationID
  ) throws -> Stored {
    try database.transaction {
      // A program that is stopped here must not hold the lock.
      try database.script("SET LOCAL idle_in_transaction_session_timeout = '60s'")
      if let patience = archive.lockPatience {
        try database.script("SET LOCAL lock_timeout = '\(patience.components.seconds)s'")
      }
      try database.run(
        "SELECT 1 FROM operations WHERE id = $1 FOR UPDATE", [.bytes(operation.bytes)])
      let plan = try plan(for: batch.runs, operation)
      var stored = try copy(plan.new, of: operation, into: "frames")
      var heads = plan.heads
      stored += try merge(plan.branches, &heads, operation)
      try write(heads, of: plan.changed, operation)
      try note(batch.runs.compactMap { run in run.opening.map { (run.log, $0) } }, operation)
      try add(batch.certificates, operation)
      try add(batch.evidence, operation)
      try add(batch.keys, from: post, operation)
      let units = try add(batch.units, operation)
      try count(batch, stored: stored, of: post, operation)
      // Nothing but counters changes for a post that sends what another one has sent: a power
      // failure of the server may lose them, and they need not wait for its disk.
      if stored == 0, batch.hasOnlyFrames {
        try database.script("SET LOCAL synchronous_commit = off")
      }
      return Stored(frames: stored, units: units)
    }
  }

  // MARK: Frames

  /// Compares a batch with the heads. The lock on the operation's row makes what is read here
  /// current.
  private func plan(for runs: [VerifiedRun], _ operation: OperationID) throws -> StorePlan {
    let heads = try archive.heads(of: operation, logs: Set(runs.map(\.log)).sorted())
    let plan = StorePlan(runs, after: heads)
    guard !plan.branches.isEmpty else { return plan }
    let stored = try archive.archived(
      plan.branches.compactMap { run in run.frames.last.map(FrameName.init) }, in: operation)
    return stored.isEmpty ? plan : StorePlan(runs, after: heads, stored: stored)
  }

  /// Copies frames into a table.
  ///
  /// - Returns: how many there are.
  private func copy(
    _ frames: [Frame], of operation: OperationID, into table: String
  ) throws -> Int {
    guard !frames.isEmpty else { return 0 }
    return try database.copy(
      """
      COPY \(table) (operation, log, sequence, hash, previous, epoch, blob_list, body, signature)
      FROM STDIN (FORMAT binary)
      """, frames
    ) { frame, rows in
      rows.beginRow(columns: 9)
      rows.append(column: operation.raw)
      rows.append(column: frame.log.raw)
      rows.append(column: Int64(frame.sequence))
      rows.append(column: frame.hash.raw)
      rows.append(column: frame.previous.raw)
      rows.append(column: frame.epoch?.bytes)
      rows.append(column: frame.blobs.isEmpty ? nil : BlobListing.encoded(frame.blobs))
      rows.append(column: frame.body)
      rows.append(column: frame.signature)
    }
  }

  /// Stores runs of which a part may be stored.
  ///
  /// - Parameter heads: changed as they follow from all stored frames.
  /// - Returns: how many frames were new.
  private func merge(
    _ runs: [VerifiedRun], _ heads: inout [LogID: BranchHeads], _ operation: OperationID
  ) throws -> Int {
    guard !runs.isEmpty else { return 0 }
    try database.script(
      """
      CREATE TEMPORARY TABLE IF NOT EXISTS staged (
        operation bytea, log bytea, sequence bigint, hash bytea, previous bytea, epoch bytea,
        blob_list bytea, body bytea, signature bytea) ON COMMIT DELETE ROWS
      """)
    _ = try copy(runs.flatMap(\.frames), of: operation, into: "staged")
    let stored = try database.change(
      """
      INSERT INTO frames (operation, log, sequence, hash, previous, epoch, blob_list, body,
        signature) SELECT * FROM staged ON CONFLICT DO NOTHING
      """)
    for run in runs {
      heads[run.log, default: BranchHeads()].settle(run, among: try names(around: run, operation))
    }
    return stored
  }

  private func write(
    _ heads: [LogID: BranchHeads], of changed: Set<LogID>, _ operation: OperationID
  ) throws {
    guard !changed.isEmpty else { return }
    let logs = changed.sorted()
    let all = logs.flatMap { log in
      let branches = heads[log] ?? BranchHeads()
      return branches.tips.map { (log, $0.value, $0.key, false) }
        + branches.forks.map { (log, $0.value, $0.key, true) }
    }
    let id = SQLValue.bytes(operation.bytes)
    try database.run(
      "DELETE FROM heads WHERE operation = $1 AND log = ANY($2::bytea[])",
      [id, .list(logs.map(\.bytes))])
    try database.run(
      """
      INSERT INTO heads
      SELECT $1::bytea, * FROM unnest($2::bytea[], $3::bigint[], $4::bytea[], $5::boolean[])
      """,
      [
        id, .list(all.map(\.0.bytes)), .integers(all.map(\.1)), .list(all.map(\.2.bytes)),
        .booleans(all.map(\.3)),
      ])
  }

  private func names(around run: VerifiedRun, _ operation: OperationID) throws -> [HeldName] {
    guard let first = run.frames.first, let last = run.frames.last else { return [] }
    return try database.run(
      """
      SELECT sequence, hash, previous FROM frames
      WHERE operation = $1 AND log = $2 AND sequence BETWEEN $3::bigint AND $4::bigint
      """,
      [
        .bytes(operation.bytes), .bytes(run.log.bytes),
        .unsigned(first.sequence > 0 ? first.sequence - 1 : 0), .unsigned(last.sequence + 1),
      ]
    ).map { row in
      guard let hash = FrameHash(bytes: row.bytes(1)), let previous = FrameHash(bytes: row.bytes(2))
      else { throw Archive.damaged }
      return HeldName(sequence: row.unsigned(0), hash: hash, previous: previous)
    }
  }

  // MARK: The rest

  private func count(
    _ batch: ArchiveBatch, stored: Int, of post: DeviceID, _ operation: OperationID
  ) throws {
    try database.run(
      """
      INSERT INTO posts VALUES ($1, $2, $3::bigint, $4::bigint, $5::bigint, now())
      ON CONFLICT (operation, device) DO UPDATE SET offered = posts.offered + excluded.offered,
        stored = posts.stored + excluded.stored, refused = posts.refused + excluded.refused,
        last_at = excluded.last_at
      """,
      [
        .bytes(operation.bytes), .bytes(post.bytes), .integer(Int64(batch.offered)),
        .integer(Int64(stored)), .integer(Int64(batch.refused)),
      ])
  }

  private func add(_ units: [BlobUnit], _ operation: OperationID) throws -> Int {
    guard !units.isEmpty else { return 0 }
    try database.script(
      """
      CREATE TEMPORARY TABLE IF NOT EXISTS staged_units (LIKE units) ON COMMIT DELETE ROWS
      """)
    _ = try database.copy("COPY staged_units FROM STDIN (FORMAT binary)", units) { unit, rows in
      rows.beginRow(columns: 6)
      rows.append(column: operation.raw)
      rows.append(column: unit.blob.raw)
      rows.append(column: Int64(unit.number))
      rows.append(column: Int64(unit.length))
      rows.append(column: unit.path.flatMap(\.bytes))
      rows.append(column: unit.bytes)
    }
    return try database.change(
      "INSERT INTO units SELECT * FROM staged_units ON CONFLICT DO NOTHING")
  }

  private func add(_ evidence: [EvidenceItem], _ operation: OperationID) throws {
    for item in evidence {
      try database.run(
        "INSERT INTO evidence VALUES ($1, $2, $3::smallint, $4) ON CONFLICT DO NOTHING",
        [
          .bytes(operation.bytes), .bytes(item.id.bytes), .integer(Int64(item.kind.rawValue)),
          .bytes(item.content),
        ])
    }
  }

  private func note(_ openings: [(log: LogID, opening: Opening)], _ operation: OperationID) throws {
    guard !openings.isEmpty else { return }
    try database.run(
      """
      INSERT INTO logs SELECT $1::bytea, * FROM unnest($2::bytea[], $3::bytea[], $4::smallint[])
      ON CONFLICT DO NOTHING
      """,
      [
        .bytes(operation.bytes), .list(openings.map(\.log.bytes)),
        .list(openings.map(\.opening.certificate.bytes)),
        .integers(openings.map { UInt64($0.opening.lane.rawValue) }),
      ])
  }

  private func add(_ certificates: [SignedCertificate], _ operation: OperationID) throws {
    guard !certificates.isEmpty else { return }
    try database.run(
      """
      INSERT INTO certificates
      SELECT $1::bytea, * FROM unnest($2::bytea[], $3::bytea[], $4::bytea[])
      ON CONFLICT DO NOTHING
      """,
      [
        .bytes(operation.bytes), .list(certificates.map(\.hash.bytes)),
        .list(certificates.map(\.content)), .list(certificates.map(\.signature.bytes)),
      ])
  }

  private func add(
    _ keys: [BundledKey], from post: DeviceID, _ operation: OperationID
  ) throws {
    guard !keys.isEmpty else { return }
    try database.run(
      """
      INSERT INTO keys (operation, epoch, device, box, post)
      SELECT $1::bytea, *, $5::bytea FROM unnest($2::bytea[], $3::bytea[], $4::bytea[])
      ON CONFLICT DO NOTHING
      """,
      [
        .bytes(operation.bytes), .list(keys.map(\.epoch.bytes)), .list(keys.map(\.device.bytes)),
        .list(keys.map(\.box)), .bytes(post.bytes),
      ])
  }
}
