internal import Foundation
internal import GRDB
public import MusterModel
public import SQLiteSeal

/// Builds a new database from the readable parts of a damaged one, which is not changed.
///
///     pages, write-ahead log ──▶ `PageScan` ──▶ salvaged frames; epoch keys; heads
///     SQLite, read only ──▶ tables of local data, as far as readable
///
/// No derived data is copied, and no frame is trusted: the opener of the new database verifies
/// and stores the frames and rebuilds the view.
public struct Salvage {
  private let path: String
  private let seal: PageSeal
  private let checks: SalvageChecks

  /// Checks that the store cannot make, since it computes no hashes.
  public struct SalvageChecks {
    /// The log that a frame opens; nil if it is damaged or not an opening.
    let opened: (SalvagedFrame) -> LogID?
    let isKey: (StoredEpochKey) -> Bool

    /// Creates the checks.
    ///
    /// - Parameters:
    ///   - opened: returns the log of a frame 0, whose log the store does not know.
    ///   - isKey: returns whether an epoch's id matches its key.
    public init(
      opened: @escaping (SalvagedFrame) -> LogID?, isKey: @escaping (StoredEpochKey) -> Bool
    ) {
      self.opened = opened
      self.isKey = isKey
    }
  }

  /// The result, for the user.
  public struct Findings: Hashable, Sendable {
    /// Copies of salvaged frames.
    public internal(set) var frames = 0
    /// Frames whose log cannot be determined.
    public internal(set) var namelessFrames = 0
    /// Tables of local data that could not be read completely.
    public internal(set) var unreadTables: [String] = []
  }

  /// Local data of this node that is kept.
  private static let localTables = [
    "local", "certificates", "evidence", "invites", "admissions", "peers", "records",
    "staged_records", "fixes", "known_heads", "boots", "stamps", "frame_stamps", "record_arrivals",
  ]
  private static let framesPerTransaction = 4096

  /// Creates a salvage.
  ///
  /// - Parameters:
  ///   - path: the damaged database, which MUST NOT be open.
  ///   - seal: the seal of its pages.
  public init(path: String, seal: PageSeal, checks: SalvageChecks) {
    self.path = path
    self.seal = seal
    self.checks = checks
  }

  /// Fills a new database, which MUST be empty.
  ///
  /// - Parameters:
  ///   - forgotten: local settings that do not apply to the new one.
  ///   - known: what other sources know of this database's logs.
  public func fill(
    _ store: Store, forgetting forgotten: Set<String>, known: [KnownHead]
  ) throws(StoreError) -> Findings {
    do {
      var findings = Findings()
      let scan = try PageScan(path: path, seal: seal)
      findings.unreadTables = try copyLocalTables(to: store)
      var batch = Batch()
      batch.epochKeys = scan.keys.filter(checks.isKey).sorted { $0.id < $1.id }
      batch.forgotten = forgotten
      _ = try store.commit(batch)
      try store.know(scan.logs.sorted { $0.key < $1.key }.map(\.value) + known)
      try setAside(scan, in: store, &findings)
      return findings
    } catch {
      throw StoreError(error)
    }
  }

  // MARK: Frames

  private func setAside(
    _ scan: PageScan, in store: Store, _ findings: inout Findings
  ) throws {
    let names = try names(of: scan)
    var waiting: [(log: LogID, sequence: UInt64, row: SalvagedRow)] = []
    var copies: Set<SalvagedRow> = []
    var last: Int64?
    func flush() throws {
      try store.write { database in
        for (log, sequence, row) in waiting {
          try SetAsideTable.insert(row, log: log, sequence: sequence, in: database)
        }
      }
      waiting.removeAll(keepingCapacity: true)
    }
    try scan.forEachFrame { place, row in
      if place != last { copies.removeAll(keepingCapacity: true) }
      last = place
      guard copies.insert(row).inserted else { return }
      guard let log = names[place >> 32] else {
        findings.namelessFrames += 1
        return
      }
      waiting.append((log, UInt64(place & 0xFFFF_FFFF), row))
      findings.frames += 1
      if waiting.count >= Self.framesPerTransaction { try flush() }
    }
    try flush()
  }

  /// Returns the logs by their refs, from their openings or otherwise the table of logs.
  private func names(of scan: PageScan) throws -> [Int64: LogID] {
    var names = scan.logs.mapValues(\.log)
    try scan.forEachFrame { place, row in
      guard place & 0xFFFF_FFFF == 0 else { return }
      let frame = SalvagedFrame(
        log: LogID(raw: .zero), sequence: 0, epoch: row.epoch.map(EpochID.init(raw:)),
        body: row.body, hash: FrameHash(raw: Bytes32(prefix: row.name, suffix: row.rest)),
        signature: row.signature, blobs: row.blobs)
      if let log = checks.opened(frame) { names[place >> 32] = log }
    }
    return names
  }

  // MARK: Local data

  /// Copies each table as far as it can be read, and returns those that could not be read
  /// completely. The damaged files are not changed.
  private func copyLocalTables(to store: Store) throws -> [String] {
    var configuration = Configuration()
    configuration.readonly = true
    let damaged: DatabaseQueue
    do {
      damaged = try DatabaseQueue(
        path: SealedDisk.location(of: path, seal: seal), configuration: configuration)
    } catch {
      return Self.localTables
    }
    var unread: [String] = []
    for table in Self.localTables {
      var rows: [Row] = []
      do {
        try damaged.read { database in
          let cursor = try Row.fetchCursor(database, sql: "SELECT * FROM \(table)")
          while let row = try cursor.next() { rows.append(row.copy()) }
        }
      } catch {
        unread.append(table)
      }
      do throws(StoreError) {
        try insert(rows, into: table, of: store)
      } catch .corrupt {
        // They refer to other rows that are lost.
        unread.append(table)
      }
    }
    try damaged.close()
    return unread
  }

  private func insert(_ rows: [Row], into table: String, of store: Store) throws(StoreError) {
    guard let first = rows.first else { return }
    let names = first.columnNames.joined(separator: ", ")
    let marks = first.columnNames.map { _ in "?" }.joined(separator: ", ")
    try store.write { database in
      let statement = try database.makeStatement(
        sql: "INSERT OR IGNORE INTO \(table)(\(names)) VALUES (\(marks))")
      for row in rows { try statement.execute(arguments: StatementArguments(row.databaseValues)) }
    }
  }
}
