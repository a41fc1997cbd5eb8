internal import Foundation
internal import MusterModel
public import MusterReplica

/// A home with its lock taken, its keys read and its replica open: what a node runs on, and what a
/// command works on where no node is running.
public struct OpenedHome {
  /// Locked for this process for as long as this value lives.
  public let home: NodeHome
  /// Whoever changes it calls `writeSentinel` after each commit.
  public var replica: Replica
  /// What the key file held, kept in memory until the process ends.
  public let credentials: Credentials
  /// Why this start began a new life of the database; nil when it went on.
  public let newLifeReason: String?
  private let lock: HomeLock
  private let sentinel: SentinelFile
  private let database: DatabaseIdentity

  /// Opens a home that a device was enrolled in.
  ///
  /// - Parameter passphrase: asked for only when the key file is wrapped.
  public init(_ home: NodeHome, passphrase: () throws -> [UInt8]) throws {
    guard home.exists else { throw NodeError.notEnrolled(home.path) }
    try home.create()
    let lock = try HomeLock(home)
    let bytes = try home.keys.read(NodeHome.deviceKeyName)
    let words = SecretFile.deviceKey.isWrapped(bytes) ? try passphrase() : nil
    let credentials = try Credentials(keyFile: bytes, passphrase: words)
    try UnfinishedHome(home).finish()
    try self.init(home, lock: lock, credentials: credentials)
  }

  init(_ home: NodeHome, lock: HomeLock, credentials: Credentials) throws {
    self.home = home
    self.lock = lock
    self.credentials = credentials
    let store = try Replica.openStore(at: home.databasePath)
    database = try DatabaseIdentity.of(path: home.databasePath)
    sentinel = SentinelFile(directory: home.stateDirectory, device: credentials.device)
    let life = try Replica.life(in: store, of: credentials)
    let found = try sentinel.read()
    let verdict = Sentinel.verdict(
      found, databaseIncarnation: life?.incarnation, databaseSequences: life?.sequences ?? [:],
      databaseIdentity: database)
    var start = Replica.Start.goesOn
    switch verdict {
    case .same: newLifeReason = nil
    case .newIncarnation(let reason):
      var above: UInt32 = 0
      if case .found(let kept) = found { above = kept.generation }
      start = .beginsAnew(above: above)
      newLifeReason = life == nil ? nil : reason
    }
    replica = try Replica(
      store: store, credentials: credentials, start: start, seed: systemSeed(),
      now: SystemClock.reading)
    try writeSentinel()
  }

  /// Keeps outside the home how far this database has come. After every commit.
  public func writeSentinel() throws(HomeError) {
    let life = replica.life
    try sentinel.write(
      Sentinel(
        incarnation: life.incarnation, generation: life.generation, sequences: life.sequences,
        database: database))
  }
}

/// Why a node could not be opened, in one line that says what to do.
public enum NodeError: Error, Hashable, Sendable, CustomStringConvertible {
  case notEnrolled(String)
  case alreadyEnrolled(String)
  case refused(String)
  case noAnswer(String)

  /// For the terminal.
  public var description: String {
    switch self {
    case .notEnrolled(let path):
      "\(path) belongs to no operation yet: begin one with 'muster init', or 'muster join' one"
    case .alreadyEnrolled(let path):
      "\(path) belongs to an operation already: choose another --home"
    case .refused(let reason), .noAnswer(let reason): reason
    }
  }
}
