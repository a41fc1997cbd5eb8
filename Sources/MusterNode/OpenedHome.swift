internal import Foundation
internal import MusterModel
public import MusterReplica

/// A home with its lock held, its keys read and its replica open: the base of a running node, and
/// of a command without a running node.
public struct OpenedHome {
  /// Locked for this process during the lifetime of this value.
  public let home: NodeHome
  /// After each commit, the caller MUST call `writeSentinel`.
  public var replica: Replica
  /// The contents of the key file, kept in memory until the process ends.
  public let credentials: Credentials
  /// Why this start began a new incarnation; nil if it continued the previous one.
  public let newIncarnationReason: String?
  /// The damage of the database and its repair, in one line for the user; nil for an intact
  /// database.
  public private(set) var repairRemark: String?
  private let lock: HomeLock
  private var sentinel: SentinelFiles
  private var holdingsFile: FrontierFile
  /// The recorded holdings, and the time of the last check.
  private var keptHoldings: Frontier?
  private var keptHoldingsAt: Instant?
  private var database: DatabaseIdentity
  private var repairs = 0
  private static let mostRepairs = 3

  /// Opens a home in which a device is enrolled.
  ///
  /// - Parameter passphrase: called only if the key file is wrapped.
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

  /// - Parameter enrolled: which enrolment of the device this is; nil if it was enrolled before, so
  ///   that a database must exist.
  init(
    _ home: NodeHome, lock: HomeLock, credentials: Credentials, enrolled turn: UnfinishedHome.Turn?
  ) throws {
    self.home = home
    self.lock = lock
    self.credentials = credentials
    var sentinel = SentinelFiles(home, device: credentials.device)
    var holdings = FrontierFile(directory: home.stateDirectory, credentials: credentials)
    let witness = Witness(
      sentinel: sentinel.read(), holdings: Self.holdings(in: &holdings, of: credentials))
    self.sentinel = sentinel
    holdingsFile = holdings
    keptHoldings = witness.holdings
    let taken: Taken
    do {
      taken = try Self.take(home, credentials, witness, enrolled: turn, known: nil)
    } catch {
      guard let detail = ReplicaDatabase.damage(in: error) else { throw error }
      // Its pages are intact, but its contents are inconsistent.
      taken = try Self.take(home, credentials, witness, enrolled: turn, known: detail)
    }
    replica = taken.replica
    database = taken.database
    newIncarnationReason = taken.newIncarnationReason
    repairRemark = taken.repairRemark
    try writeSentinel()
  }

  /// An opened database.
  private struct Taken {
    let replica: Replica
    let database: DatabaseIdentity
    var newIncarnationReason: String?
    let repairRemark: String?
  }

  /// The records of a database outside its home.
  private struct Witness {
    let sentinel: Sentinel.Reading
    let holdings: Frontier?
  }

  /// Reads the holdings. Unreadable holdings count as missing: then less is known of lost data.
  private static func holdings(
    in file: inout FrontierFile, of credentials: Credentials
  ) -> Frontier? {
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
    var witnessed: Replica.IncarnationState?
    if case .found(let kept) = found { witnessed = kept.incarnationState }
    let remark = try DatabaseRepair(home, credentials: credentials, witnessed: witnessed)
      .run(isExpected: turn == nil, known: damage)
    let store = try ReplicaDatabase.open(
      at: home.databasePath, of: credentials, seed: systemSeed())
    do {
      let database = try DatabaseIdentity.of(path: home.databasePath)
      let incarnationState = try ReplicaDatabase.incarnationState(in: store, of: credentials)
      if let holdings = witness.holdings { try holdings.noteMissing(in: store) }
      let verdict = Sentinel.verdict(
        found, databaseIncarnation: incarnationState?.incarnation,
        databaseSequences: incarnationState?.sequences ?? [:],
        databaseIdentity: database)
      var start = Replica.Start.continues
      var newIncarnationReason: String?
      if case .newIncarnation(let reason) = verdict {
        start = .startsIncarnation(above: witnessed?.generation ?? 0)
        newIncarnationReason = incarnationState == nil ? nil : reason
        if let witnessed, turn != .again {
          try ReplicaDatabase.know(witnessed, in: store, of: credentials)
        }
      }
      let replica = try Replica(
        store: store, credentials: credentials, start: start, seed: systemSeed(),
        systemBoot: SystemClock.systemBoot, now: SystemClock.reading)
      return Taken(
        replica: replica, database: database, newIncarnationReason: newIncarnationReason,
        repairRemark: remark)
    } catch {
      // The next attempt opens it again.
      try store.close()
      throw error
    }
  }

  /// Replaces a database that was found damaged while in use. What was not durable is lost, as
  /// after a crash.
  ///
  /// Returns false without an attempt after `mostRepairs` in one run: then the disk is failing, and
  /// each repair keeps a copy of the database.
  mutating func repair(_ damage: String) throws -> Bool {
    guard repairs < Self.mostRepairs else { return false }
    repairs += 1
    try replica.close()
    let witness = Witness(
      sentinel: sentinel.read(), holdings: Self.holdings(in: &holdingsFile, of: credentials))
    let taken = try Self.take(home, credentials, witness, enrolled: nil, known: damage)
    (replica, database) = (taken.replica, taken.database)
    repairRemark = taken.repairRemark
    try writeSentinel()
    return true
  }

  /// Why the state folder cannot be written, and what to do, in one line; nil if it can.
  public var stateFolderProblem: String? { sentinel.problem }

  /// Records the state of this database outside the home. Called after every commit. If the state
  /// folder cannot be written, a substitute in the home records it, and `stateFolderProblem`
  /// reports that.
  public mutating func writeSentinel() throws(HomeError) {
    defer { replica.home.stateFolderProblem = sentinel.problem }
    let incarnationState = replica.incarnationState
    try sentinel.write(
      Sentinel(
        incarnation: incarnationState.incarnation, generation: incarnationState.generation,
        sequences: incarnationState.sequences,
        database: database))
  }

  private static let holdingsEveryMilliseconds: Int64 = 60_000

  /// Records outside the home how far each log is held, at most once a minute, so that commits stay
  /// fast. Called after a commit, never within one.
  mutating func writeHoldingsIfDue(now: Instant) throws {
    if let last = keptHoldingsAt, now.milliseconds(since: last) < Self.holdingsEveryMilliseconds {
      return
    }
    // Set on failure too: a failing disk must not be used with each commit.
    keptHoldingsAt = now
    try writeHoldings()
  }

  /// Records the holdings now, if they changed.
  mutating func writeHoldings() throws {
    let holdings = try replica.queries.holdings()
    // A state folder that cannot be written is reported once, by the sentinel.
    guard holdings != keptHoldings, stateFolderProblem == nil else { return }
    try holdingsFile.write(holdings, of: credentials)
    keptHoldings = holdings
  }
}

/// Why a node could not be opened, in one line with the remedy.
public enum NodeError: Error, Hashable, Sendable, CustomStringConvertible {
  case notEnrolled(String)
  case alreadyEnrolled(String)
  case refused(String)
  case noAnswer(String)
  case stopped

  /// The text for the terminal.
  public var description: String {
    switch self {
    case .notEnrolled(let path):
      "there is no node in \(path): run `muster init` or `muster join`, or give --home"
    case .alreadyEnrolled(let path):
      "\(path) belongs to an operation already: choose another --home"
    case .refused(let reason), .noAnswer(let reason): reason
    case .stopped: "the node has stopped"
    }
  }
}
