internal import MusterCrypto
internal import MusterModel
internal import MusterSync

/// The shared archive of any number of operations, in PostgreSQL: verified frames, insert-only.
///
///     post ── logs that it holds ──▶ `missing` ──▶ what is missing here
///     post ── frames ──▶ FrameVerifier ──▶ ArchiveBatch ──▶ `store`: COPY of what is new, heads:
///                                                          one transaction
///
/// - Frames of many posts are a union: a frame that two posts send is stored once.
/// - `heads` states how far each log is archived. It changes in the transaction of the frames: a
///   cursor that all posts share, so that an interrupted post continues where the archive ends.
/// - Writers of one operation take turns, by the lock on its row. Operations do not block each
///   other.
/// - It needs no key of an epoch: bodies stay sealed.
///
/// It blocks, and belongs to one task.
public final class Archive {
  let database: DatabaseConnection
  /// The longest wait for programs that store frames of the same operation; nil for no limit.
  let lockPatience: Duration?

  /// Connects to an archive, and creates its tables in an empty database. Throws `ArchiveFault`.
  ///
  /// - Parameter url: `postgres://USER@HOST/DATABASE`.
  public convenience init(at url: String) throws { try self.init(at: url, lockPatience: nil) }

  init(at url: String, lockPatience: Duration?) throws {
    self.lockPatience = lockPatience
    database = try DatabaseConnection(to: url)
    try ArchiveSchema.prepare(database)
  }

  /// Whether the connection can be used.
  var isConnected: Bool { database.isUsable }

  // MARK: Reading

  /// Returns what of a post's logs is missing here; nil if nothing is.
  ///
  /// - Parameter isWhole: whether strands are requested from their beginnings, as after a rejected
  ///   attempt to continue one.
  func missing(
    of held: [LogState], in operation: OperationID, isWhole: Bool
  ) throws -> BundleSelection? {
    let heads = try heads(of: operation)
    var starts: [BundleSelection.Start] = []
    var hasControl = false
    let blobs = try missingBlobs(of: operation)
    let candidates = held.filter { heads[$0.log]?.tips[$0.hash] == nil }
    let archived = try self.archived(candidates.map(FrameName.init), in: operation)
    for state in candidates where !archived.contains(state.hash) {
      // The newest archived frame before the post's; of another branch, if the run does not fit.
      let tips = heads[state.log]?.tips.values.filter {
        $0 < state.last && $0 >= state.first
      }
      let last = isWhole ? nil : tips?.max()
      // A strand then begins with the frames before it that only it proves.
      starts.append(.init(log: state.strand, first: last.map { $0 + 1 } ?? 0))
      hasControl = hasControl || state.lane == .control
    }
    guard !starts.isEmpty || !blobs.isEmpty else { return nil }
    // A new epoch, or a new device that may have its key, is announced in a control log.
    return BundleSelection(logs: starts, includesKeys: hasControl, blobs: blobs)
  }

  /// Returns the hashes of those frames that are stored. Each is looked up in the index: a join is
  /// planned as a scan of the whole table as long as nothing is known about it.
  func archived(_ names: [FrameName], in operation: OperationID) throws -> Set<FrameHash> {
    var found: Set<FrameHash> = []
    for start in stride(from: 0, to: names.count, by: 1000) {
      let some = names[start..<min(start + 1000, names.count)]
      let rows = try database.run(
        """
        SELECT f.hash FROM unnest($2::bytea[], $3::bigint[], $4::bytea[]) AS s(log, sequence, hash)
        CROSS JOIN LATERAL (
          SELECT hash FROM frames WHERE operation = $1 AND log = s.log AND sequence = s.sequence
            AND hash = s.hash LIMIT 1) AS f
        """,
        [
          .bytes(operation.bytes), .list(some.map(\.log.bytes)), .integers(some.map(\.sequence)),
          .list(some.map(\.hash.bytes)),
        ])
      found.formUnion(rows.compactMap { FrameHash(bytes: $0.bytes(0)) })
    }
    return found
  }

  /// Returns the heads of all logs of an operation, or of some.
  func heads(
    of operation: OperationID, logs: [LogID]? = nil
  ) throws -> [LogID: BranchHeads] {
    let rows = try database.run(
      """
      SELECT log, sequence, hash, is_fork FROM heads
      WHERE operation = $1 AND ($2::bytea[] IS NULL OR log = ANY($2::bytea[]))
      """, [.bytes(operation.bytes), logs.map { .list($0.map(\.bytes)) } ?? .null])
    var heads: [LogID: BranchHeads] = [:]
    for row in rows {
      guard let log = LogID(bytes: row.bytes(0)), let hash = FrameHash(bytes: row.bytes(2)) else {
        throw Self.damaged
      }
      heads[log, default: BranchHeads()].add(
        hash, at: row.unsigned(1), isFork: row.integer(3) != 0)
    }
    return heads
  }

  /// Returns the verifier of an operation, with what is archived of it.
  func verifier(of operation: OperationID, rootKey: VerifyingKey) throws -> FrameVerifier {
    let id = SQLValue.bytes(operation.bytes)
    var certificates = KnownCertificates(operation: operation, rootKey: rootKey)
    var waiting: [SignedCertificate] = []
    for row in try database.run(
      "SELECT content, signature FROM certificates WHERE operation = $1", [id])
    {
      waiting.append(try SignedCertificate(content: row.bytes(0), signature: row.bytes(1)))
    }
    // An issuer before those that it certified: as many rounds as a chain has certificates.
    for _ in 0..<Limits.certificateChain {
      waiting.removeAll { certificates.add($0, isStored: true) }
    }
    var verifier = FrameVerifier(operation: operation, certificates: certificates)
    for row in try database.run(
      "SELECT f.log, f.body FROM logs l JOIN frames f USING (operation, log) "
        + "WHERE l.operation = $1 AND f.sequence = 0", [id])
    {
      guard let log = LogID(bytes: row.bytes(0)) else { throw Self.damaged }
      verifier.know(log, openedBy: try Opening(decoding: row.bytes(1)))
    }
    for (log, heads) in try heads(of: operation) {
      for tip in heads.tips.keys { verifier.know(tip: tip, of: log) }
    }
    for listing in try listings(of: operation) { verifier.know(listing) }
    return verifier
  }

  static var damaged: ArchiveFault {
    ArchiveFault(
      "the archive contains values that this program did not write: restore the database from a "
        + "backup, or create a new one and import again")
  }
}
