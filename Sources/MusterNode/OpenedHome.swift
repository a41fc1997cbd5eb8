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
  /// What was wrong with the database and what was done about it, in one line for the person; nil
  /// when all was well.
  public private(set) var repairRemark: String?
  private let lock: HomeLock
  private var sentinel: SentinelFiles
  private var holdingsFile: HoldingsFile
  /// What is kept of the holdings, and when that was looked at last.
  private var keptHoldings: Holdings?
  private var keptHoldingsAt: Instant?
  private var database: DatabaseIdentity

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
    try self.init(home, lock: lock, credentials: credentials, enrolled: nil)
  }

  /// - Parameter enrolled: which turn of enrolling the device this is; nil where that was done
  ///   before, so that there must be a database.
  init(
    _ home: NodeHome, lock: HomeLock, credentials: Credentials, enrolled turn: UnfinishedHome.Turn?
  ) throws {
    self.home = home
    self.lock = lock
    self.credentials = credentials
    var sentinel = SentinelFiles(home, device: credentials.device)
    var holdings = HoldingsFile(directory: home.stateDirectory, credentials: credentials)
    let witness = Witness(
      sentinel: sentinel.read(), holdings: Self.holdings(in: &holdings, of: credentials))
    self.sentinel = sentinel
    holdingsFile = holdings
    keptHoldings = witness.holdings
    let taken: Taken
    do {
      taken = try Self.take(home, credentials, witness, enrolled: turn, known: nil)
    } catch {
      guard let detail = Replica.damage(in: error) else { throw error }
      // Its pages are as they were written, and yet it makes no sense.
      taken = try Self.take(home, credentials, witness, enrolled: turn, known: detail)
    }
    replica = taken.replica
    database = taken.database
    newLifeReason = taken.newLifeReason
    repairRemark = taken.repairRemark
    try writeSentinel()
  }

  /// A database taken up.
  private struct Taken {
    let replica: Replica
    let database: DatabaseIdentity
    var newLifeReason: String?
    let repairRemark: String?
  }

  /// What is kept outside the home of a database.
  private struct Witness {
    let sentinel: Sentinel.Reading
    let holdings: Holdings?
  }

  /// What cannot be read is as good as missing: then less can be said of what damage took.
  private static func holdings(
    in file: inout HoldingsFile, of credentials: Credentials
  ) -> Holdings? {
    do {
      return try file.read(of: credentials)
    } catch {
      return nil
    }
  }

  private static func take(
    _ home: NodeHome, _ credentials: Credentials, _ witness: Witness,
    enrolled turn: UnfinishedHome.Turn?, known damage: String?
  ) throws -> Taken {
    let found = witness.sentinel
    var witnessed: Replica.Life?
    if case .found(let kept) = found { witnessed = kept.life }
    let remark = try DatabaseRepair(home, credentials: credentials, witnessed: witnessed)
      .run(isExpected: turn == nil, known: damage)
    let store = try Replica.openStore(
      at: home.databasePath, of: credentials, seed: systemSeed())
    do {
      let database = try DatabaseIdentity.of(path: home.databasePath)
      let life = try Replica.life(in: store, of: credentials)
      if let holdings = witness.holdings { try Replica.know(holdings, in: store) }
      let verdict = Sentinel.verdict(
        found, databaseIncarnation: life?.incarnation, databaseSequences: life?.sequences ?? [:],
        databaseIdentity: database)
      var start = Replica.Start.goesOn
      var newLifeReason: String?
      if case .newIncarnation(let reason) = verdict {
        start = .beginsAnew(above: witnessed?.generation ?? 0)
        newLifeReason = life == nil ? nil : reason
        if let witnessed, turn != .again {
          try Replica.know(witnessed, in: store, of: credentials)
        }
      }
      let replica = try Replica(
        store: store, credentials: credentials, start: start, seed: systemSeed(),
        systemBoot: SystemClock.systemBoot, now: SystemClock.reading)
      return Taken(
        replica: replica, database: database, newLifeReason: newLifeReason, repairRemark: remark)
    } catch {
      // Whoever tries again opens it anew.
      try store.close()
      throw error
    }
  }

  /// Puts a new database in the place of one that was found damaged while it was in use. What was
  /// not durable is forgotten, as after a crash.
  mutating func mend(_ damage: String) throws {
    try replica.close()
    let witness = Witness(
      sentinel: sentinel.read(), holdings: Self.holdings(in: &holdingsFile, of: credentials))
    let taken = try Self.take(home, credentials, witness, enrolled: nil, known: damage)
    (replica, database) = (taken.replica, taken.database)
    repairRemark = taken.repairRemark
    try writeSentinel()
  }

  /// Why the state folder cannot be written, and what to do, in one line; nil while it can.
  public var stateFolderProblem: String? { sentinel.problem }

  /// Keeps outside the home how far this database has come. After every commit. Where the state
  /// folder cannot be written, a substitute in the home keeps it, and `stateFolderProblem` says so.
  public mutating func writeSentinel() throws(HomeError) {
    defer { replica.stateFolderProblem = sentinel.problem }
    let life = replica.life
    try sentinel.write(
      Sentinel(
        incarnation: life.incarnation, generation: life.generation, sequences: life.sequences,
        database: database))
  }

  private static let holdingsEveryMilliseconds: Int64 = 60_000

  /// Keeps outside the home how far each log is held, a minute after it was kept last at the
  /// soonest, so that no commit is slower for it. After a commit, never within one.
  mutating func writeHoldingsIfDue(now: Instant) throws {
    if let last = keptHoldingsAt, now.milliseconds(since: last) < Self.holdingsEveryMilliseconds {
      return
    }
    // Whether it succeeds or not: a disk that fails must not be tried with each commit.
    keptHoldingsAt = now
    try writeHoldings()
  }

  /// Keeps them now, if they are others than before.
  mutating func writeHoldings() throws {
    let holdings = try replica.holdings()
    // A state folder that cannot be written is reported once, by the sentinel.
    guard holdings != keptHoldings, stateFolderProblem == nil else { return }
    try holdingsFile.write(holdings, of: credentials)
    keptHoldings = holdings
  }
}

/// Why a node could not be opened, in one line that says what to do.
public enum NodeError: Error, Hashable, Sendable, CustomStringConvertible {
  case notEnrolled(String)
  case alreadyEnrolled(String)
  case refused(String)
  case noAnswer(String)
  case changed(String)
  case stopped

  /// For the terminal.
  public var description: String {
    switch self {
    case .notEnrolled(let path):
      "\(path) belongs to no operation yet: begin one with 'muster init', or 'muster join' one"
    case .alreadyEnrolled(let path):
      "\(path) belongs to an operation already: choose another --home"
    case .refused(let reason), .noAnswer(let reason), .changed(let reason): reason
    case .stopped: "the node has stopped"
    }
  }
}
