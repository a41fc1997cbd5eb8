internal import Foundation
internal import MusterReplica

/// Checks a home's database, and puts a new one in its place where it is damaged.
///
///     muster.sqlite ──▶ checked whole ──▶ may be opened
///          │ damaged
///          ▼
///     muster.sqlite.mending   being filled with what can be read; worthless after a crash
///     muster.sqlite.mended    whole and on disk: takes the old one's place, now or after a crash
///     muster.sqlite.damaged-1 the old one, which nobody deletes
///
/// MUST be used under the home's lock.
struct DatabaseRepair {
  private let path: String
  private let directory: String
  private let credentials: Credentials
  private let witnessed: Replica.Life?

  /// - Parameter witnessed: what the sentinel remembers of the database.
  init(_ home: NodeHome, credentials: Credentials, witnessed: Replica.Life?) {
    path = home.databasePath
    directory = home.dataDirectory
    self.credentials = credentials
    self.witnessed = witnessed
  }

  private var mending: String { path + ".mending" }
  private var mended: String { path + ".mended" }

  /// Sees to it that the database is as it was written, or has been made anew; then why, in one
  /// line for the person.
  ///
  /// - Parameters:
  ///   - isExpected: whether a database must be there.
  ///   - known: damage that was met while it was in use.
  func run(isExpected: Bool, known: String?) throws -> String? {
    try finishExchange()
    var problem = known
    if problem == nil, isExpected, try Folder.size(of: path) ?? 0 == 0 {
      problem = "the database is gone"
    }
    if problem == nil, try Folder.size(of: path) != nil {
      problem = try Replica.problem(
        ofDatabaseAt: path, of: credentials, seed: systemSeed())
    }
    return try problem.map(salvage)
  }

  /// Builds the new database aside; until it is whole, the old one stands.
  private func salvage(because problem: String) throws -> String {
    for suffix in ["", "-wal", "-shm"] { try Self.remove(mending + suffix) }
    let findings = try Replica.salvage(
      path, into: mending, credentials: credentials, witnessed: witnessed, seed: systemSeed())
    for suffix in ["-wal", "-shm"] { try Self.remove(mending + suffix) }
    try OpenFile(mending, O_RDWR, for: .write).sync()
    let kept = try damagedPath()
    try Self.move(mending, to: mended)
    try Folder.sync(directory)
    try finishExchange()
    var remark =
      "the database was damaged (\(problem)): what could be read of it was kept, the "
      + "rest is asked of peers, and 'muster verify' lists what is missing; the damaged file is "
      + "\(kept)"
    if !findings.unreadTables.isEmpty {
      remark += "; not all could be read of: " + findings.unreadTables.joined(separator: ", ")
    }
    return remark
  }

  /// Goes on with what a crash may have cut short: the old log goes first, since a new database
  /// must never meet it.
  private func finishExchange() throws(HomeError) {
    guard try Folder.size(of: mended) != nil else { return }
    let kept = try damagedPath()
    try Self.moveIfThere(path + "-wal", to: kept + "-wal")
    try Self.remove(path + "-shm")
    try Self.moveIfThere(path, to: kept)
    try Folder.sync(directory)
    try Self.move(mended, to: path)
    try Folder.sync(directory)
  }

  /// The first name that no damaged database has.
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
