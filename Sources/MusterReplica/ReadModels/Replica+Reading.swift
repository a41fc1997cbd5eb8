internal import MusterCrypto
public import MusterModel
internal import MusterStatus
internal import MusterStore

/// What is read of a replica: snapshots, each answered by read models (`ReadModels/`), and what is
/// derived from all that is held and kept from call to call.
extension Replica {
  /// What the read models read, now.
  var context: ReadContext {
    ReadContext(
      store: store, local: local, control: control, received: records.received,
      uncommitted: transaction.writeGroup?.rows ?? [:])
  }

  /// The queries of what is held now.
  public var queries: Queries {
    Queries(
      context: context, engine: engine, epochKeys: epochKeys, monitor: location.monitor,
      photoKeeper: derived.photos, excessCheckIns: derived.checkIns.excess,
      heads: own.writer.heads)
  }

  // MARK: Statuses

  /// Brings the statuses up to date: what has changed since the last call is read and assessed
  /// again, and whose time has come.
  public mutating func refreshStatuses(now: ClockReading) throws {
    let reader = StatusReader(
      context: context, ages: ageReader(at: now), underDuress: derived.duress.people)
    // The saved dates of reports, once after each start.
    if !derived.checkIns.isRestored {
      let store = store
      try derived.checkIns.restore(at: records.ages.reading(now), wall: now.wall, boot: own.boot) {
        name throws(StoreError) in try store.local(name)
      }
    }
    try reader.refresh(
      &derived.statusModel, checkIns: &derived.checkIns, zones: &location.monitor,
      dated: records.takeDated(), telemetry: records.telemetry)
  }

  /// Returns the queries about people, orders and check-ins, with the statuses at `now`.
  public mutating func statuses(now: ClockReading) throws -> StatusQueries {
    try refreshStatuses(now: now)
    return StatusQueries(
      context: context, ages: ageReader(at: now), statuses: derived.statusModel,
      checkInBoard: derived.checkIns, zones: try location.monitor.zones(in: store),
      telemetry: records.telemetry)
  }

  func ageReader(at now: ClockReading) -> AgeReader {
    AgeReader(context: context, ages: records.ages, now: now)
  }

  /// When time alone may next change a status: a check-in is due, or an order's deadline passes.
  /// Nil before the first review.
  public func nextStatusChange(now: ClockReading) -> Instant? {
    derived.statusModel.nextChange.map { next in
      now.instant.advanced(byMilliseconds: max(0, next - records.ages.reading(now)))
    }
  }

  // MARK: The whole state

  /// Counts and hashes what is held; the node fills in `rejected` and `diskFreeBytes`.
  public mutating func status(now: ClockReading) throws -> StatusSummary {
    let (hash, root) = (try stateHash(), root())
    return try StatusReport(
      context: context, engine: engine, stateHash: hash, root: root, epoch: currentEpoch?.id,
      missing: queries.missingFrames(), stateFolderProblem: recovery.home.stateFolderProblem,
      excessCheckIns: derived.checkIns.excess
    ).summary(now: now)
  }

  /// The first eight bytes of each set's root: equal on replicas that hold the same.
  public mutating func root() -> [UInt8] { engine.rootBytes() }

  /// Returns the state hash. The first call reads every row and crossing; later ones read only
  /// changed leaves.
  public mutating func stateHash() throws -> StateHash {
    try derived.stateHash(of: store, control: control.outcomeHash())
  }

  /// Verifies every hash, chain and signature of the log, rebuilds the view from it in an in-memory
  /// store, and compares. Changes nothing, except that a wrong view is rebuilt at the next start.
  /// An unreadable log does not prevent the verification of the others.
  public mutating func verify() throws -> VerificationReport {
    let outcome = control.outcomeHash()
    return try LogVerification(context: context, keyring: epochKeys.keyring)
      .report(outcome: outcome)
  }

  /// Returns a hash of a row's writes, including values that are not shown, and writes of earlier
  /// commands in the same transaction.
  public mutating func version(of key: RowKey, now: ClockReading) throws -> String {
    let state = try settled(key.kind, key.id, now: now)
    return Hex.encode(Blake2b.hash128(state.encoded()).bytes)
  }
}
