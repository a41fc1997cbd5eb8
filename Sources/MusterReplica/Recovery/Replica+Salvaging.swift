internal import MusterModel
public import MusterStore
internal import MusterSync

/// Replaces a damaged database by a new one with the readable data.
extension Replica {
  /// Returns the damage of a closed database; nil if it is intact. Completes writes from its
  /// write-ahead log.
  ///
  /// - Parameter seed: 32 bytes for nonces, used nowhere else.
  public static func problem(
    ofDatabaseAt path: String, of credentials: Credentials, seed: [UInt8]
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
    _ path: String, into newPath: String, credentials: Credentials, witnessed: IncarnationState?,
    seed: [UInt8]
  ) throws(StoreError) -> Salvage.Findings {
    let operation = credentials.local.operation
    let checks = Salvage.SalvageChecks(
      opened: { SalvagedFrames.log(openedBy: $0, operation: operation) },
      isKey: { EpochID(operation: operation, key: $0.key.bytes) == $0.id })
    let seal = credentials.pageSeal(seed: seed)
    let store = try Store.open(path: newPath, seal: seal)
    let findings = try Salvage(path: path, seal: seal, checks: checks).fill(
      store, forgetting: [OwnDevice.incarnationKey, OwnDevice.generationKey, viewKey],
      known: witnessed.map { heads(of: $0, credentials: credentials) } ?? [])
    try store.close()
    return findings
  }

  /// Records how far this device's own logs came in an incarnation that the database may not know
  /// completely, so that missing frames can be named.
  public static func know(
    _ incarnationState: IncarnationState, in store: Store, of credentials: Credentials
  ) throws(StoreError) {
    try store.know(heads(of: incarnationState, credentials: credentials))
  }

  private static func heads(of incarnationState: IncarnationState, credentials: Credentials)
    -> [KnownHead]
  {
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
