internal import MusterCrypto
internal import MusterModel
internal import MusterSync

extension Archive {
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

  /// Stores a batch of a post, in one transaction.
  ///
  /// - Parameter post: the device whose data it is.
  /// - Returns: how many frames were new.
  func store(_ batch: ArchiveBatch, from post: DeviceID, in operation: OperationID) throws -> Int {
    try finish(begin(batch, from: post, in: operation))
  }

  /// A batch whose frames the server merges, while the next one is verified here.
  struct Pending {
    fileprivate let batch: ArchiveBatch
    fileprivate let post: DeviceID
    fileprivate let operation: OperationID
  }

  /// Begins the transaction of a batch. `finish` MUST follow before any other call.
  func begin(
    _ batch: ArchiveBatch, from post: DeviceID, in operation: OperationID
  ) throws -> Pending {
    try database.script(
      """
      CREATE TEMPORARY TABLE IF NOT EXISTS staged (
        operation bytea, log bytea, sequence bigint, hash bytea, previous bytea, epoch bytea,
        blob_list bytea, body bytea, signature bytea) ON COMMIT DELETE ROWS
      """)
    try database.script("BEGIN")
    do {
      try database.run(
        "SELECT 1 FROM operations WHERE id = $1 FOR UPDATE", [.bytes(operation.bytes)])
      try database.copy("COPY staged FROM STDIN (FORMAT binary)", batch.rows)
      try database.send(
        """
        INSERT INTO frames (operation, log, sequence, hash, previous, epoch, blob_list, body,
          signature) SELECT * FROM staged ON CONFLICT DO NOTHING
        """)
    } catch {
      database.rollBack()
      throw error
    }
    return Pending(batch: batch, post: post, operation: operation)
  }

  /// Completes and commits the transaction of a batch.
  ///
  /// - Returns: how many frames were new.
  func finish(_ pending: Pending) throws -> Int {
    let (batch, operation) = (pending.batch, pending.operation)
    do {
      let stored = try database.receive()
      try note(batch.runs.compactMap { run in run.opening.map { (run.log, $0) } }, operation)
      try advance(by: batch.runs, operation)
      try add(batch.certificates, operation)
      try add(batch.evidence, operation)
      try add(batch.keys, from: pending.post, operation)
      try count(batch, stored: stored, of: pending.post, operation)
      try database.script("COMMIT")
      return stored
    } catch {
      database.rollBack()
      throw error
    }
  }

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

  /// Moves the heads. The lock on the operation's row makes what is read here current.
  private func advance(by runs: [VerifiedRun], _ operation: OperationID) throws {
    let logs = Set(runs.map(\.log)).sorted()
    guard !logs.isEmpty else { return }
    var heads = try heads(of: operation, logs: logs)
    for run in runs {
      if !heads[run.log, default: BranchHeads()].extend(by: run) {
        heads[run.log]?.settle(run, among: try names(around: run, operation))
      }
    }
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
      else { throw Self.damaged }
      return HeldName(sequence: row.unsigned(0), hash: hash, previous: previous)
    }
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
