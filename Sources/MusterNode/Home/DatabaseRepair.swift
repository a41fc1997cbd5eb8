internal import Foundation
internal import MusterReplica

/// Checks a home's database, and replaces it if it is damaged.
///
/// `muster.sqlite` is opened only if a full check finds no damage. Otherwise a repair uses three
/// files beside it:
///
/// - `muster.sqlite.mending` is being filled with the readable data; it is worthless after a crash.
/// - `muster.sqlite.mended` is complete and on disk. It replaces the old database, now or after a
///   crash.
/// - `muster.sqlite.damaged-1` is the old database, which is never deleted.
///
/// MUST be used with the home's lock held.
struct DatabaseRepair {
  private let path: String
  private let directory: String
  private let credentials: Credentials
  private let witnessed: Replica.IncarnationState?

  /// - Parameter witnessed: the sentinel's record of the database.
  init(_ home: NodeHome, credentials: Credentials, witnessed: Replica.IncarnationState?) {
    path = home.databasePath
    directory = home.dataDirectory
    self.credentials = credentials
    self.witnessed = witnessed
  }

  private var repairing: String { path + ".mending" }
  private var repaired: String { path + ".mended" }

  /// Repairs the database if it is damaged, and then returns the reason in one line for the user.
  ///
  /// - Parameters:
  ///   - isExpected: whether a database must exist.
  ///   - known: damage that was detected while the database was in use.
  func run(isExpected: Bool, known: String?) throws -> String? {
    try finishExchange()
    var problem = known
    if problem == nil, isExpected, try Folder.size(of: path) ?? 0 == 0 {
      problem = "the database is gone"
    }
    if problem == nil, try Folder.size(of: path) != nil {
      problem = try ReplicaDatabase.problem(at: path, of: credentials, seed: systemSeed())
    }
    return try problem.map(salvage)
  }

  /// Builds the new database in a separate file; until it is complete, the old one stays in place.
  private func salvage(because problem: String) throws -> String {
    for suffix in ["", "-wal", "-shm"] { try Self.remove(repairing + suffix) }
    let findings = try ReplicaDatabase.salvage(
      path, into: repairing, credentials: credentials, witnessed: witnessed, seed: systemSeed())
    for suffix in ["-wal", "-shm"] { try Self.remove(repairing + suffix) }
    try OpenFile(repairing, O_RDWR, for: .write).sync()
    let kept = try damagedPath()
    try Self.move(repairing, to: repaired)
    try Folder.sync(directory)
    try finishExchange()
    var remark =
      "the database was damaged (\(problem)): readable data was recovered, missing data "
      + "is requested from peers, and 'muster verify' lists it; the damaged file is "
      + "\(kept)"
    if !findings.unreadTables.isEmpty {
      remark += "; partly unreadable: " + findings.unreadTables.joined(separator: ", ")
    }
    return remark
  }

  /// Completes an exchange that a crash interrupted. The old write-ahead log is moved first, since
  /// a new database must never be opened with it.
  private func finishExchange() throws(HomeError) {
    guard try Folder.size(of: repaired) != nil else { return }
    let kept = try damagedPath()
    try Self.moveIfThere(path + "-wal", to: kept + "-wal")
    try Self.remove(path + "-shm")
    try Self.moveIfThere(path, to: kept)
    try Folder.sync(directory)
    try Self.move(repaired, to: path)
    try Folder.sync(directory)
  }

  /// Returns the first unused name for a damaged database.
  private func damagedPath() throws(HomeError) -> String {
    var number = 1
    while try Folder.size(of: "\(path).damaged-\(number)") != nil { number += 1 }
    return "\(path).damaged-\(number)"
  }

  // MARK: Files

  private static func move(_ path: String, to target: String) throws(HomeError) {
    guard rename(path, target) == 0 else { throw .system(.write, path: target, code: errno) }
  }

  private static func moveIfThere(_ path: String, to target: String) throws(HomeError) {
    if try Folder.size(of: path) != nil { try move(path, to: target) }
  }

  private static func remove(_ path: String) throws(HomeError) {
    guard unlink(path) == 0 || errno == ENOENT else {
      throw .system(.write, path: path, code: errno)
    }
  }
}
