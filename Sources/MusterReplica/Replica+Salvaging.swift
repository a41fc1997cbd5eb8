internal import MusterModel
public import MusterStore
internal import MusterSync

/// A database that is damaged gives way to a new one, made of what can be read of it.
extension Replica {
  /// What is wrong with a database that is not open; nil when all of it is as it was written. What
  /// was yet to be written into it from its log is written.
  ///
  /// - Parameter seed: 32 bytes for nonces, used nowhere else.
  public static func problem(
    ofDatabaseAt path: String, of credentials: Credentials, seed: [UInt8]
  ) throws(StoreError) -> String? {
    try Store.problem(ofDatabaseAt: path, seal: credentials.pageSeal(seed: seed))
  }

  /// What a call found damaged, if that is why it failed.
  public static func damage(in error: any Error) -> String? {
    if case .corrupt(let detail)? = error as? StoreError { detail } else { nil }
  }

  /// Fills a new database with what can be read of a damaged one: frames wait there to be verified
  /// again when a replica opens it, which MUST begin a new life, since nobody can tell whether the
  /// newest of its own frames are among them.
  ///
  /// - Parameters:
  ///   - path: of the damaged database, which nobody may have open.
  ///   - newPath: where nothing is.
  ///   - witnessed: what the sentinel remembers.
  ///   - seed: 32 bytes for nonces, used nowhere else.
  public static func salvage(
    _ path: String, into newPath: String, credentials: Credentials, witnessed: Life?,
    seed: [UInt8]
  ) throws(StoreError) -> Salvage.Findings {
    let operation = credentials.local.operation
    let judge = Salvage.Judge(
      opened: { log(openedBy: $0, operation: operation) },
      isKey: { EpochID(operation: operation, key: $0.key.bytes) == $0.id })
    let seal = credentials.pageSeal(seed: seed)
    let store = try Store.open(path: newPath, seal: seal)
    let findings = try Salvage(path: path, seal: seal, judge: judge).fill(
      store, forgetting: [incarnationKey, generationKey, viewKey],
      known: witnessed.map { heads(of: $0, credentials: credentials) } ?? [])
    try store.close()
    return findings
  }

  /// Lets go of the database; nothing else may be asked of this replica after.
  public func close() throws(StoreError) { try store.close() }

  /// Keeps how far this device's own logs came in a life that the database may not know in full,
  /// so that what is missing can be named.
  public static func know(
    _ life: Life, in store: Store, of credentials: Credentials
  ) throws(StoreError) {
    try store.know(heads(of: life, credentials: credentials))
  }

  private static func heads(of life: Life, credentials: Credentials) -> [KnownHead] {
    let local = credentials.local
    return life.sequences.sorted { $0.key.rawValue < $1.key.rawValue }.map { lane, sequence in
      let opening = Opening(
        certificate: local.certificate.hash, incarnation: life.incarnation,
        generation: life.generation, lane: lane)
      return KnownHead(
        log: LogID(operation: local.operation, opening: opening),
        certificate: opening.certificate, sequence: sequence)
    }
  }

  /// Nil for a frame that is not whole, or is no opening.
  static func log(openedBy loose: LooseFrame, operation: OperationID) -> LogID? {
    guard let opening = opening(of: loose) else { return nil }
    let log = LogID(operation: operation, opening: opening)
    var frame = loose.following(.none)
    frame.log = log
    return frame.computedHash(operation: operation) == frame.hash ? log : nil
  }

  static func opening(of loose: LooseFrame) -> Opening? {
    guard loose.epoch == nil else { return nil }
    do {
      return try Opening(decoding: loose.body)
    } catch {
      return nil
    }
  }
}
