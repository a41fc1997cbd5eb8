internal import MusterCrypto
public import MusterModel
internal import MusterStore

/// What is read of a replica: snapshots, each answered by read models (`ReadModels/`), and what is
/// derived from all that is held and kept from call to call.
extension Replica {
  /// The queries of what is held now.
  public var queries: Queries { core.queries }

  /// Brings the statuses up to date: what has changed since the last call is read and assessed
  /// again, and whose time has come.
  public mutating func refreshStatuses(now: ClockReading) throws {
    try StatusQueries.refresh(&core, now: now)
  }

  /// Returns the queries about people, orders and check-ins, with the statuses at `now`.
  public mutating func statuses(now: ClockReading) throws -> StatusQueries {
    try StatusQueries(of: &core, now: now)
  }

  /// When time alone may next change a status: a check-in is due, or an order's deadline passes.
  /// Nil before the first review.
  public func nextStatusChange(now: ClockReading) -> Instant? {
    core.derived.statusModel.nextChange.map { next in
      now.instant.advanced(byMilliseconds: max(0, next - core.records.ages.reading(now)))
    }
  }

  /// The most copies of `withSnapshot` at the same time.
  public static var mostSnapshots: Int { Store.mostSnapshots }

  /// Passes a copy of this replica to `body`, on another thread, beside later calls: the copy has
  /// what is held and committed now, and cannot write.
  ///
  /// The statuses are brought up to date before, so that no copy repeats that. `body` is called
  /// once, unless this call throws. The caller MUST keep `mostSnapshots`.
  ///
  /// - Parameter body: MUST NOT wait for the caller's queue.
  public mutating func withSnapshot(
    now: ClockReading, _ body: @escaping @Sendable (Result<Replica, any Error>) -> Void
  ) throws {
    try refreshStatuses(now: now)
    let replica = self
    core.store.withSnapshot { snapshot in
      body(
        Result {
          var copy = replica
          copy.core.read(try snapshot.get())
          return copy
        })
    }
  }

  /// Whether a person with a device of their own has a callsign, as far as the last review of the
  /// statuses knows.
  ///
  /// - Parameter name: in lower case.
  public func hasUser(called name: String) -> Bool {
    core.derived.statusModel.people.contains { person in
      !person.identity.isTracker && person.callsign?.lowercased() == name
    }
  }

  // MARK: The whole state

  /// Counts and hashes what is held; the node fills in `rejected` and `diskFreeBytes`.
  public mutating func status(now: ClockReading) throws -> StatusSummary {
    let (hash, root) = (try stateHash(), root())
    return try StatusReport(
      context: core.context, engine: core.engine, stateHash: hash, root: root,
      epoch: core.currentEpoch?.id,
      missing: core.queries.missingFrames(),
      stateFolderProblem: core.recovery.home.stateFolderProblem,
      excess: core.derived.excess
    ).summary(now: now)
  }

  /// The first eight bytes of each set's root: equal on replicas that hold the same.
  public mutating func root() -> [UInt8] { core.engine.rootBytes() }

  /// Returns the state hash. The first call reads every row and crossing; later ones read only
  /// changed leaves.
  public mutating func stateHash() throws -> StateHash {
    try core.derived.stateHash(of: core.store, control: core.control.outcomeHash())
  }

  /// Verifies every hash, chain and signature of the log, rebuilds the view from it in an in-memory
  /// store, and compares. Changes nothing, except that a wrong view is rebuilt at the next start.
  /// An unreadable log does not prevent the verification of the others.
  public mutating func verify() throws -> VerificationReport {
    let (report, correction) = try examine()
    try commit(correction)
    return report
  }

  /// What the next start repairs.
  public struct Correction: Sendable {
    fileprivate let batch: Batch
  }

  /// Verifies like `verify`, and changes nothing: also of a snapshot.
  public mutating func examine() throws -> (VerificationReport, Correction) {
    let (report, batch) = try LogVerification(
      context: core.context, keyring: core.epochKeys.keyring
    ).report(outcome: core.control.outcomeHash())
    return (report, Correction(batch: batch))
  }

  /// Stores what `examine` found: the next start rebuilds a wrong view, and fetches damaged parts
  /// of photos again.
  public func commit(_ correction: Correction) throws {
    _ = try core.store.commit(correction.batch)
  }

  /// Returns a hash of a row's writes, including values that are not shown, and writes of earlier
  /// commands in the same transaction.
  public mutating func version(of key: RowKey, now: ClockReading) throws -> String {
    let state = try WriteGroup.settled(key.kind, key.id, in: &core, now: now)
    return Hex.encode(Blake2b.hash128(state.encoded()).bytes)
  }

  /// Returns the number of commits that changed a row, counting a write of earlier commands in the
  /// same transaction. Throws `Refusal` for an unknown row.
  public mutating func syncVersion(of key: RowKey, now: ClockReading) throws -> Int64 {
    let state = try WriteGroup.settled(key.kind, key.id, in: &core, now: now)
    let stored = try SyncedSet(key.kind).flatMap { try core.queries.change(of: key.id, in: $0) }
    return (stored?.version ?? 0) + (try core.store.row(key) == state ? 0 : 1)
  }
}
