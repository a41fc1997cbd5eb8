internal import MusterModel
public import MusterStore
internal import MusterSync

/// The database file of a replica, before and after a replica uses it: opened, checked, and
/// replaced after damage by a new one with the readable data.
public enum ReplicaDatabase {
  /// Opens or creates the database file of a replica.
  ///
  /// - Parameter seed: 32 bytes for the nonces of its pages, used nowhere else.
  public static func open(
    at path: String, of credentials: Credentials, seed: [UInt8]
  ) throws(StoreError) -> Store {
    try Store.open(path: path, seal: credentials.pageSeal(seed: seed))
  }

  /// Returns the incarnation that last wrote to a store; nil before the first.
  public static func incarnationState(
    in store: Store, of credentials: Credentials
  ) throws(StoreError) -> Replica.IncarnationState? {
    try OwnDevice.incarnationState(in: store, of: credentials.local)
  }

  /// Returns the damage of a closed database; nil if it is intact. Completes writes from its
  /// write-ahead log.
  ///
  /// - Parameter seed: 32 bytes for nonces, used nowhere else.
  public static func problem(
    at path: String, of credentials: Credentials, seed: [UInt8]
  ) throws(StoreError) -> String? {
    try Store.problem(ofDatabaseAt: path, seal: credentials.pageSeal(seed: seed))
  }

  /// Returns the damage that a call detected, if that is why it failed.
  public static func damage(in error: any Error) -> String? {
    if case .corrupt(let detail)? = error as? StoreError { detail } else { nil }
  }

  /// Fills a new database with the readable data of a damaged one. Its frames are verified again
  /// when a replica opens it, which MUST start a new incarnation, since the newest of its own
  /// frames may be lost.
  ///
  /// - Parameters:
  ///   - path: the damaged database, which MUST be closed.
  ///   - newPath: a path without a file.
  ///   - witnessed: the sentinel's record.
  ///   - seed: 32 bytes for nonces, used nowhere else.
  public static func salvage(
    _ path: String, into newPath: String, credentials: Credentials,
    witnessed: Replica.IncarnationState?,
    seed: [UInt8]
  ) throws(StoreError) -> Salvage.Findings {
    let operation = credentials.local.operation
    let checks = Salvage.SalvageChecks(
      opened: { SalvagedFrames.log(openedBy: $0, operation: operation) },
      isKey: { EpochID(operation: operation, key: $0.key.bytes) == $0.id })
    let seal = credentials.pageSeal(seed: seed)
    let store = try Store.open(path: newPath, seal: seal)
    let findings = try Salvage(path: path, seal: seal, checks: checks).fill(
      store, forgetting: [OwnDevice.incarnationKey, OwnDevice.generationKey, ReplicaCore.viewKey],
      known: witnessed.map { heads(of: $0, credentials: credentials) } ?? [])
    try store.close()
    return findings
  }

  /// Records how far this device's own logs came in an incarnation that the database may not know
  /// completely, so that missing frames can be named.
  public static func know(
    _ incarnationState: Replica.IncarnationState, in store: Store, of credentials: Credentials
  ) throws(StoreError) {
    try store.know(heads(of: incarnationState, credentials: credentials))
  }

  private static func heads(
    of incarnationState: Replica.IncarnationState, credentials: Credentials
  ) -> [KnownHead] {
    let local = credentials.local
    return incarnationState.sequences.sorted { $0.key.rawValue < $1.key.rawValue }.map {
      lane, sequence in
      let opening = Opening(
        certificate: local.certificate.hash, incarnation: incarnationState.incarnation,
        generation: incarnationState.generation, lane: lane)
      return KnownHead(
        log: LogID(operation: local.operation, opening: opening),
        certificate: opening.certificate, sequence: sequence)
    }
  }
}
